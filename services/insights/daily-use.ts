import { setImmediate as nextPass } from 'node:timers/promises'
import { type Day } from '../ground/day.js'
import { isTurnKind } from '../usage/index.js'
import { type InsightRows, type PromptCount, type UseRow } from './rows.js'

/** For so long days are read before others are let in. */
const breathMs = 8
/** A year of three profiles; each day is small. */
const mostKept = 1_100
/** With more than these a new book is begun; some megabytes. */
const mostSessions = 200_000

/** A part of all use. `cost` in US dollars, as far as prices are known. */
export interface Use { turns: number, tokens: number, cost: number }

/** What one model has used on a day, and the sessions that it has answered in, by their numbers. */
export interface ModelDay {
  model: string
  turns: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** Null when none of it has a known price. */
  cost: number | null
  sessions: Uint32Array
}

/** What a session has used on a day, by its number, one column beside the other. */
interface SessionColumns { numbers: Uint32Array, turns: Uint32Array, tokens: Float64Array, cost: Float64Array }

/** A day's use, each of the lists all of it (jobs: what was used for any). */
export interface UsedDay { models: ModelDay[], kinds: ReadonlyMap<string, Use>, jobs: ReadonlyMap<string, Use>, sessions: SessionColumns, prompts: PromptCount[] }

/** `days`: one entry for each day; `numbers`: of the sessions in them, each below `sessions`. */
export interface Used { days: UsedDay[], numbers: ReadonlyMap<string, number>, sessions: number }

/**
 * What was used and asked, day by day. A day that is over, and of which nothing is still at work or unanswered, will not change any
 * more: its sums are kept in memory, so that a year costs what today costs.
 */
export class DailyUse {
  #book = emptyBook()
  #nowS = 0

  constructor (readonly rows: Pick<InsightRows, 'used' | 'prompts' | 'oldestOpen' | 'oldestPrompt'>) {}

  /** How many days are kept. */
  size (): number {
    return this.#book.kept.size
  }

  /** Keeps nothing: what is over was changed all the same. */
  forget (): void {
    this.#book = emptyBook()
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
      const within = { fromS: day.startS, toS: day.endS, profile }
      const used = usedDay(this.rows.used(within), book.numbers, this.rows.prompts(within))
      known.set(day, used)
      if (day.endS <= Math.min(nowS, this.rows.oldestOpen() ?? nowS, this.rows.oldestPrompt() ?? nowS)) keep(book, key(day), used)
    })
    return { days: days.map((day) => known.get(day)!), numbers: book.numbers, sessions: book.numbers.size }
  }
}

/** The days that are kept, and the numbers of the sessions in them: a hundred thousand names would cost more than all the rest. */
interface Book { kept: Map<string, UsedDay>, numbers: Map<string, number> }

const emptyBook = (): Book => ({ kept: new Map(), numbers: new Map() })

function keep ({ kept }: Book, key: string, used: UsedDay): void {
  if (kept.size >= mostKept) kept.delete(kept.keys().next().value!)
  kept.set(key, used)
}

function usedDay (rows: readonly UseRow[], numbers: Map<string, number>, prompts: PromptCount[]): UsedDay {
  const models = new Map<string, Omit<ModelDay, 'sessions'> & { sessions: number[] }>()
  const [kinds, jobs, sessions] = [new Map<string, Use>(), new Map<string, Use>(), new Map<number, Use>()]
  for (const row of rows) {
    const { kind, model, sessionId, jobId } = row
    const isTurn = isTurnKind(kind) || kind === 'deleted'
    const use: Use = { turns: isTurn ? row.rows : 0, tokens: row.inputTokens + row.outputTokens, cost: row.cost ?? 0 }
    const number = numbers.get(sessionId) ?? numbers.size
    numbers.set(sessionId, number)
    add(kinds, kind, { ...use, turns: row.rows })
    add(sessions, number, use)
    if (jobId !== null) add(jobs, jobId, use)
    let sum = models.get(model)
    if (sum === undefined) models.set(model, sum = { model, turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: null, sessions: [] })
    for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const) sum[key] += row[key]
    sum.turns += use.turns
    if (row.cost !== null) sum.cost = (sum.cost ?? 0) + row.cost
    if (isTurn) sum.sessions.push(number)
  }
  return { models: [...models.values()].map((sum) => ({ ...sum, sessions: Uint32Array.from(sum.sessions) })), kinds, jobs, sessions: columnsOf(sessions), prompts }
}

function columnsOf (sessions: ReadonlyMap<number, Use>): SessionColumns {
  const uses = [...sessions.values()]
  return {
    numbers: Uint32Array.from(sessions.keys()),
    turns: Uint32Array.from(uses, ({ turns }) => turns),
    tokens: Float64Array.from(uses, ({ tokens }) => tokens),
    cost: Float64Array.from(uses, ({ cost }) => cost)
  }
}

/** Adds to what a key has. */
export function add<K> (uses: Map<K, Use>, key: K, { turns, tokens, cost }: Use): void {
  const sum = uses.get(key)
  if (sum === undefined) {
    uses.set(key, { turns, tokens, cost })
    return
  }
  sum.turns += turns
  sum.tokens += tokens
  sum.cost += cost
}

/** Does something for one day after the other, and lets others in between. */
async function eachDay (days: Day[], work: (day: Day) => void): Promise<void> {
  let sinceMs = performance.now()
  for (const day of days) {
    if (performance.now() - sinceMs > breathMs) {
      await nextPass()
      sinceMs = performance.now()
    }
    work(day)
  }
}
