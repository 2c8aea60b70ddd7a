import { type Background } from './background.js'
import { type Btw } from './btw.js'

export { createBackground } from './background.js'
export { createBtw } from './btw.js'
export { createDelegation } from './delegation.js'

export interface SideTurns {
  /** Side questions. */
  btw: Btw
  /** Background tasks. */
  background: Background
}
