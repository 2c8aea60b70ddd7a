export { createIdempotency, keptS, mostKept, type ClientRequest, type Idempotency, type Keep } from './idempotency.js'
