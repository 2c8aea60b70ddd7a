import { Type } from '@sinclair/typebox'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { dateAfter, localDate, wallTime } from '../../ground/time/zones.js'
import { type DigestCounts } from './folding.js'

export interface DigestOptions {
  db: Database
  clock: Clock
  /** `at` as HH:MM; empty if no digest is wanted. */
  wanted: () => { at: string, zone: () => string }
  /**
   * Counts what there is to report. What has ended counts from `sinceS` (epoch seconds, null if unknown), or from a person's last look if
   * that is later.
   */
  counts: (sinceS: number | null) => DigestCounts
  /** Adds the message to the ledger, inside a transaction. */
  tell: (counts: DigestCounts) => void
}

const key = 'push_digest'
/** The last day that had its digest, as a date in the zone of that time, and when the digest was made. */
const Told = Type.Object({ date: Type.String(), at: Type.Number() })

/** A daily message that says what has happened and what waits. */
export function createDigest ({ db, clock, wanted, counts, tell }: DigestOptions) {
  const values = createValues(db.sqlite)
  const told = () => values.read(key, Told)

  /** Returns the day whose digest is due; null if none is. */
  function due (): string | null {
    const { at, zone } = wanted()
    if (at === '') return null
    const [today = '', time = ''] = wallTime(clock.now(), zone()).split(' ')
    const last = told()?.date ?? ''
    // A clock set back by some hours must not repeat a day, and one that was years ahead must not prevent digests for years.
    return time >= at && (last < today || last > dateAfter(today, 1)) ? today : null
  }

  return {
    /** Sends the day's digest if it is due, and once a day; late if the service was not running at the time. */
    async look (): Promise<void> {
      if (due() === null) return
      await db.durably(() => {
        const date = due()
        if (date === null) return
        const found = counts(told()?.at ?? null)
        values.set(key, { date, at: epochSeconds(clock) }, epochSeconds(clock))
        if (found.ended + found.waiting > 0) tell(found)
      })
    },

    /** Called when a person has chosen another time: if it has passed today, the first digest is tomorrow's. */
    async chosen (): Promise<void> {
      const { zone } = wanted()
      await db.durably(() => {
        if (due() !== null) values.set(key, { date: localDate(clock.now(), zone()), at: epochSeconds(clock) }, epochSeconds(clock))
      })
    }
  }
}

export type Digest = ReturnType<typeof createDigest>
