export { decide, type PolicyContext, type Verdict } from './decide.js'
export { isGranted } from './grants.js'
export { type Scope } from './scopes.js'
export { realPath } from '../tools/containment.js'
