export { createCheckpoints, type Checkpoints } from './checkpoints.js'
export { type ListedCheckpoint } from './rows.js'
