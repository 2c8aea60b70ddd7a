export { createChat, type Chat, type StartInput } from './chat.js'
export { recoverStreams } from './recovery.js'
export { createTurnStore } from './turn-store.js'
export { type ModelChoice } from './turns.js'
