import { type Day } from '../../ground/day.js'
import { breathing, type Breathe } from './breathing.js'
import { type InsightRows, type PromptCount, type Within } from './rows.js'
import { DaySums, Numbers, type UsedDay, type WholeDay } from './used-day.js'

/** What is kept weighs no more than some ten megabytes: a session of a day is 1, and a day has something of its own. */
const mostKept = 1_000_000
const ofDay = 100
/** With more than these a new book is begun; some megabytes. */
const mostSessions = 200_000

/** `days`: one entry for each day; the sessions and tools in them stand there by their numbers. */
export interface Used { days: WholeDay[], sessions: Numbers, tools: Numbers }

type Rows = Pick<InsightRows, 'used' | 'usedUpTo' | 'prompts' | 'promptsUpTo' | 'tools' | 'runs' | 'oldestOpen' | 'oldestPrompt'>

/**
 * What was used and asked, day by day. A day that is over, and of which nothing is still at work or unanswered, will not change any
 * more: its sums are kept in memory, so that a year costs what today costs.
 */
export class DailyUse {
  #book = emptyBook()
  #nowS = 0

  constructor (readonly rows: Rows) {}

  /** Sessions are gone, and with them their prompts and turns. */
  forget (): void {
    // Another book, as whoever reads just now would put into this one what it has read before.
    const { days, sessions, tools } = this.#book
    this.#book = { ...emptyBook(), sessions, tools }
    for (const [key, day] of days) if (!day.isByTurns) keep(this.#book, key, day)
  }

  /** `profile` null: of all. */
  async of (days: readonly Day[], profile: string | null, nowS: number, breathe: Breathe = breathing()): Promise<Used> {
    // A clock that was set back may have turns yet in days that seemed to be over.
    if (nowS < this.#nowS || this.#book.sessions.size > mostSessions) this.#book = emptyBook()
    this.#nowS = nowS
    // Whoever has begun with a book stays with it, as its numbers are its own.
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
        // Kept beside its day, so that there are never more of them than of days.
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

/** The days that are kept, what they weigh, and the numbers in them. */
interface Book { days: Map<string, UsedDay>, prompts: Map<string, PromptCount[]>, weight: number, sessions: Numbers, tools: Numbers }

const emptyBook = (): Book => ({ days: new Map(), prompts: new Map(), weight: 0, sessions: new Numbers(), tools: new Numbers() })

const weightOf = ({ sessions, tools }: UsedDay): number => ofDay + sessions.numbers.length + tools.numbers.length

function keep (book: Book, key: string, used: UsedDay): void {
  const { days, prompts } = book
  // Two may have read it at the same time.
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
 * The parts of a time in which a portion of rows lies each, the oldest first, with others let in between. What is written
 * meanwhile, after the last part was begun or before it, belongs to the next answer.
 */
async function * portions (within: Within, upTo: (within: Within) => number, breathe: Breathe): AsyncGenerator<Within> {
  for (let { fromS } = within; fromS < within.toS;) {
    await breathe()
    const toS = upTo({ ...within, fromS })
    yield { ...within, fromS, toS }
    fromS = toS
  }
}
