import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Forbidden, Invalid, NotFound, Unauthenticated } from '../ground/errors.js'
import { Listeners, type Heard } from '../ground/listeners.js'
import { DevicePairings, pairingAgeS } from './device-pairings.js'
import { createDeviceRows, type Device } from './device-rows.js'
import { deviceIdOf, isTokenOf, newDeviceId, newToken } from './device-tokens.js'
import { covers, type TokenScope } from './scopes.js'
import { deviceMark, type AuthSessions, type Operator } from './sessions.js'
import { type Throttle } from './throttle.js'

export interface DeviceEvents {
  /** These are let in no more; what they have open is to end. */
  revoked (ids: readonly string[]): void
}

/** What somebody wants a device to be let in with. */
export interface NewDevice {
  name: string
  scope: TokenScope
  /** How long from now, in seconds; null: until it is revoked. */
  expiresInS: number | null
}

interface Pairing extends NewDevice { id: string, madeBy: string | null }

export interface DevicesOptions {
  db: Database
  clock: Clock
  sessions: Pick<AuthSessions, 'openWithin' | 'removeOfDevice' | 'ttlS'>
  /** Count wrong tokens and wrong codes by address, apart from sign-ins and from each other. */
  throttles: { tokens: Throttle, codes: Throttle }
  log: (message: string, details: Record<string, unknown>) => void
}

const mostDevices = 100
const longestName = 80
const useNotedEveryS = 60

/**
 * Devices: scripts, apps and browsers that are let in with a scope of their own, by a token or, in a browser, by a session
 * that ends with its device. None may do more than who has let it in, and none outlives that one.
 */
