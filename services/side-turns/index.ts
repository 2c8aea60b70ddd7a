export { createBackground, type Background } from './background.js'
export { createBtw, type Btw } from './btw.js'
export { createDelegation, type Delegation } from './delegation.js'
