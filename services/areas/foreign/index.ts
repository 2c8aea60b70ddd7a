export { createForeignIndex, type ForeignIndexOptions } from './foreign-index.js'
export { type ForeignTranscript } from './transcript.js'
export { createForeign, type Foreign } from './foreign.js'
