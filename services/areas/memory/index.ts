export { createCuration, tidiedText, type Curation } from './curation.js'
export { Memory, type ShownDocument } from './memory.js'
export { answerRuns } from './requests.js'
export { sections, type Section } from './rows.js'
