export { createTurnCheckpoints, type TurnCheckpointsOptions } from './turn-checkpoints.js'
