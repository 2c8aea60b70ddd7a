export { goalCommand } from './commands.js'
export { createGoals, type GoalAnswer, type Goals } from './goals.js'
