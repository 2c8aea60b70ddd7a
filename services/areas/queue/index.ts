export { holdRestored } from './rows.js'
export { type EntryRef, type Place } from './entries.js'
export { createMessageQueue, type MessageQueue } from './queue.js'
