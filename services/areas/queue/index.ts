export { holdRestored } from './rows.js'
export { createQueue, type EntryRef, type Place, type Queue } from './queue.js'
