export { commitNamed, gitAnswer, gitEntries, gitText, isAncestor, readPrograms, refName, runGit, succeeding, type GitArguments, type GitOptions } from './run.js'
export { changesIn, mainRootOf, registrationOf, workTreeOf, type Registration } from './work-tree.js'
export { createEngineChoice, type EngineName } from './choice.js'
export { gitStartsIn } from './environment.js'
export { createEmbeddedGit, embeddedGitVersion } from './embedded/engine.js'
export {
  type Branch, type Branches, type BranchToDescribe, type CheckoutTarget, type Commit, type CommitDetail, type Diff, type FileChange,
  type GitInfo, type Remote, type Stash, type StashedCheckout
} from './engine.js'
export { createGit, type Git } from './git.js'
export { cleanMessage, createCommitMessages, type CommitMaterial, type CommitMessagesOptions } from './messages.js'
export { type After, type LabelledStatus } from './statuses.js'
export { createSystemGit } from './system/index.js'
export { fetchRefs } from './system/remote.js'
export { type ProgramsOff } from './safety.js'
export { refuseLinkedStorage } from './storage.js'
export { transportSettings } from './system/transport.js'
