export { createForeignSessions, type ForeignSessions, type ForeignSessionsOptions } from './foreign-sessions.js'
export { type ForeignRow } from './tally.js'
export { type ForeignTranscript } from './transcript.js'
export { createGuests, type Guests } from './guests.js'
