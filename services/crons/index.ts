export { createCrons, type CronChange, type Crons } from './crons.js'
export { boundedReport } from './report.js'
export { completionToWire, fileToWire, jobToWire, usageToWire } from './wire.js'
