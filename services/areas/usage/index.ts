export { isTurnKind, type CallKind } from './kinds.js'
export { createUsageLog, type UsageLog } from './usage-log.js'
