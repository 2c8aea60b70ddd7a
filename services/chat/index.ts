export { createChat, type Chat, type ChatOptions, type ModelChoice, type StartInput } from './chat.js'
export { createReaderMarks, type ReaderMarks } from './readers.js'
export { recoverStreams } from './recovery.js'
export { type TurnModel } from './turn-recorder.js'
