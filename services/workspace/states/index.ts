export { changesBetween, diffOf, treeWithParts, wholeDiff, type ChangedFile, type Part } from './differences.js'
export { carryOutMove, finishMove, planMove, type PlannedMove } from './moving.js'
export { bringIn, commitOf, keepState, protect, unprotect, type FolderState } from './states.js'
