import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid, Unauthenticated } from '../../ground/errors.js'
import { refuseMasks } from '../../ground/redaction/index.js'
import { DevicePairings, pairingAgeS } from './device-pairings.js'
import { type Device, type DeviceRows } from './device-rows.js'
import { newDeviceId, newToken } from './device-tokens.js'
import { covers, type TokenScope } from './scopes.js'
import { deviceMark, type AuthSessions, type Operator } from './sessions.js'
import { type Throttle } from './throttle.js'

/** What somebody wants a device to be let in with. */
export interface NewDevice {
  name: string
  scope: TokenScope
  /** How long from now, in seconds; null: until it is revoked. */
  expiresInS: number | null
}

interface Pairing extends NewDevice { id: string, madeBy: string | null }

export interface DeviceMakingOptions {
  db: Database
  clock: Clock
  rows: DeviceRows
  /** One that is let in now. */
  inForce: (id: string) => Device | undefined
  sessions: Pick<AuthSessions, 'openWithin' | 'ttlS'>
  /** Counts wrong codes by address. */
  codes: Throttle
}

const mostDevices = 100
const longestName = 80

/** A name as it is kept and shown: one line, without characters that nobody sees. */
export const deviceName = (typed: string): string => typed.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim().slice(0, longestName)

/** How devices come to be: with a token that is shown, or by a code that the device exchanges itself. */
export function createDeviceMaking ({ db, clock, rows, inForce, sessions, codes }: DeviceMakingOptions) {
  const pairings = new DevicePairings<Pairing>(clock)

  /** Throws Invalid, Conflict and Forbidden. */
  function assertMayBegin ({ name, expiresInS }: NewDevice, maker: Device | null): void {
    if (deviceName(name) === '') throw new Invalid('Missing required field(s): name')
    refuseMasks('name', name, null)
    assertRoom(rows.all().length)
    if (maker?.expiresAt == null || expiresInS === null) return
    if (epochSeconds(clock) + expiresInS > maker.expiresAt) throw new Forbidden('A token cannot create a token that lasts longer than itself')
  }

  function assertRoom (devices: number): void {
    if (devices >= mostDevices) throw new Conflict(`The limit of ${mostDevices} devices is reached. Revoke those that you no longer use`)
  }

  /** The device that asks; null: a person does. Throws Forbidden when it may not let in a device with this scope. */
  function makerOf (operator: Operator, scope: TokenScope): Device | null {
    if (operator.deviceId === undefined) return null
    const maker = inForce(operator.deviceId)
    if (maker === undefined || !covers(maker.scope, scope)) throw new Forbidden('A token cannot create a token with a wider scope')
    return maker
  }

  /**
   * Inside a write of the caller's. Throws Forbidden when who has let it in is gone meanwhile, and
   * Conflict when others have taken the last place.
   */
  function insert ({ id, name, scope, expiresInS, madeBy }: Pairing, tokenHash: string | null): Device {
    const maker = madeBy === null ? null : inForce(madeBy)
    if (maker === undefined) throw new Forbidden('The session or token that began this pairing has ended')
    assertRoom(rows.count())
    const now = epochSeconds(clock)
    const ends = [
      expiresInS === null ? null : now + expiresInS, maker?.expiresAt ?? null, tokenHash === null ? now + sessions.ttlS() : null
    ].filter((end) => end !== null)
    const device: Device = {
      id, name: deviceName(name), scope, tokenHash, madeBy, createdAt: now, expiresAt: ends.length === 0 ? null : Math.min(...ends),
      lastUsedAt: null
    }
    rows.insert(device)
    return device
  }

  return {
    /** The token is told here and never again. Throws Invalid, Conflict and Forbidden. */
    async create (operator: Operator, wanted: NewDevice): Promise<{ device: Device, token: string }> {
      const maker = makerOf(operator, wanted.scope)
      assertMayBegin(wanted, maker)
      const id = newDeviceId()
      const { token, tokenHash } = newToken(id)
      return { device: await db.durably(() => insert({ ...wanted, id, madeBy: maker?.id ?? null }, tokenHash)), token }
    },

    /** A code for a device that is to fetch its token itself, and the id that it will have. Throws as `create`, and TooMany. */
    beginPairing (operator: Operator, wanted: NewDevice): { code: string, id: string, expiresAt: number } {
      const maker = makerOf(operator, wanted.scope)
      assertMayBegin(wanted, maker)
      const id = newDeviceId()
      return { id, code: pairings.begin({ ...wanted, id, madeBy: maker?.id ?? null }), expiresAt: epochSeconds(clock) + pairingAgeS }
    },

    /** The code of a pairing that nobody waits for any more. */
    endPairing (id: string): void {
      pairings.forget((wanted) => wanted.id === id)
    },

    /**
     * Exchanges a code, once: for a token, or with `as` `session` for a browser's session with the same rights and no token.
     * Throws Unauthenticated for a code that is not open, Forbidden, Conflict, and TooMany after five wrong ones in a minute.
     */
    async pair (
      code: string, { as, address, userAgent }: { as: 'token' | 'session', address?: string, userAgent?: string }
    ): Promise<{ device: Device, token: string | null, cookie: string | null }> {
      const attempt = await codes.begin(address)
      const wanted = pairings.take(code)
      if (wanted === null) {
        throw new Unauthenticated('This code is wrong, already used, or older than five minutes. Get a new one where it was shown')
      }
      attempt.succeeded()
      if (as === 'session') {
        return await db.durably(() => ({
          device: insert(wanted, null), token: null, cookie: sessions.openWithin(deviceMark(wanted.id), userAgent)
        }))
      }
      const { token, tokenHash } = newToken(wanted.id)
      return { device: await db.durably(() => insert(wanted, tokenHash)), token, cookie: null }
    },

    /** What these have begun is over. */
    forget (ids: readonly string[]): void {
      pairings.forget(({ madeBy }) => madeBy !== null && ids.includes(madeBy))
    }
  }
}
