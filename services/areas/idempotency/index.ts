export { createIdempotency, keptS, mostKept, type ClientRequest, type Idempotency } from './idempotency.js'
