export { createAuth, type Auth, type AuthOptions, type AuthStatus } from './auth.js'
export { type Operator } from './sessions.js'
export { isLocalHost, isSameHost, localPath } from './origins.js'
