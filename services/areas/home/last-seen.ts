import { Type } from '@sinclair/typebox'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { createValues, type Database } from '../../ground/database/index.js'
import { Invalid } from '../../ground/errors.js'

export interface LastSeenOptions {
  db: Database
  clock: Clock
  /** Called when a person's look has been stored. */
  told: (profile: string) => void
}

const key = 'home_seen'
/** Epoch seconds by the name of a profile. */
const SeenTimes = Type.Record(Type.String(), Type.Number())

/** When a person last looked at the events of each profile, on any device. */
export function createLastSeen ({ db, clock, told }: LastSeenOptions) {
  const values = createValues(db.sqlite)
  const read = () => values.read(key, SeenTimes) ?? {}

  return {
    /** Returns epoch seconds; null if nobody has looked. */
    at: (profile: string): number | null => read()[profile] ?? null,

    /** Stores a look, now or at the given time. A time before the stored one changes nothing. Throws Invalid for a time in the future. */
    async look (profile: string, atS?: number): Promise<number> {
      const nowS = epochSeconds(clock)
      if (atS !== undefined && atS > nowS) throw new Invalid('at is in the future')
      const wanted = atS ?? nowS
      return await db.durably(() => {
        const times = read()
        const before = times[profile]
        if (before !== undefined && before >= wanted) return before
        values.set(key, { ...times, [profile]: wanted }, nowS)
        db.afterCommit(() => told(profile))
        return wanted
      })
    },

    /** Called when the profile is gone. */
    async forget (profile: string): Promise<void> {
      const { [profile]: gone, ...others } = read()
      if (gone !== undefined) await db.durably(() => values.set(key, others, epochSeconds(clock)))
    }
  }
}
