export { type MemoryEdit } from './entries.js'
export { Memory, type ShownDocument } from './memory.js'
export { answerRuns } from './requests.js'
export { keptVersions, sections, type Section, type VersionRow } from './rows.js'
