export { createSessions, untitled, type ListFlags, type NewSession, type Sessions } from './sessions.js'
export { percent, type DefaultModel, type SessionRow } from './rows.js'
export { windowLimit, type NewMessage, type StoredMessage, type Transcript } from './transcript.js'
