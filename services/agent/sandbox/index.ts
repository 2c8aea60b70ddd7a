export { confine, type Confinement } from './confine.js'
export { findSandbox, type SandboxStatus } from './find.js'
export { createPrivateFiles } from './private-files.js'
