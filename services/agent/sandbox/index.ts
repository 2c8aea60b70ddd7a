export { Boundary, boundaryFolder, type Left, type Suspect, type Watch } from './boundary.js'
export { confine, homeFolders, toolFolders, type Beside } from './confine.js'
export { leadsOutOfSandbox, systemFolders } from './places.js'
export { findContainerBoundary } from './container.js'
export {
  findSandbox, limitingOf, refusedBy, type CommandLimiting, type SandboxRefusal, type SandboxKind, type SandboxStatus
} from './find.js'
export { inTheContainer, namingVariable } from './landlock.js'
export { createPrivateFiles } from './private-files.js'
export { unacceptedCommand } from './rules-change.js'
export { type SealedFile } from './records.js'
export { hashOfFile, sealOf, stampOf, statsOf, TextCache } from './texts.js'
