import { type Database } from '../../ground/database/index.js'
import { type Listeners } from '../../ground/listeners.js'
import { type AuditPort } from '../audit/index.js'
import { type Edits } from './edits.js'
import { isBeside, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

/** Events of sessions, for other areas. */
export interface SessionEvents {
  /** These sessions, one and those that run beside it, are about to be deleted: their turns have to stop now. */
  removing (ids: readonly string[]): void
  /** It was archived: a turn that is parked in it is stopped. */
  archived (id: string): void
  /** They are deleted, with all their rows. */
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

/** Deletes sessions and notifies listeners. */
export function createRemoval ({ db, audit, rows, edits, get, changed, forget, listeners }: RemovalOptions) {
  /**
   * Stops and removes the session, those that ran beside it, and everything that belongs to them. It disappears for everybody at once;
   * the rows of a long transcript are removed a few at a time. Throws NotFound.
   */
  async function remove (id: string): Promise<void> {
    get(id)
    listeners.emit('removing', [...rows.beside(id), id])
    const own = await db.durably(() => {
      const row = get(id)
      const { profile } = row
      // A session that was never visible is not recorded.
      if (!isBeside(row)) audit.record('session.deleted', { session: id, profile })
      const own = [...rows.beside(id), id]
      // Announced before it is concealed, because a hidden session changes no list.
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

  return {
    on: listeners.on,
    remove,

    /** Removes temporary chats that nobody has written in since `beforeS` (epoch seconds). */
    async removeAbandoned (beforeS: number): Promise<void> {
      for (const id of rows.abandoned(beforeS)) await remove(id)
    }
  }
}
