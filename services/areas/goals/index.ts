export { goalCommand } from './commands.js'
export { type GoalAnswer } from './answers.js'
export { createGoals, type Goals } from './goals.js'
