import { type AgentRuntime } from '../../agent/index.js'
import { type ClarifyAsk } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { after } from '../../ground/concurrency/after.js'
import { type Database } from '../../ground/database/index.js'
import { type PromptCards } from './cards.js'
import { type Expiries } from './expiries.js'
import { type PromptEnd, type PromptRow, type PromptRows } from './rows.js'

export interface QuestionTimeOptions {
  db: Database
  clock: Clock
  agent: Pick<AgentRuntime, 'control'>
  rows: PromptRows
  expiries: Expiries
  cards: Pick<PromptCards, 'publish'>
  /** Ends a prompt, if it is still open; called inside a transaction. */
  closeOpen: (id: string, state: PromptEnd) => void
}

/**
 * The time limit of questions. It runs only while a person could see them: it starts when a client is connected, and starts afresh with the
 * next client after the last has gone. After a start of the service no client is connected yet.
 */
export class QuestionTime {
  #isSomebodyThere = false
  /** Functions that stop the timers of questions whose time is running. */
  readonly #passing = new Map<string, () => void>()

  constructor (readonly options: QuestionTimeOptions) {}

  /** Returns when a question that is asked now expires, in epoch seconds; null: not known yet, or never. */
  expiryOf ({ timeoutS }: Pick<ClarifyAsk, 'timeoutS'>): number | null {
    return this.#isSomebodyThere && timeoutS > 0 ? epochSeconds(this.options.clock) + timeoutS : null
  }

  /** Called when a question was asked, or is asked again after a restart. */
  begin (row: Pick<PromptRow, 'id' | 'sessionId' | 'streamId' | 'expiresAt'>): void {
    const { clock, expiries } = this.options
    if (row.expiresAt === null) return
    const leftMs = Math.max(0, (row.expiresAt - epochSeconds(clock)) * 1_000)
    expiries.begin(row.id, row.expiresAt * 1_000)
    this.#passing.get(row.id)?.()
    this.#passing.set(row.id, after(leftMs, () => { void this.#unanswered(row) }))
  }

  end (id: string): void {
    this.#passing.get(id)?.()
    this.#passing.delete(id)
  }

  stop (): void {
    for (const id of [...this.#passing.keys()]) this.end(id)
  }

  /** Called when the first client has connected, or the last has gone. Resolves when the open questions are updated. */
  async somebodyThere (isSomebodyThere: boolean): Promise<void> {
    this.#isSomebodyThere = isSomebodyThere
    await this.review()
  }

  /** Updates the times of all open questions to whether a client is connected. To be called after a start, and now and then. */
  async review (): Promise<void> {
    const { db, rows, cards } = this.options
    const changed = rows.everyOpen().map(({ prompt }) => prompt).filter((row) => row.kind === 'clarify')
      .filter((row) => this.#isTimedHere(row) && !this.#isInLine(row))
    if (changed.length === 0) return
    const timed = changed.map((row) => ({ ...row, expiresAt: this.expiryOf(row.body) }))
    await db.durably(() => { for (const { id, expiresAt } of timed) rows.setExpiry(id, expiresAt) })
    for (const row of timed) {
      if (this.#isSomebodyThere) this.begin(row)
      else {
        this.end(row.id)
        this.options.expiries.end(row.id)
      }
      cards.publish(row.sessionId, row.kind)
    }
  }

  /** Hosts of an earlier release measure the time themselves, and report when it is over. */
  #isTimedHere ({ id, body }: Extract<PromptRow, { kind: 'clarify' }>): boolean {
    return body.timeoutS > 0 && (this.#passing.has(id) || !this.options.expiries.has(id))
  }

  /** A time in a row from before a restart has no timer. */
  #isInLine ({ id, expiresAt }: PromptRow): boolean {
    return this.#isSomebodyThere ? this.#passing.has(id) : expiresAt === null
  }

  async #unanswered ({ id, sessionId, streamId }: Pick<PromptRow, 'id' | 'sessionId' | 'streamId'>): Promise<void> {
    const { db, agent, rows, closeOpen } = this.options
    const profile = rows.profileOf(sessionId)
    const ack = profile === undefined
      ? null
      : await agent.control(profile, { op: 'unanswered', runId: streamId, askId: id }).catch(() => null)
    // The run closes a prompt that it has taken. A run that cannot be told now is told at the next review.
    if (ack?.result === 'stale') db.soonest(() => closeOpen(id, 'expired'))
    else if (ack?.result !== 'applied') this.#passing.delete(id)
  }
}
