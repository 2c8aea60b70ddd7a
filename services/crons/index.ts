export { type CronChange } from './context.js'
export { createCrons, type Crons } from './crons.js'
export { boundedReport } from './report.js'
export { completionToWire, fileToWire, usageToWire } from './wire.js'
