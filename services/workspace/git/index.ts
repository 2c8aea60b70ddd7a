export { gitText, refName, runGit, type GitArguments, type GitOptions, type GitOutcome } from './run.js'
export { type GitCommand } from './safety.js'
export { changesIn, mainRootOf, registrationOf, workTreeOf, type Registration, type WorkTree } from './work-tree.js'
export { createEngineChoice, type EngineChoice, type EngineName } from './choice.js'
export { createEmbeddedGit, embeddedGitVersion } from './embedded/engine.js'
export {
  type Branch, type Branches, type CheckoutTarget, type Commit, type CommitDetail, type Diff, type FileChange, type GitEngine, type GitInfo, type Stash, type StashedCheckout
} from './engine.js'
export { createGit, type Git } from './git.js'
export { createCommitMessages, type CommitMessages } from './messages.js'
export { type After, type Standing } from './standing.js'
export { createSystemGit } from './system/index.js'
