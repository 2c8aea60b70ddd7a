import { isTurnKind } from '../usage/index.js'
import { type JobRuns, type PromptCount, type ToolSum, type UseRow } from './rows.js'
import { present } from '../../ground/present.js'

/** A part of all use. `cost` is in US dollars, as far as prices are known. */
export interface Use { turns: number, tokens: number, cost: number }

/** The use of a model on a day, and the numbers of the sessions that it answered in. */
export interface ModelDay {
  model: string
  turns: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** null if none of it has a known price. */
  cost: number | null
  sessions: Uint32Array
}

/** The use of sessions on a day, as columns: the session's number, and its sums. */
interface SessionColumns { numbers: Uint32Array, turns: Uint32Array, tokens: Float64Array, cost: Float64Array }

/** The calls of tools on a day, as columns with the tool's number, in the order of names. */
interface ToolColumns { numbers: Uint32Array, calls: Float64Array, failures: Float64Array, seconds: Float64Array }

/** The use of a day. Each list covers all of it (jobs: only what was used for one). */
export interface UsedDay {
  models: ModelDay[]
  kinds: ReadonlyMap<string, Use>
  jobs: ReadonlyMap<string, Use>
  sessions: SessionColumns
  tools: ToolColumns
  runs: readonly JobRuns[]
  /** Whether the kind of some of it is known only from its turns, which are deleted with their conversations. */
  isByTurns: boolean
}

/** A day's use together with its prompts. */
export interface WholeDay extends UsedDay { prompts: readonly PromptCount[] }

/** Gives names numbers from 0 on: a hundred thousand names in every day would cost more than everything else. */
export class Numbers {
  readonly #numbers = new Map<string, number>()
  readonly #names: string[] = []

  get size (): number {
    return this.#names.length
  }

  of (name: string): number {
    let number = this.#numbers.get(name)
    if (number === undefined) {
      this.#numbers.set(name, number = this.#names.length)
      this.#names.push(name)
    }
    return number
  }

  /** Returns undefined for a name without a number. */
  find (name: string): number | undefined {
    return this.#numbers.get(name)
  }

  name (number: number): string {
    return present(this.#names[number], 'the name of a number')
  }
}

/** Sums up the rows of a day, portion by portion. */
export class DaySums {
  readonly #models = new Map<string, Omit<ModelDay, 'sessions'> & { sessions: Set<number> }>()
  readonly #kinds = new Map<string, Use>()
  readonly #jobs = new Map<string, Use>()
  readonly #sessions = new Map<number, Use>()
  #isByTurns = false

  /** `sessions` assigns the numbers of sessions. */
  add (rows: readonly UseRow[], sessions: Numbers): void {
    for (const row of rows) {
      const { kind, model, jobId } = row
      const isTurn = isTurnKind(kind) || kind === 'deleted'
      const use: Use = { turns: isTurn ? row.rows : 0, tokens: row.inputTokens + row.outputTokens, cost: row.cost ?? 0 }
      const number = sessions.of(row.sessionId)
      add(this.#kinds, kind, { ...use, turns: row.rows })
      add(this.#sessions, number, use)
      if (jobId !== null) add(this.#jobs, jobId, use)
      if (row.isByTurn === 1) this.#isByTurns = true
      let sum = this.#models.get(model)
      if (sum === undefined) {
        this.#models.set(model, sum = {
          model, turns: 0, inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, cost: null, sessions: new Set()
        })
      }
      for (const key of ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens'] as const) sum[key] += row[key]
      sum.turns += use.turns
      if (row.cost !== null) sum.cost = (sum.cost ?? 0) + row.cost
      if (isTurn) sum.sessions.add(number)
    }
  }

  /** Returns the sums. `names` assigns the numbers of tools. */
  whole (tools: readonly ToolSum[], runs: readonly JobRuns[], names: Numbers): UsedDay {
    const uses = [...this.#sessions.values()]
    return {
      models: [...this.#models.values()].map((sum) => ({ ...sum, sessions: Uint32Array.from(sum.sessions) })),
      kinds: this.#kinds,
      jobs: this.#jobs,
      sessions: {
        numbers: Uint32Array.from(this.#sessions.keys()),
        turns: Uint32Array.from(uses, ({ turns }) => turns),
        tokens: Float64Array.from(uses, ({ tokens }) => tokens),
        cost: Float64Array.from(uses, ({ cost }) => cost)
      },
      tools: {
        numbers: Uint32Array.from(tools, ({ tool }) => names.of(tool)),
        calls: Float64Array.from(tools, ({ calls }) => calls),
        failures: Float64Array.from(tools, ({ failures }) => failures),
        seconds: Float64Array.from(tools, ({ durationS }) => durationS)
      },
      runs,
      isByTurns: this.#isByTurns
    }
  }
}

/** Adds a use to that of a key. */
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
