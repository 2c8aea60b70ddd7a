import ipaddr from 'ipaddr.js'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { TooMany } from '../../ground/errors.js'

const windowS = 60
const failuresAllowed = 5

/**
 * Counts failed sign-ins by address in a sliding window; the counts are rows, so they survive a restart. `kind` sets a count
 * of its own apart from that of the sign-ins.
 */
export function createThrottle ({ db, clock, kind = '' }: { db: Database, clock: Clock, kind?: string }) {
  // A row from the future was written before the clock was set back; it would lock its address out until then.
  const forgetOld = db.sqlite.prepare<[number, number]>('delete from login_attempts where failed_at <= ? or failed_at > ?')
  const recent = db.sqlite.prepare<[string], number>('select failed_at from login_attempts where address = ? order by failed_at').pluck()
  const count = db.sqlite.prepare<[string, number]>('insert into login_attempts (address, failed_at) values (?, ?)')
  const withdraw = db.sqlite.prepare<[number | bigint]>('delete from login_attempts where id = ?')
  const clear = db.sqlite.prepare<[string]>('delete from login_attempts where address = ?')

  return {
    /**
     * Counts an attempt as failed before anything slow is done about it, so that attempts sent side by side cannot
     * slip through. Throws TooMany (with `retryAfterS`) when the address has used up its attempts.
     */
    async begin (address?: string) {
      const counted = `${kind}${countedAddress(address)}`
      const id = await db.durably(() => {
        const now = epochSeconds(clock)
        forgetOld.run(now - windowS, now + windowS)
        const failures = recent.all(counted)
        const first = failures[failures.length - failuresAllowed]
        if (first !== undefined) {
          throw new TooMany('Too many attempts. Try again in a minute.', undefined, { retryAfterS: Math.ceil(first + windowS - now) })
        }
        return count.run(counted, now).lastInsertRowid
      })
      return {
        succeeded: (): void => db.enqueue({ write: () => { clear.run(counted) } }),
        /** The attempt came to no verdict, so it counts for nothing. */
        abandoned: (): void => db.enqueue({ write: () => { withdraw.run(id) } })
      }
    }
  }
}
export type Throttle = ReturnType<typeof createThrottle>

/**
 * One subscriber usually has a whole IPv6 /64, so that is what counts as one address. A client that has hung up has
 * none any more; all of those count as one too.
 */
export function countedAddress (address = ''): string {
  if (!ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return `${new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`
}
