import { Type, type Static } from '@sinclair/typebox'
import { createECDH } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

/** What the service shows push services that a message is from it (VAPID, RFC 8292); both base64url. */
const PushKeys = Type.Object({ publicKey: Type.String(), privateKey: Type.String() })
export type PushKeys = Static<typeof PushKeys>

/** Of the table of single values. */
const storedAs = 'push_keys'

/**
 * The service's own keys, made and synced to disk when there are none: a subscription is good for these keys only. The private one stands
 * nowhere but in the database. It is none of the secrets that texts are looked through for: each of those has every text wait whose last
 * characters could be its first.
 */
export function createKeys ({ db, clock }: { db: Database, clock: Clock }) {
  const values = createValues(db.sqlite)
  let known = stored()

  function stored (): PushKeys | null {
    return values.read(storedAs, PushKeys) ?? null
  }

  return {
    /** Null: none could be stored yet. */
    get: (): PushKeys | null => known,

    /** Makes keys where there are none. Rejects while the disk takes nothing. */
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
  // Leading zeros are left out there.
  const privateKey = Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()]).subarray(-32)
  return { publicKey: publicKey.toString('base64url'), privateKey: privateKey.toString('base64url') }
}
