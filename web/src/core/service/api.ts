// The app is a client like others: its way to the service is theirs.
export { Api, ApiError, newClientId, type Wire } from '../../../../clients/typescript/src/api.js'
