export { createBudgets, type Budgets } from './budgets.js'
export { type Limits } from './limits.js'
export { type Account, type BudgetState } from './sums.js'
export { changesOf } from './changes.js'
