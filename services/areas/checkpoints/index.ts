export { createTurnCheckpoints, type CheckpointNotice } from './turn-checkpoints.js'
