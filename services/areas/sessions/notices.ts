import { type Static } from '@sinclair/typebox'
import { type sessionFrames, type sessionListFrames, type SessionNews } from '../../../schemas/sessions.js'
import { type Database } from '../../ground/database/index.js'
import { framesOf, type EventBroker, type NewFrame } from '../../ground/events/index.js'
import { type LivenessOf } from './liveness.js'
import { type SessionLookup } from './lookup.js'
import { type SessionRows } from './session-rows.js'

const listFrame = framesOf<typeof sessionListFrames>()
const sessionFrame = framesOf<typeof sessionFrames>()

export interface NoticesOptions {
  db: Database
  events: EventBroker
  rows: Pick<SessionRows, 'isHidden'>
  lookup: Pick<SessionLookup, 'extentOf'>
  liveness: LivenessOf
  /** Called when the cached data of a session is outdated; without an id, that of all sessions. */
  forget: (sessionId?: string) => void
}

/** Notifies clients that have a session, or the list of sessions, open. */
export function createNotices ({ db, events, rows, lookup, liveness, forget }: NoticesOptions) {
  /** Rises with every change that a list could show. A cached list is valid for its version. */
  let version = 0

  /** What clients that have a session open need first. It is also sent for a deleted session. */
  function news (id: string): Static<typeof SessionNews> {
    const extent = lookup.extentOf(id)
    const stream = liveness.stream(id)
    return {
      session_id: id,
      stream_id: stream?.id ?? null,
      active_stream_id: stream?.id ?? null,
      pending_started_at: stream?.startedAt ?? null,
      message_count: extent?.messageCount ?? 0,
      updated_at: extent?.updatedAt ?? null
    }
  }

  return {
    /** The first frame on the stream of a session, and on that of the list. */
    opening: (id: string): NewFrame => sessionFrame('initial', news(id)),
    openingOfList: (): NewFrame => listFrame('sessions_changed', { type: 'sessions_changed', version, reason: 'initial' }),
    version: (): number => version,

    /** Announces a change of one session, or of no particular one. Called after the change was made in the transaction. */
    changed (reason: string, sessionId?: string): void {
      forget(sessionId)
      if (sessionId !== undefined) {
        const event = reason === 'turn_started' ? 'server_turn_started' : 'session-updated'
        db.afterCommit(() => events.publish({ kind: 'session', id: sessionId }, () => sessionFrame(event, { ...news(sessionId), reason })))
      }
      // A session that no list shows changes no list.
      if (sessionId !== undefined && rows.isHidden(sessionId)) return
      version++
      db.afterCommit(() => events.publish({ kind: 'sessions', id: 'all' }, () =>
        listFrame('sessions_changed', {
          type: 'sessions_changed', version, reason, ...(sessionId === undefined ? {} : { session_id: sessionId })
        })))
    }
  }
}
