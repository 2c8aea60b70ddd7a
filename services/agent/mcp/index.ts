export { clientOf, expiryOf, namedOf } from './bearer.js'
export { pluginServers, rootVariable, serversOf } from './plugin-servers.js'
export {
  filledIn, headerName, mcpServersOf, resolvedTarget, serverName, variableName, type McpServerConfig, type McpTarget
} from './configuration.js'
export {
  forgetCredentials, forgetOtherCredentials, hasCredentials, keepCredentials, mcpTokensOf, secretsOfCredentials, type McpCredentials
} from './credentials.js'
export { forgetViews, keptViewsOf, readView, serverOfView, type KeptView } from './kept-views.js'
export { createSignInFetch, McpAddressRefused, signInProblem } from './guarded-fetch.js'
export { lastKnownPrompts, lastKnownState } from './last-known.js'
export { mcpLibrary } from './library.js'
export { type McpQueryAnswer, type McpQueryBody, type McpServerState } from './queries.js'
