import ipaddr from 'ipaddr.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { TooMany } from '../../ground/errors.js'
import { type AuditDetails } from '../../../schemas/audit.js'
import { type AuditPort } from '../audit/index.js'

const windowS = 60
const failuresAllowed = 5
/** How many entries the audit log gets per window, for all addresses together. */
const mostRecorded = 100

export interface ThrottleOptions {
  db: Database
  clock: Clock
  audit: AuditPort
  /** Separates this count from that of the sign-ins. */
  kind?: string
}

type Method = AuditDetails<'auth.sign_in'>['method']

/** Counts failed sign-ins by address in a sliding window; the counts are rows, so they survive a restart. */
export function createThrottle ({ db, clock, audit, kind = '' }: ThrottleOptions) {
  // A row from the future was written before the clock was set back; it would lock out its address until then.
  const forgetOld = db.sqlite.prepare<[number, number]>('delete from login_attempts where failed_at <= ? or failed_at > ?')
  const recent = db.sqlite.prepare<[string], number>('select failed_at from login_attempts where address = ? order by failed_at').pluck()
  const count = db.sqlite.prepare<[string, number]>('insert into login_attempts (address, failed_at) values (?, ?)')
  const withdraw = db.sqlite.prepare<[number | bigint]>('delete from login_attempts where id = ?')
  const clear = db.sqlite.prepare<[string]>('delete from login_attempts where address = ?')

  const recorded = { sinceS: 0, entries: 0 }

  /** The last entry that a window allows is recorded as throttled: attempts from many addresses must not fill the audit log. */
  function record (method: Method, outcome: 'failed' | 'throttled'): void {
    const now = epochSeconds(clock)
    if (now < recorded.sinceS || now >= recorded.sinceS + windowS) Object.assign(recorded, { sinceS: now, entries: 0 })
    if (++recorded.entries > mostRecorded) return
    audit.record('auth.sign_in', { method, session: null }, recorded.entries === mostRecorded ? 'throttled' : outcome)
  }

  /** An address that keeps trying is recorded once in a window. */
  function recordThrottled (method: Method, counted: string, now: number): void {
    if (recent.get(`throttled ${counted}`) !== undefined) return
    count.run(`throttled ${counted}`, now)
    record(method, 'throttled')
  }

  return {
    /**
     * Counts an attempt as failed before any slow work, so that parallel attempts cannot slip through. Throws TooMany (with `retryAfterS`)
     * when the address has used up its attempts.
     */
    async begin (method: Method, address?: string) {
      const counted = `${kind}${countedAddress(address)}`
      const begun = await db.durably(() => {
        const now = epochSeconds(clock)
        forgetOld.run(now - windowS, now + windowS)
        const failures = recent.all(counted)
        const first = failures[failures.length - failuresAllowed]
        if (first === undefined) return { id: count.run(counted, now).lastInsertRowid }
        recordThrottled(method, counted, now)
        return { retryAfterS: Math.ceil(first + windowS - now) }
      })
      if ('retryAfterS' in begun) throw new TooMany('Too many attempts. Try again in a minute.', undefined, begun)
      return {
        succeeded: (): void => db.enqueue({ write: () => { clear.run(counted) } }),
        /** The attempt was refused. It is recorded when this resolves, unless there are too many. */
        failed: (): Promise<void> => db.durably(() => record(method, 'failed')),
        /** The attempt had no result, so it does not count. */
        abandoned: (): void => db.enqueue({ write: () => { withdraw.run(begun.id) } })
      }
    }
  }
}
export type Throttle = ReturnType<typeof createThrottle>

/**
 * One subscriber usually has a whole IPv6 /64, so that counts as one address. A client that has disconnected has no address any more; all
 * of those count as one too.
 */
export function countedAddress (address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
