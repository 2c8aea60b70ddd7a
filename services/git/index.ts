export { gitText, refName, runGit, type GitArguments, type GitCommand, type GitOptions, type GitOutcome } from './run.js'
export { changesIn, mainRootOf, registrationOf, workTreeOf, type Registration, type WorkTree } from './work-tree.js'
