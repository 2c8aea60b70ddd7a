export { createWorkers, type Workers } from './pool.js'
export { type Kinds, type Order, type Outcome, type TaskName, type Tasks } from './tasks.js'
