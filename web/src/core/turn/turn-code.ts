// What makes exchanges of stored messages and frames, as one module: only a chat needs it (loading-turns.ts).
export { matched } from './matching.js'
export { nextFrame, RunningTurn } from './running-turn.js'
export { beginTurn, partAtRunning } from './turn-live.js'
export { anchorOf, turnsOf } from './turn-stored.js'
