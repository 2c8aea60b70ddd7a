import { Type } from '@sinclair/typebox'
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'

/**
 * Signs with the service's own key: 32 random bytes, made and synced to disk with the first signature. `learned` is called with the key.
 */
export function createSigner ({ db, clock, learned }: { db: Database, clock: Clock, learned: (key: string) => void }) {
  const values = createValues(db.sqlite)
  let cached: Buffer | undefined
  const known = stored()
  if (known !== null) learned(known.toString('hex'))

  function key (): Buffer {
    cached ??= stored() ?? db.transaction(() => {
      const made = randomBytes(32)
      learned(made.toString('hex'))
      values.set('signing_key', made.toString('hex'), epochSeconds(clock))
      return made
    }, { durable: true })
    return cached
  }

  function stored (): Buffer | null {
    const key = values.read('signing_key', Type.String())
    return key === undefined ? null : Buffer.from(key, 'hex')
  }

  /** Returns HMAC-SHA256 (hex) over `purpose:text`; the purpose prevents a signature from being used for something else. */
  function sign (purpose: string, text: string): string {
    return createHmac('sha256', key()).update(`${purpose}:${text}`).digest('hex')
  }

  return {
    sign,
    verify: (purpose: string, text: string, signature: string): boolean => equalInConstantTime(sign(purpose, text), signature)
  }
}
export type Signer = ReturnType<typeof createSigner>

/** For texts whose length is not secret. */
export function equalInConstantTime (left: string, right: string): boolean {
  const a = Buffer.from(left)
  const b = Buffer.from(right)
  return a.length === b.length && timingSafeEqual(a, b)
}
