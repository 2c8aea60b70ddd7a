import { type Database } from '../../ground/database/index.js'
import { createCuts } from './cuts.js'
import { AnswerCache } from './detail-cache.js'
import { createMessageRows } from './message-rows.js'
import { createModelView } from './model-view.js'
import { createReadableRows } from './readable-rows.js'
import { type SessionRows } from './session-rows.js'
import { createTranscriptExcerpts } from './transcript-excerpts.js'
import { createTranscriptReads } from './transcript-reads.js'
import { createTranscriptWrites } from './transcript-writes.js'

/** The messages of sessions: writes, what people are shown of them, and what the model is shown. */
export function createTranscript (db: Database, sessions: SessionRows) {
  /** Caches whole transcripts, each until a row of its session is added or removed; most changes of a session are others. */
  const wholes = new AnswerCache()
  const rows = createMessageRows(db, (sessionId) => wholes.forget(sessionId))
  /** Where sessions end that were cut but still have rows behind the cut. */
  const cuts = createCuts(db, rows)
  const parts = { db, wholes, rows, cuts, sessions, readable: createReadableRows(db, rows, cuts) }
  const reads = createTranscriptReads(parts)
  return { cuts, ...createTranscriptWrites(parts), ...reads, ...createTranscriptExcerpts(parts, reads), ...createModelView(parts) }
}

export type Transcript = ReturnType<typeof createTranscript>
