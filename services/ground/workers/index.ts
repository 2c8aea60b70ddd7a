export { createWorkers, type Workers } from './pool.js'
