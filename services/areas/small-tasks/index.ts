export { createSmallTasks, isNoModel, type SmallTasks } from './small-tasks.js'
