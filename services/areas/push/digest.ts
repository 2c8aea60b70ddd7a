import { Type } from '@sinclair/typebox'
import { epochSeconds, type Clock } from '../../ground/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { dateAfter, localDate, wallTime } from '../../ground/zones.js'
import { type DigestCounts } from './folding.js'

export interface DigestOptions {
  db: Database
  clock: Clock
  /** `at` as HH:MM, empty: no digest is wanted. */
  wanted: () => { at: string, zone: () => string }
  /** What there is to say; what ended counts from a moment on, in epoch seconds, or where that is null, from the last look. */
  counts: (sinceS: number | null) => DigestCounts
  /** Puts the message into the ledger, inside a transaction. */
  tell: (counts: DigestCounts) => void
}

const key = 'push_digest'
/** The day that had its digest, in the zone of then, and when that was. */
const Told = Type.Object({ date: Type.String(), at: Type.Number() })

/** One message a day that says what happened and what waits. */
export function createDigest ({ db, clock, wanted, counts, tell }: DigestOptions) {
  const values = createValues(db.sqlite)
  const told = () => values.read(key, Told)

  /** The day whose digest is due; null: none is. */
  function due (): string | null {
    const { at, zone } = wanted()
    if (at === '') return null
    const [today = '', time = ''] = wallTime(clock.now(), zone()).split(' ')
    const last = told()?.date ?? ''
    // A clock that was put back by some hours brings no day again; one that was years ahead ends none for years.
    return time >= at && (last < today || last > dateAfter(today, 1)) ? today : null
  }

  return {
    /** Tells what there is to say, once a day; also late, where the service was not there at the time. */
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

    /** Somebody has chosen another time: where that has passed today, tomorrow is the first day. */
    async chosen (): Promise<void> {
      const { zone } = wanted()
      await db.durably(() => {
        if (due() !== null) values.set(key, { date: localDate(clock.now(), zone()), at: epochSeconds(clock) }, epochSeconds(clock))
      })
    }
  }
}

export type Digest = ReturnType<typeof createDigest>