export function createDevices ({ db, clock, sessions, throttles, log }: DevicesOptions) {
  const rows = createDeviceRows(db)
  const pairings = new DevicePairings<Pairing>(clock)
  const listeners = new Listeners<DeviceEvents>((event, error) => log('what follows from a revoked device went wrong', { event, reason: String(error) }))
  /** When the use of each was last written down. */
  const noted = new Map<string, number>()

  const isOver = ({ expiresAt }: Device): boolean => expiresAt !== null && expiresAt <= epochSeconds(clock)
  const inForce = (id: string): Device | undefined => {
    const device = rows.get(id)
    return device === undefined || isOver(device) ? undefined : device
  }

  /** Throws Invalid, Conflict and Forbidden. */
  function assertMayBegin ({ name, expiresInS }: NewDevice, maker: Device | null): void {
    if (name.trim() === '') throw new Invalid('Missing required field(s): name')
    assertRoom(rows.all().length)
    if (maker?.expiresAt == null || expiresInS === null) return
    if (epochSeconds(clock) + expiresInS > maker.expiresAt) throw new Forbidden('A token cannot make one that lasts longer than itself')
  }

  function assertRoom (devices: number): void {
    if (devices >= mostDevices) throw new Conflict(`There are ${mostDevices} devices: revoke those that are not used any more`)
  }

  /** The device that asks; null: a person does. Throws Forbidden when it may not let in a device with this scope. */
  function makerOf (operator: Operator, scope: TokenScope): Device | null {
    if (operator.deviceId === undefined) return null
    const maker = inForce(operator.deviceId)
    if (maker === undefined || !covers(maker.scope, scope)) throw new Forbidden('A token cannot make one that may do more than itself')
    return maker
  }

  /** Inside a write of the caller's. Throws Forbidden when who has let it in is gone meanwhile, and Conflict when others have taken the last place. */
  function insert ({ id, name, scope, expiresInS, madeBy }: Pairing, tokenHash: string | null): Device {
    const maker = madeBy === null ? null : inForce(madeBy)
    if (maker === undefined) throw new Forbidden('Who has begun this is let in no more')
    assertRoom(rows.count())
    const now = epochSeconds(clock)
    const ends = [expiresInS === null ? null : now + expiresInS, maker?.expiresAt ?? null, tokenHash === null ? now + sessions.ttlS() : null].filter((end) => end !== null)
    const device: Device = { id, name: name.trim().slice(0, longestName), scope, tokenHash, madeBy, createdAt: now, expiresAt: ends.length === 0 ? null : Math.min(...ends), lastUsedAt: null }
    rows.insert(device)
    return device
  }

  /** A device, and all that it has let in, and so on. */
  function withDescendants (id: string): string[] {
    return [id, ...rows.all().filter(({ madeBy }) => madeBy === id).flatMap((child) => withDescendants(child.id))]
  }

  /** The ids of those that are gone now. */
  async function remove (ids: readonly string[]): Promise<string[]> {
    const gone = await db.durably(() => ids.filter((id) => {
      sessions.removeOfDevice(id)
      return rows.remove(id)
    }))
    pairings.forget(({ madeBy }) => madeBy !== null && gone.includes(madeBy))
    for (const id of gone) noted.delete(id)
    listeners.emit('revoked', gone)
    return gone
  }

  return {
    on: listeners.on.bind(listeners) as Heard<DeviceEvents>['on'],
    list: (): Device[] => rows.all(),
    isOver,
    isInForce: (id: string): boolean => inForce(id) !== undefined,
    scopeOf: (id: string): TokenScope | undefined => inForce(id)?.scope,

    /** Who is behind a token; null when it is mistyped, revoked or over. */
    find (token: string): Operator | null {
      const id = deviceIdOf(token)
      const device = id === null ? undefined : inForce(id)
      if (!isTokenOf(token, device?.tokenHash ?? null) || device === undefined) return null
      return { via: 'token', tokenHash: `device:${device.id}`, csrfToken: '', deviceId: device.id, scope: device.scope }
    },

    /** Counts a wrong token against an address. Throws TooMany (with `retryAfterS`) after five in a minute; a right one is taken all the same. */
    async countWrong (address: string | undefined): Promise<void> {
      await throttles.tokens.begin(address)
    },

    /** Written down once a minute at most; a use that is lost with a crash is no harm. */
    noteUse (id: string): void {
      const now = epochSeconds(clock)
      const last = noted.get(id) ?? rows.get(id)?.lastUsedAt ?? 0
      if (now - last < useNotedEveryS && now >= last) return
      noted.set(id, now)
      db.enqueue({ write: () => { rows.use(id, now) } })
    },

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
    async pair (code: string, { as, address, userAgent }: { as: 'token' | 'session', address?: string, userAgent?: string }): Promise<{ device: Device, token: string | null, cookie: string | null }> {
      const attempt = await throttles.codes.begin(address)
      const wanted = pairings.take(code)
      if (wanted === null) throw new Unauthenticated('This code is wrong, was used, or is older than five minutes. Begin again where it was shown')
      attempt.succeeded()
      if (as === 'session') {
        return await db.durably(() => ({ device: insert(wanted, null), token: null, cookie: sessions.openWithin(deviceMark(wanted.id), userAgent) }))
      }
      const { token, tokenHash } = newToken(wanted.id)
      return { device: await db.durably(() => insert(wanted, tokenHash)), token, cookie: null }
    },

    /** Throws Invalid and NotFound. */
    async rename (id: string, name: string): Promise<void> {
      const wanted = name.trim().slice(0, longestName)
      if (wanted === '') throw new Invalid('Missing required field(s): name')
      if (!await db.durably(() => rows.rename(id, wanted))) throw new NotFound('There is no such token')
    },

    /** Ends a device, and those that it has let in: the ids of all that ended. What they have open ends at once. Throws NotFound. */
    async revoke (id: string): Promise<string[]> {
      const gone = await remove(withDescendants(id))
      if (gone.length === 0) throw new NotFound('There is no such token')
      return gone
    },

    revokeAll: (): Promise<string[]> => remove(rows.all().map(({ id }) => id))
  }
}
export type Devices = ReturnType<typeof createDevices>
