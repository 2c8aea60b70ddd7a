export { Mcp, type McpServerView } from './mcp.js'
export { McpPromptCommands } from './prompt-commands.js'
export { secretsOfServers } from './secrets.js'
export { McpSignIn, mcpCallbackPath, type McpAttempt } from './sign-in.js'
