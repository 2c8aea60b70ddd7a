export { Mcp, type McpPromptView, type McpServerChange, type McpServerView } from './mcp.js'
export { secretsOfServers } from './secrets.js'
