export { createAttempts, type Attempts } from './attempts.js'
export { type BegunAttempts, type NewAttempts } from './beginning.js'
