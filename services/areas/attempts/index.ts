export { createAttempts, type Attempts, type Begun, type NewAttempts } from './attempts.js'
