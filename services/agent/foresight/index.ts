export { compareHere, createComparer, type Comparer } from './comparer.js'
export { foresee } from './foresee.js'
