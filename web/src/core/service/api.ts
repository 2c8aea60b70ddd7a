// The app is a client like any other and uses the same API module.
export { Api, ApiError, newClientId, type Wire } from '../../../../clients/typescript/src/api.js'
