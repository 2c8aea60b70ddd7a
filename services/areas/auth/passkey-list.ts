import { type Queue } from '../../ground/concurrency/queue.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Invalid, NotFound } from '../../ground/errors.js'
import { asSaved } from '../../ground/redaction/index.js'
import { type AuditPort } from '../audit/index.js'
import { accessTurn } from './changes.js'
import { type PasskeyGate } from './passkey-gate.js'
import { type Passkey, type PasskeyRows } from './passkey-rows.js'
import { type AuthSessions } from './sessions.js'

export interface PasskeyListOptions {
  db: Database
  audit: AuditPort
  inTurn: Queue
  gate: PasskeyGate
  rows: PasskeyRows
  sessions: Pick<AuthSessions, 'removeOfPasskey'>
  /** Whether there is a gate besides the passkeys. */
  isGatedOtherwise: () => boolean
  /** Called after each change of their number. */
  changed: () => void
}

/** Lists, renames and deletes the registered passkeys. */
export function createPasskeyList ({ db, audit, inTurn, gate, rows, sessions, isGatedOtherwise, changed }: PasskeyListOptions) {
  return {
    list (): Passkey[] {
      gate.assertEnabled()
      return rows.all()
    },

    /** Throws NotFound, and Invalid for a blank label. */
    async rename (id: string, label: string): Promise<Passkey> {
      gate.assertEnabled()
      if (label.trim() === '') throw new Invalid('Missing required field(s): label')
      await db.durably(() => {
        const wanted = asSaved('label', label.trim(), rows.get(id)?.label ?? null)
        if (!rows.rename(id, wanted)) throw new NotFound('Passkey not found')
        audit.record('passkey.renamed', { passkey: id, label: wanted })
      })
      const renamed = rows.get(id)
      if (renamed === undefined) throw new NotFound('Passkey not found')
      return renamed
    },

    /**
     * Deletes a passkey and ends the sessions that were opened with it. Throws NotFound, and Conflict for the last one if there is no other
     * way to sign in.
     */
    async remove (id: string): Promise<void> {
      gate.assertEnabled()
      await inTurn(accessTurn, async () => await db.durably(() => {
        if (!rows.remove(id)) throw new NotFound('Passkey not found')
        if (rows.count() === 0) {
          if (!isGatedOtherwise()) throw new Conflict('This passkey is your only way to sign in. Set a password before you delete it')
          gate.setPasswordless(false)
        }
        sessions.removeOfPasskey(id)
        audit.record('passkey.deleted', { passkey: id })
      }))
      changed()
    }
  }
}
