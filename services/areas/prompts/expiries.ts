import { epochSeconds, monotonicMs, type Clock } from '../../ground/clock.js'
import { type PromptRow } from './rows.js'

/** Clocks are adjusted by small steps all the time. */
const clockToleranceS = 2

/** When open prompts expire, by a clock that nobody sets. What a row says is for people, and for the next start of the service. */
export class Expiries {
  readonly #deadlinesMs = new Map<string, number>()

  constructor (readonly clock: Clock) {}

  /** `expiresAtMs`: epoch milliseconds; null: never. */
  begin (id: string, expiresAtMs: number | null): void {
    if (expiresAtMs !== null) this.#deadlinesMs.set(id, monotonicMs(this.clock) + expiresAtMs - this.clock.now())
  }

  has (id: string): boolean { return this.#deadlinesMs.has(id) }

  end (id: string): void {
    this.#deadlinesMs.delete(id)
  }

  /** Forgets those that are open no more. */
  keepOnly (ids: ReadonlySet<string>): void {
    for (const id of this.#deadlinesMs.keys()) if (!ids.has(id)) this.#deadlinesMs.delete(id)
  }

  /** Epoch seconds; null: never. As long as it is open here, so much time is left as has not passed, whatever the wall clock was set to. */
  of (row: Pick<PromptRow, 'id' | 'expiresAt'>): number | null {
    const deadlineMs = this.#deadlinesMs.get(row.id)
    if (row.expiresAt === null || deadlineMs === undefined) return row.expiresAt
    const expiresAt = epochSeconds(this.clock) + (deadlineMs - monotonicMs(this.clock)) / 1000
    return Math.abs(expiresAt - row.expiresAt) < clockToleranceS ? row.expiresAt : expiresAt
  }
}
