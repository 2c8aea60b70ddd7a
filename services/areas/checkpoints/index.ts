export { createTurnCheckpoints, type CheckpointNotice, type TurnCheckpoints, type TurnCheckpointsOptions } from './turn-checkpoints.js'
