import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Invalid, NotFound } from '../../ground/errors.js'
import { Listeners } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { asSaved } from '../../ground/redaction/index.js'
import { type AuditPort } from '../audit/index.js'
import { createDeviceMaking, deviceName, type DeviceMakingOptions } from './device-making.js'
import { createDeviceRows, type Device } from './device-rows.js'
import { deviceIdOf, isTokenOf } from './device-tokens.js'
import { type TokenScope } from './scopes.js'
import { type AuthSessions, type Operator } from './sessions.js'
import { type Throttle } from './throttle.js'

export interface DeviceEvents {
  /** These are no longer let in; their open connections have to end. */
  revoked (ids: readonly string[]): void
}

export interface DevicesOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  sessions: Pick<AuthSessions, 'openWithin' | 'removeOfDevice' | 'ttlS'>
  stands: DeviceMakingOptions['stands']
  /** Count wrong tokens and wrong codes by address, separately from sign-ins and from each other. */
  throttles: { tokens: Throttle, codes: Throttle }
  log: Log
}

const useNotedEveryS = 60

/**
 * Manages devices: scripts, apps and browsers that are let in with a scope of their own, by a token or, in a browser, by a session that
 * ends with its device. A device may do no more than the one that created it, and does not outlive it.
 */
export function createDevices ({ db, clock, audit, sessions, stands, throttles, log }: DevicesOptions) {
  const rows = createDeviceRows(db)
  const listeners = new Listeners<DeviceEvents>((event, error) =>
    log('a listener failed after a device was revoked', { event, reason: String(error) }))
  /** When the use of each device was last stored. */
  const noted = new Map<string, number>()

  const isOver = ({ expiresAt }: Device): boolean => expiresAt !== null && expiresAt <= epochSeconds(clock)
  const unlessOver = (device: Device | undefined): Device | undefined => device === undefined || isOver(device) ? undefined : device
  const inForce = (id: string): Device | undefined => unlessOver(rows.get(id))

  const making = createDeviceMaking({
    db, clock, audit, rows, inForce, sessions, stands, codes: throttles.codes,
    storedInForce: (id) => unlessOver(rows.stored().find((device) => device.id === id))
  })

  /**
   * Removes the devices that `chosen` picks of all, and returns their ids. It picks when the writes before this one are done: a device that
   * was being paired meanwhile is among them.
   */
  async function remove (chosen: (devices: readonly Device[]) => readonly Device[]): Promise<string[]> {
    const gone = await db.durably(() => chosen(rows.stored()).map(({ id, name, scope }) => {
      sessions.removeOfDevice(id)
      rows.remove(id)
      audit.record('device.revoked', { device: id, name, scope })
      return id
    }))
    const ending = making.endPairingsOf(gone)
    for (const id of gone) noted.delete(id)
    listeners.emit('revoked', gone)
    await ending
    return gone
  }

  return {
    on: listeners.on,
    list: (): Device[] => rows.all(),
    isOver,
    create: making.create,
    beginPairing: making.beginPairing,
    endPairing: making.endPairing,
    pair: making.pair,
    isInForce: (id: string): boolean => inForce(id) !== undefined,
    nameOf: (id: string): string | null => rows.get(id)?.name ?? null,
    scopeOf: (id: string): TokenScope | undefined => inForce(id)?.scope,

    /** Returns the operator for a token; null if it is mistyped, revoked or expired. */
    find (token: string): Operator | null {
      const id = deviceIdOf(token)
      const device = id === null ? undefined : inForce(id)
      if (!isTokenOf(token, device?.tokenHash ?? null) || device === undefined) return null
      return { via: 'token', tokenHash: `device:${device.id}`, csrfToken: '', deviceId: device.id, scope: device.scope }
    },

    /**
     * Counts a wrong token against an address. Throws TooMany (with `retryAfterS`) after five in a minute; a right one is still accepted.
     */
    async countWrong (address: string | undefined): Promise<void> {
      const attempt = await throttles.tokens.begin('token', address)
      await attempt.failed()
    },

    /** Stored at most once a minute; losing a use in a crash does no harm. */
    noteUse (id: string): void {
      const now = epochSeconds(clock)
      const last = noted.get(id) ?? rows.get(id)?.lastUsedAt ?? 0
      if (now - last < useNotedEveryS && now >= last) return
      noted.set(id, now)
      db.enqueue({ write: () => { rows.use(id, now) } })
    },

    /** Throws Invalid and NotFound. */
    async rename (id: string, name: string): Promise<void> {
      const wanted = deviceName(asSaved('name', name, rows.get(id)?.name ?? null))
      if (wanted === '') throw new Invalid('Missing required field(s): name')
      await db.durably(() => {
        if (!rows.rename(id, wanted)) throw new NotFound('Token not found')
        audit.record('device.renamed', { device: id, name: wanted })
      })
    },

    /**
     * Revokes a device, and those that it has created. Their open connections end at once. Returns the ids of all that ended. Throws
     * NotFound.
     */
    async revoke (id: string): Promise<string[]> {
      const gone = await remove((devices) => withDescendants(id, devices))
      if (gone.length === 0) throw new NotFound('Token not found')
      return gone
    },

    /** Revokes all devices, and the codes by which others could still be paired. */
    async revokeAll (): Promise<string[]> {
      await making.endAllPairings()
      return await remove((devices) => devices)
    }
  }
}

/** Returns a device, all devices that it has created, and so on; nothing if it does not exist. */
function withDescendants (id: string, devices: readonly Device[]): Device[] {
  return devices.filter((device) => device.id === id)
    .flatMap((device) => [device, ...devices.filter(({ madeBy }) => madeBy === id).flatMap((child) => withDescendants(child.id, devices))])
}

export type Devices = ReturnType<typeof createDevices>
