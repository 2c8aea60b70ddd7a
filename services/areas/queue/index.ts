export { holdRestored } from './rows.js'
export { type EntryRef, type Place } from './entries.js'
export { createQueue, type Queue } from './queue.js'
