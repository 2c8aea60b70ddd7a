export { createCheckpoints, type Checkpoints } from './checkpoints.js'
export { type Limits } from './failures.js'
export { type ListedCheckpoint } from './rows.js'
