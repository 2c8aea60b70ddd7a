import { Type, type Static } from '@sinclair/typebox'
import { createECDH } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

/** The keys with which the service proves to push services that a message is its own (VAPID, RFC 8292); both base64url. */
const PushKeys = Type.Object({ publicKey: Type.String(), privateKey: Type.String() })
export type PushKeys = Static<typeof PushKeys>

/** Their key in the table of single values. */
const storedAs = 'push_keys'

/**
 * The service's own keys, created and synced to disk if there are none: a subscription is valid only for these keys. The private key is
 * stored only in the database. It is not among the secrets that are masked in texts, because each of those delays every text whose last
 * characters could be the beginning of the secret.
 */
export function createKeys ({ db, clock }: { db: Database, clock: Clock }) {
  const values = createValues(db.sqlite)
  let known = stored()

  function stored (): PushKeys | null {
    return values.read(storedAs, PushKeys) ?? null
  }

  return {
    /** null if no keys could be stored yet. */
    get: (): PushKeys | null => known,

    /** Creates keys if there are none. Rejects while the disk accepts no writes. */
    async make (): Promise<void> {
      if (known !== null) return
      const made = newKeys()
      await db.durably(() => {
        if (stored() === null) values.set(storedAs, made, epochSeconds(clock))
      })
      known = stored()
    }
  }
}

export type Keys = ReturnType<typeof createKeys>

function newKeys (): PushKeys {
  const curve = createECDH('prime256v1')
  const publicKey = curve.generateKeys()
  // `getPrivateKey` leaves out leading zeros.
  const privateKey = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32)
  return { publicKey: publicKey.toString('base64url'), privateKey: privateKey.toString('base64url') }
}
