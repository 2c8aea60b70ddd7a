export { createPrompts, type ApprovalAnswer, type OpenPrompt, type PendingOf, type PendingPrompt, type Prompts } from './prompts.js'
export { foresightToWire } from './foresight.js'
export { type PromptKind } from './rows.js'
export { type LiveRun } from './yolo.js'
