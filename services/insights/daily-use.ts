import { setImmediate as nextPass } from 'node:timers/promises'
import { type Day } from '../ground/day.js'
import { type InsightRows, type ModelUse } from './rows.js'

/** So many days are read before others are let in: some milliseconds where a day has hundreds of turns. */
const daysAtOnce = 8
/** A year of three profiles; each day is small. */
const mostKept = 1_100
/** With more than these a new book is begun; some megabytes. */
const mostSessions = 200_000

/** What one model has used on a day, and for which sessions, by their numbers. */
export interface ModelDay extends Omit<ModelUse, 'sessionId'> { sessions: Uint32Array }

/** `days`: one entry for each day; `sessions`: every number of a session is below it. */
export interface Used { days: ModelDay[][], sessions: number }

/**
 * What was used, day by day. A day that is over and in which no turn is still at work will not change any more: its sums
 * are kept in memory, one for each model, so that a year costs what today costs.
 */
export class DailyUse {
  #book = emptyBook()
  #nowS = 0

  constructor (readonly rows: Pick<InsightRows, 'used' | 'oldestOpen'>) {}

  /** How many days are kept. */
  size (): number {
    return this.#book.kept.size
  }

  /** `profile` null: of all. */
  async of (days: Day[], profile: string | null, nowS: number): Promise<Used> {
    // A clock that was set back may have turns yet in days that seemed to be over.
    if (nowS < this.#nowS || this.#book.numbers.size > mostSessions) this.#book = emptyBook()
    this.#nowS = nowS
    // Whoever has begun with a book stays with it, as its numbers are its own.
    const book = this.#book
    const key = ({ startS, endS }: Day): string => `${profile ?? ''}\0${startS}\0${endS}`
    const known = new Map(days.map((day) => [day, book.kept.get(key(day))]))
    await eachDay(days.filter((day) => known.get(day) === undefined), (day) => {
      const use = byModel(this.rows.used({ fromS: day.startS, toS: day.endS, profile }), book.numbers)
      known.set(day, use)
      if (day.endS <= Math.min(nowS, this.rows.oldestOpen() ?? nowS)) keep(book, key(day), use)
    })
    return { days: days.map((day) => known.get(day) ?? []), sessions: book.numbers.size }
  }
}

/** The days that are kept, and the numbers of the sessions in them: a hundred thousand names would cost more than all the rest. */
interface Book { kept: Map<string, ModelDay[]>, numbers: Map<string, number> }

const emptyBook = (): Book => ({ kept: new Map(), numbers: new Map() })

function keep ({ kept }: Book, key: string, use: ModelDay[]): void {
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
  kept.set(key, use)
}

function byModel (uses: readonly ModelUse[], numbers: Map<string, number>): ModelDay[] {
  const models = new Map<string, Omit<ModelDay, 'sessions'> & { sessions: number[] }>()
  for (const { sessionId, ...use } of uses) {
    const number = numbers.get(sessionId) ?? numbers.size
    numbers.set(sessionId, number)
    const sum = models.get(use.model)
    if (sum === undefined) {
      models.set(use.model, { ...use, sessions: [number] })
      continue
    }
    for (const key of ['turns', 'inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const) sum[key] += use[key]
    if (use.cost !== null) sum.cost = (sum.cost ?? 0) + use.cost
    sum.sessions.push(number)
  }
  return [...models.values()].map((sum) => ({ ...sum, sessions: Uint32Array.from(sum.sessions) }))
}

/** Does something for one day after the other, and lets others in between. */
export async function eachDay (days: Day[], work: (day: Day) => void): Promise<void> {
  for (const [index, day] of days.entries()) {
    if (index % daysAtOnce === daysAtOnce - 1) await nextPass()
    work(day)
  }
}
