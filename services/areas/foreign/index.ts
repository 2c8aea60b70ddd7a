export { createForeignIndex, type ForeignIndex, type ForeignIndexOptions } from './foreign-index.js'
export { type ForeignRow } from './tally.js'
export { type ForeignTranscript } from './transcript.js'
export { createForeign, type Foreign } from './foreign.js'
