import { type Day } from '../../ground/time/day.js'
import { breathing, type Breathe } from './breathing.js'
import { type InsightRows, type PromptCount, type Within } from './rows.js'
import { DaySums, Numbers, type UsedDay, type WholeDay } from './used-day.js'

/** Limits the cache to some ten megabytes: each session of a day weighs 1, and each day has a weight of its own. */
const mostKept = 1_000_000
const ofDay = 100
/** With more sessions than this, the cache is begun again; some megabytes. */
const mostSessions = 200_000

/** `days`: one entry for each day; sessions and tools appear in them by their numbers. */
export interface UseByDay { days: WholeDay[], sessions: Numbers, tools: Numbers }

type Rows = Pick<InsightRows, 'used' | 'usedUpTo' | 'prompts' | 'promptsUpTo' | 'tools' | 'runs' | 'oldestOpen' | 'oldestPrompt'>

/**
 * Use and prompts, day by day. A past day in which no turn is running and no prompt is unanswered no longer changes. Its sums are cached in
 * memory, so that a year costs no more than today.
 */
export class DailyUse {
  #book = emptyBook()
  #nowS = 0

  constructor (readonly rows: Rows) {}

  /** Called when sessions have been deleted, and their prompts and turns with them. */
  forget (): void {
    // A new book, because a reader that is running would put what it read earlier into this one.
    const { days, sessions, tools } = this.#book
    this.#book = { ...emptyBook(), sessions, tools }
    for (const [key, day] of days) if (!day.isByTurns) keep(this.#book, key, day)
  }

  /** Returns the use of each day. `profile` null: of all profiles. */
  async of (days: readonly Day[], profile: string | null, nowS: number, breathe: Breathe = breathing()): Promise<UseByDay> {
    // After the clock was set back, days that seemed to be over may still get turns.
    if (nowS < this.#nowS || this.#book.sessions.size > mostSessions) this.#book = emptyBook()
    this.#nowS = nowS
    // A reader keeps the book that it began with, because the numbers belong to that book.
    const book = this.#book
    const settledS = Math.min(nowS, this.rows.oldestOpen() ?? nowS)
    const answeredS = Math.min(nowS, this.rows.oldestPrompt() ?? nowS)
    const whole: WholeDay[] = []
    for (const day of days) {
      const key = `${profile ?? ''}\0${day.startS}\0${day.endS}`
      let used = book.days.get(key)
      if (used === undefined) {
        used = await this.#usedOn(day, profile, book, breathe)
        if (day.endS <= settledS) keep(book, key, used)
      }
      let prompts = book.prompts.get(key)
      if (prompts === undefined) {
        prompts = await this.#promptsOn(day, profile, breathe)
        // Cached only for cached days, so that there are never more of them than of days.
        if (day.endS <= answeredS && book.days.has(key)) book.prompts.set(key, prompts)
      }
      whole.push({ ...used, prompts })
    }
    return { days: whole, sessions: book.sessions, tools: book.tools }
  }

  async #usedOn ({ date, startS, endS }: Day, profile: string | null, { sessions, tools }: Book, breathe: Breathe): Promise<UsedDay> {
    const sums = new DaySums()
    const day = { fromS: startS, toS: endS, profile }
    for await (const within of portions(day, this.rows.usedUpTo, breathe)) sums.add(this.rows.used(within), sessions)
    const used = sums.whole(this.rows.tools(date, profile), this.rows.runs(date, profile), tools)
    await breathe()
    return used
  }

  async #promptsOn ({ startS, endS }: Day, profile: string | null, breathe: Breathe): Promise<PromptCount[]> {
    const counts: PromptCount[] = []
    const day = { fromS: startS, toS: endS, profile }
    for await (const within of portions(day, this.rows.promptsUpTo, breathe)) counts.push(...this.rows.prompts(within))
    return counts
  }
}

/** The cached days with their prompts, their total weight, and the numbers that appear in them. */
interface Book { days: Map<string, UsedDay>, prompts: Map<string, PromptCount[]>, weight: number, sessions: Numbers, tools: Numbers }

const emptyBook = (): Book => ({ days: new Map(), prompts: new Map(), weight: 0, sessions: new Numbers(), tools: new Numbers() })

const weightOf = ({ sessions, tools }: UsedDay): number => ofDay + sessions.numbers.length + tools.numbers.length

function keep (book: Book, key: string, used: UsedDay): void {
  const { days, prompts } = book
  // Two readers may have read the day at the same time.
  if (days.has(key)) return
  days.set(key, used)
  book.weight += weightOf(used)
  for (const [oldest, day] of days) {
    if (book.weight <= mostKept) break
    days.delete(oldest)
    prompts.delete(oldest)
    book.weight -= weightOf(day)
  }
}

/**
 * Splits a time into parts with a portion of rows each, oldest first, and lets other work run in between. Rows that are written meanwhile
 * may be missing, and are included in the next answer.
 */
async function * portions (within: Within, upTo: (within: Within) => number, breathe: Breathe): AsyncGenerator<Within> {
  for (let { fromS } = within; fromS < within.toS;) {
    await breathe()
    const toS = upTo({ ...within, fromS })
    yield { ...within, fromS, toS }
    fromS = toS
  }
}
