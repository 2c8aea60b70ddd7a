import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, Forbidden, Invalid, Unauthenticated } from '../../ground/errors.js'
import { refuseMasks } from '../../ground/redaction/index.js'
import { type AuditPort } from '../audit/index.js'
import { DevicePairings, pairingAgeS } from './device-pairings.js'
import { type Device, type DeviceRows } from './device-rows.js'
import { newDeviceId, newToken } from './device-tokens.js'
import { covers, type TokenScope } from './scopes.js'
import { deviceMark } from './session-marks.js'
import { type AuthSessions, type Operator } from './sessions.js'
import { type Throttle } from './throttle.js'

/** What a new device is to be let in with. */
export interface NewDevice {
  name: string
  scope: TokenScope
  /** Seconds from now; null: until it is revoked. */
  expiresInS: number | null
}

interface Pairing extends NewDevice { id: string, madeBy: string | null }
/** A pairing ends with the sign-in that began it. */
interface BegunPairing extends Pairing { begunBy: Pick<Operator, 'via' | 'tokenHash'> }

export interface DeviceMakingOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  rows: DeviceRows
  /** Returns a device that is currently valid. */
  inForce: (id: string) => Device | undefined
  /** Does the same inside a write, and knows what earlier writes of the same commit have done. */
  storedInForce: (id: string) => Device | undefined
  sessions: Pick<AuthSessions, 'openWithin' | 'ttlS'>
  /** Whether an operator who was admitted like this still is. */
  stands: (operator: Pick<Operator, 'via' | 'tokenHash'>) => boolean
  /** Counts wrong codes by address. */
  codes: Throttle
}

const mostDevices = 100
const longestName = 80

/** Cleans a name for storage and display: one line, without invisible characters. */
export const deviceName = (typed: string): string => typed.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim().slice(0, longestName)

/** Creates devices: with a token that is shown, or with a code that the device exchanges itself. */
export function createDeviceMaking ({ db, clock, audit, rows, inForce, storedInForce, sessions, stands, codes }: DeviceMakingOptions) {
  const pairings = new DevicePairings<BegunPairing>(clock)

  /** Throws Invalid, Conflict and Forbidden. */
  function assertMayBegin ({ name, expiresInS }: NewDevice, maker: Device | null): void {
    if (deviceName(name) === '') throw new Invalid('Missing required field(s): name')
    refuseMasks('name', name, null)
    assertRoom(rows.all().length)
    if (maker?.expiresAt == null || expiresInS === null) return
    if (epochSeconds(clock) + expiresInS > maker.expiresAt) throw new Forbidden('A token cannot create a token that lasts longer than itself')
  }

  /** Returns the device that asks; null if a person does. Throws Forbidden when it may not create a device with this scope. */
  function makerOf (operator: Operator, scope: TokenScope): Device | null {
    if (operator.deviceId === undefined) return null
    const maker = inForce(operator.deviceId)
    if (maker === undefined || !covers(maker.scope, scope)) throw new Forbidden('A token cannot create a token with a wider scope')
    return maker
  }

  /**
   * Inserts a device inside a write of the caller's. Throws Forbidden if its maker has ended meanwhile, and Conflict if other devices have
   * taken the last place.
   */
  function insert ({ id, name, scope, expiresInS, madeBy }: Pairing, tokenHash: string | null): Device {
    const maker = madeBy === null ? null : storedInForce(madeBy)
    if (maker === undefined) throw hasEnded()
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

  /** Ends the pairings that fit: at once, and then records it. */
  async function end (fits: (wanted: BegunPairing) => boolean): Promise<void> {
    const ended = pairings.forget(fits)
    if (ended.length > 0) await db.durably(() => { for (const { id } of ended) audit.record('pairing.ended', { device: id }) })
  }

  return {
    /** Creates a device. Its token is returned only here. Throws Invalid, Conflict and Forbidden. */
    async create (operator: Operator, wanted: NewDevice): Promise<{ device: Device, token: string }> {
      const maker = makerOf(operator, wanted.scope)
      assertMayBegin(wanted, maker)
      const id = newDeviceId()
      const { token, tokenHash } = newToken(id)
      const device = await db.durably(() => {
        const made = insert({ ...wanted, id, madeBy: maker?.id ?? null }, tokenHash)
        audit.record('device.created', { ...recorded(made), expires_at: made.expiresAt })
        return made
      })
      return { device, token }
    },

    /**
     * Returns a code with which a device fetches its token itself, and the id that the device will have. Throws the same as `create`, and
     * TooMany.
     */
    async beginPairing (operator: Operator, wanted: NewDevice): Promise<{ code: string, id: string, expiresAt: number }> {
      const maker = makerOf(operator, wanted.scope)
      assertMayBegin(wanted, maker)
      const id = newDeviceId()
      const code = pairings.begin({ ...wanted, id, madeBy: maker?.id ?? null, begunBy: operator })
      await db.durably(() => audit.record('pairing.begun', recorded({ ...wanted, id })))
      return { id, code, expiresAt: epochSeconds(clock) + pairingAgeS }
    },

    /** Ends a pairing that nobody waits for any more. */
    endPairing: async (id: string): Promise<void> => await end((wanted) => wanted.id === id),

    /**
     * Exchanges a code, once: for a token, or with `as` `session` for a browser's session with the same rights and no token. Throws
     * Unauthenticated for a code that is not open, Forbidden if the sign-in that began it has ended, Conflict, and TooMany after five wrong
     * codes in a minute.
     */
    async pair (
      code: string, { as, address, userAgent }: { as: 'token' | 'session', address?: string, userAgent?: string }
    ): Promise<{ device: Device, token: string | null, cookie: string | null }> {
      const attempt = await codes.begin('code', address)
      const wanted = pairings.take(code)
      if (wanted === null) {
        await attempt.failed()
        throw new Unauthenticated('This code is wrong, already used, or older than five minutes. Get a new one where it was shown')
      }
      attempt.succeeded()
      const { token, tokenHash } = as === 'session' ? { token: null, tokenHash: null } : newToken(wanted.id)
      return await db.durably(() => {
        if (!stands(wanted.begunBy)) throw hasEnded()
        const device = insert(wanted, tokenHash)
        audit.record('pairing.completed', { ...recorded(device), as })
        return { device, token, cookie: as === 'session' ? sessions.openWithin(deviceMark(wanted.id), userAgent) : null }
      })
    },

    /** Ends the pairings that these devices have begun. */
    endPairingsOf: async (ids: readonly string[]): Promise<void> => await end(({ madeBy }) => madeBy !== null && ids.includes(madeBy)),

    endAllPairings: async (): Promise<void> => await end(() => true)
  }
}

/** Throws Conflict if no more devices may be added. */
function assertRoom (devices: number): void {
  if (devices >= mostDevices) throw new Conflict(`The limit of ${mostDevices} devices is reached. Revoke those that you no longer use`)
}

const hasEnded = (): Forbidden => new Forbidden('The session or token that started this pairing has ended')

/** What the audit log records of a device. */
const recorded = ({ id, name, scope }: Pick<Device, 'id' | 'name' | 'scope'>) => ({ device: id, name: deviceName(name), scope })
