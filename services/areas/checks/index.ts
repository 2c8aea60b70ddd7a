export { createChecks, type Checks } from './checks.js'
