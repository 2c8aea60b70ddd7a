export { createPlanning, type Mode, type Planning } from './planning.js'
export { planPath } from './plan-path.js'
export { createPlans, type Plans } from './plans.js'
