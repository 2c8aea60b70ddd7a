import { setImmediate as nextPass } from 'node:timers/promises'
import { type Day } from './period.js'
import { type InsightRows, type ModelUse } from './rows.js'

/** So many days are read before others are let in: some milliseconds where a day has hundreds of turns. */
const daysAtOnce = 8
/** A year of three profiles; each day is small. */
const mostKept = 1_100

/**
 * What was used, day by day. A day that is over and in which no turn is still at work will not change any more: its sums
 * are kept in memory, so that a year costs what today costs.
 */
export class DailyUse {
  readonly #kept = new Map<string, ModelUse[]>()
  #nowS = 0

  constructor (readonly rows: Pick<InsightRows, 'used' | 'oldestOpen'>) {}

  /** How many days are kept. */
  size (): number {
    return this.#kept.size
  }

  /** One entry for each day. `profile` null: of all. */
  async of (days: Day[], profile: string | null, nowS: number): Promise<ModelUse[][]> {
    // A clock that was set back may have turns yet in days that seemed to be over.
    if (nowS < this.#nowS) this.#kept.clear()
    this.#nowS = nowS
    const key = ({ startS, endS }: Day): string => `${profile ?? ''}\0${startS}\0${endS}`
    const known = new Map(days.map((day) => [day, this.#kept.get(key(day))]))
    await eachDay(days.filter((day) => known.get(day) === undefined), (day) => {
      const use = this.rows.used({ fromS: day.startS, toS: day.endS, profile })
      known.set(day, use)
      if (day.endS <= Math.min(nowS, this.rows.oldestOpen() ?? nowS)) this.#keep(key(day), use)
    })
    return days.map((day) => known.get(day) ?? [])
  }

  #keep (key: string, use: ModelUse[]): void {
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value!)
    this.#kept.set(key, use)
  }
}

/** Does something for one day after the other, and lets others in between. */
export async function eachDay (days: Day[], work: (day: Day) => void): Promise<void> {
  for (const [index, day] of days.entries()) {
    if (index % daysAtOnce === daysAtOnce - 1) await nextPass()
    work(day)
  }
}
