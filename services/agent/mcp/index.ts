export { headerName, mcpServersOf, serverName, variableName, type McpServerConfig, type McpTarget } from './configuration.js'
export { mcpQueries, type McpQuery, type McpQueryAnswer, type McpQueryBody, type McpQueryKind, type McpReply, type McpServerState } from './queries.js'
export { lastKnownPrompts, lastKnownState, McpServers, type McpTools } from './servers.js'
