export { changesBetween, diffOf, treeOf, treeWithParts, wholeDiff, type ChangedFile, type Part } from './differences.js'
export { carryOutMove, finishMove, planMove, type Move } from './moving.js'
export { bringIn, commitOf, keepState, protect, unprotect, type FolderState } from './states.js'
