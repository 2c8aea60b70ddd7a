export { createBudgets, type Account, type Budgets, type BudgetState, type Spent } from './budgets.js'
export { limitNames, problemWith, readBudgets, scopes, type BudgetLimits, type LimitName, type Limits, type Scope } from './limits.js'
export { changesOf } from './changes.js'
