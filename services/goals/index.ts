export { createGoals, type GoalAnswer, type Goals } from './goals.js'
