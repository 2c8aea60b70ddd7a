import { type Static } from '@sinclair/typebox'
import { type sessionFrames, type sessionListFrames, type SessionNews } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker, type NewFrame } from '../../ground/events/index.js'
import { type LivenessOf } from './liveness.js'
import { type SessionRows } from './session-rows.js'

const listFrame = framesOf<typeof sessionListFrames>()
const sessionFrame = framesOf<typeof sessionFrames>()

export interface NoticesOptions {
  db: Database
  events: EventBroker
  rows: SessionRows
  liveness: LivenessOf
  /** What was kept of a session is no longer right; without an id, of any. */
  forget: (sessionId?: string) => void
}

/** Tells those who have a session, or the list of sessions, open that something has changed. */
export function createNotices ({ db, events, rows, liveness, forget }: NoticesOptions) {
  /** Raised by every change that a list could show; a cached list is as good as its version. */
  let version = 0

  /** What those who have a session open want to know first. A session that is gone is told of as well. */
  function news (id: string): Static<typeof SessionNews> {
    const row = rows.find(id)
    const stream = liveness.stream(id)
    return {
      session_id: id,
      stream_id: stream?.id ?? null,
      active_stream_id: stream?.id ?? null,
      pending_started_at: stream?.startedAt ?? null,
      message_count: row?.messageCount ?? 0,
      updated_at: row?.updatedAt ?? null
    }
  }

  return {
    /** What stands first on the stream of a session, and on that of the list. */
    opening: (id: string): NewFrame => sessionFrame('initial', news(id)),
    openingOfList: (): NewFrame => listFrame('sessions_changed', { type: 'sessions_changed', version, reason: 'initial' }),
    version: (): number => version,

    /** Something has changed, in one session or in no particular one; called after the change is in the transaction. */
    changed (reason: string, sessionId?: string): void {
      forget(sessionId)
      if (sessionId !== undefined) {
        const event = reason === 'turn_started' ? 'server_turn_started' : 'session-updated'
        db.afterCommit(() => events.publish({ kind: 'session', id: sessionId }, () => sessionFrame(event, { ...news(sessionId), reason })))
      }
      // What is in no list changes none.
      if (sessionId !== undefined && rows.isHidden(sessionId)) return
      version++
      db.afterCommit(() => events.publish({ kind: 'sessions', id: 'all' }, () =>
        listFrame('sessions_changed', {
          type: 'sessions_changed', version, reason, ...(sessionId === undefined ? {} : { session_id: sessionId })
        })))
    }
  }
}
