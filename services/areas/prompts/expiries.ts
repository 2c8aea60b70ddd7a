import { epochSeconds, monotonicMs, type Clock } from '../../ground/time/clock.js'
import { type PromptRow } from './rows.js'

/** The system adjusts clocks by small steps all the time. */
const clockToleranceS = 2

/** When open prompts expire, by a monotonic clock. The time in a row is for people, and for the next start of the service. */
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

  /** Forgets prompts that are no longer open. */
  keepOnly (ids: ReadonlySet<string>): void {
    for (const id of this.#deadlinesMs.keys()) if (!ids.has(id)) this.#deadlinesMs.delete(id)
  }

  /**
   * Returns epoch seconds; null: never. While the prompt is open, the remaining time depends only on elapsed time, whatever the wall clock
   * was set to.
   */
  of (row: Pick<PromptRow, 'id' | 'expiresAt'>): number | null {
    const deadlineMs = this.#deadlinesMs.get(row.id)
    if (row.expiresAt === null || deadlineMs === undefined) return row.expiresAt
    const expiresAt = epochSeconds(this.clock) + (deadlineMs - monotonicMs(this.clock)) / 1000
    return Math.abs(expiresAt - row.expiresAt) < clockToleranceS ? row.expiresAt : expiresAt
  }
}
