import { type AgentRuntime } from '../../agent/index.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { Conflict, RelayFailed } from '../../ground/errors.js'
import { type Expiries } from './expiries.js'
import { type PromptEnd, type PromptRow, type PromptRows } from './rows.js'

export interface DeliveryOptions {
  db: Database
  clock: Clock
  agent: Pick<AgentRuntime, 'control'>
  rows: PromptRows
  expiries: Expiries
  /** Ends a prompt, if it is still open; called inside a transaction. */
  closeOpen: (id: string, state: PromptEnd) => void
}

/** `relayed`: whether the run is on another machine. */
export interface Delivered { outcome: 'taken' | 'refused', relayed?: true }

/** Delivers answers to runs: claims the prompt, tells the run, and closes the card once the run has acknowledged. */
export class AnswerDelivery {
  /** Answers that are being delivered: a second answer waits for the outcome of the first. */
  readonly #underWay = new Map<string, Promise<unknown>>()

  constructor (readonly options: DeliveryOptions) {}

  /**
   * Answers `row`; `kept` runs in the transaction that closes it, when the run has taken the answer. Returns null when it is no longer
   * open, for instance because another device was faster. Throws Conflict and RelayFailed when the run cannot be told.
   */
  async answer (row: PromptRow, value: string, kept: () => void = () => {}): Promise<Delivered | null> {
    const { db, clock, rows, expiries, closeOpen } = this.options
    for (let before = this.#underWay.get(row.id); before !== undefined; before = this.#underWay.get(row.id)) await before.catch(() => {})
    const profile = rows.profileOf(row.sessionId)
    const isExpired = (expiries.of(row) ?? Infinity) <= epochSeconds(clock)
    if (profile === undefined || isExpired) return null
    const delivery = this.#deliver(row, profile, value)
    this.#underWay.set(row.id, delivery)
    try {
      const delivered = await delivery
      // The session may have been deleted in the meantime, with all its rows.
      if (delivered === null || rows.find(row.id) === undefined) return null
      const isTaken = delivered.outcome === 'taken'
      // The run has the answer and continues: if the disk refuses the write now, it is repeated later.
      db.soonest(() => {
        closeOpen(row.id, isTaken ? 'answered' : 'expired')
        if (isTaken) kept()
      })
      return delivered
    } finally {
      this.#underWay.delete(row.id)
    }
  }

  /** Refused: the run no longer wants the answer. Returns null when another answer was faster. */
  async #deliver (row: PromptRow, profile: string, value: string): Promise<Delivered | null> {
    const { db, agent, rows } = this.options
    if (!await db.durably(() => rows.claim(row.id, value))) return null
    try {
      const ack = await agent.control(profile, { op: 'answer', runId: row.streamId, askId: row.id, value })
      const relayed = ack.relayed === true ? { relayed: true as const } : {}
      if (ack.result === 'applied') return { outcome: 'taken', ...relayed }
      if (ack.result === 'stale') return { outcome: 'refused', ...relayed }
      if (ack.result === 'not_running') {
        throw new Conflict('The run that asked this can no longer be reached', 'gateway_run_unavailable', { ok: false })
      }
      throw new RelayFailed('The agent did not accept the answer; the question stays open', 'gateway_approval_relay_failed', { ok: false })
    } catch (error) {
      db.soonest(() => rows.release(row.id))
      throw error
    }
  }
}
