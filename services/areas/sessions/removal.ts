import { type Database } from '../../ground/database/index.js'
import { type Listeners } from '../../ground/listeners.js'
import { type AuditPort } from '../audit/index.js'
import { type Edits } from './edits.js'
import { type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

/** What happens to sessions, for what follows from it. */
export interface SessionEvents {
  /** These, one session and what runs beside it, are about to be deleted: what is at work in them has to stop now. */
  removing (ids: readonly string[]): void
  /** It was put away: what waits in it is not waited for any more. */
  archived (id: string): void
  /** They are gone, with all their rows. */
  removed (ids: readonly string[]): void
}

export interface RemovalOptions {
  db: Database
  audit: AuditPort
  rows: SessionRows
  edits: Edits
  get: (id: string) => SessionRow
  changed: (reason: string, sessionId: string) => void
  forget: (id: string) => void
  listeners: Listeners<SessionEvents>
}

/** Deletes sessions, and tells those whom that concerns. */
export function createRemoval ({ db, audit, rows, edits, get, changed, forget, listeners }: RemovalOptions) {
  return {
    on: listeners.on,

    /**
     * Removes the session, what ran beside it, and everything that hangs on them, after what runs there was stopped. It is
     * gone for everybody at once; a long transcript is taken apart a few rows at a time. Throws NotFound.
     */
    async remove (id: string): Promise<void> {
      get(id)
      listeners.emit('removing', [...rows.beside(id), id])
      const own = await db.durably(() => {
        const { profile, hidden } = get(id)
        // What nobody has seen is not missed.
        if (!hidden) audit.record('session.deleted', { session: id, profile })
        const own = [...rows.beside(id), id]
        // Told before it is concealed: what is in no list changes none.
        changed('session_delete', id)
        for (const each of own) rows.conceal(each)
        return own
      })
      for (const each of own) {
        await edits.discard(each)
        forget(each)
      }
      listeners.emit('removed', own)
    }
  }
}
