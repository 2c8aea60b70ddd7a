export { isTurnKind, type CallKind } from './kinds.js'
export { createUsageLog, type BookedCall, type UsageLog } from './usage-log.js'
