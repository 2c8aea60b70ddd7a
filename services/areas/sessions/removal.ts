import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
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
  /** A folder was removed; what worked there works in `to` now. Emitted inside the transaction that says so. */
  movedOut (from: string, to: string): void
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

/** Somebody else was faster. */
function ignoreGone (error: unknown): void { if (!(error instanceof NotFound)) throw error }

/** Deletes sessions and notifies listeners. */
export function createRemoval ({ db, audit, rows, edits, get, changed, forget, listeners }: RemovalOptions) {
  /**
   * Stops and removes the session, those that ran beside it, and everything that belongs to them. It disappears for everybody at once;
   * the rows of a long transcript are removed a few at a time. Returns false, and removes nothing, if `isMeant` does not hold when the
   * session would disappear: it may have changed since the caller looked. Throws NotFound.
   */
  async function remove (id: string, isMeant?: (row: SessionRow) => boolean): Promise<boolean> {
    // Whoever has just kept it, even if that is not stored yet, keeps its turn as well.
    if (isMeant !== undefined) db.flush()
    const found = get(id)
    if (isMeant?.(found) === false) return false
    listeners.emit('removing', [...rows.beside(id), id])
    const own = await db.durably(() => isMeant?.(get(id)) === false ? [] : concealed(id))
    await clear(own)
    return own.length > 0
  }

  function concealed (id: string): string[] {
    const row = get(id)
    // A session that was never visible is not recorded.
    if (!isBeside(row)) audit.record('session.deleted', { session: id, profile: row.profile })
    const own = [...rows.beside(id), id]
    // Announced before it is concealed, because a hidden session changes no list.
    changed('session_delete', id)
    for (const each of rows.passOnVersions(id)) changed('session_update', each)
    for (const each of own) rows.conceal(each)
    return own
  }

  async function clear (own: readonly string[]): Promise<void> {
    for (const each of own) {
      await edits.discard(each)
      forget(each)
    }
    if (own.length > 0) listeners.emit('removed', own)
  }

  return {
    on: listeners.on,
    remove,

    /**
     * Conceals a session in which no turn runs, and those that ran beside it, from everybody, inside the caller's transaction. Returns them
     * for `clear`. If the service stops before that, the next start removes them. Throws NotFound.
     */
    conceal (id: string): string[] {
      const own = concealed(id)
      db.afterCommit(() => listeners.emit('removing', own))
      return own
    },

    /** Removes concealed sessions, a few of their rows at a time. */
    clear,

    /**
     * Removes half-made sessions and conversations that were not to be kept, which a stop of the service has left. A turn may have outlived
     * the service in one, and is stopped.
     */
    async sweep (): Promise<void> {
      for (const id of rows.halfMade()) await (rows.find(id)?.source === 'deleted' ? clear([id]) : remove(id)).catch(ignoreGone)
      await edits.finishInterrupted()
    },

    /** Removes a temporary chat. Returns false if it has become a normal session, which is not removed. Throws NotFound. */
    removeTemporary: (id: string): Promise<boolean> => remove(id, ({ temporary }) => temporary),

    /** Removes temporary chats that nobody has written in since `beforeS` (epoch seconds). */
    async removeAbandoned (beforeS: number): Promise<void> {
      // Each takes a while, in which a person may keep the next one, write in it, or delete it.
      const isAbandoned = (id: string): boolean => rows.isAbandoned(id, beforeS)
      for (const id of rows.abandoned(beforeS)) if (isAbandoned(id)) await remove(id, ({ id }) => isAbandoned(id)).catch(ignoreGone)
    }
  }
}
