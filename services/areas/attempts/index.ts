export { createAttempts, type Attempts } from './attempts.js'
export { type Begun, type NewAttempts } from './beginning.js'
