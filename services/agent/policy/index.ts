export { decide, type PolicyContext, type Scope, type Verdict } from './decide.js'
export { realPath } from '../tools/containment.js'
