import { epochSeconds, type Clock } from '../ground/clock.js'
import { frame, type NewFrame } from '../ground/events/index.js'
import { percent, type Sessions } from '../sessions/index.js'
import { type TurnMeter, type TurnModel } from './turn-meter.js'
import { type TurnRows } from './turn-rows.js'
import { type TurnStore } from './turn-store.js'

export interface TurnFramesOptions { sessions: Sessions, store: TurnStore, clock: Clock, meter: TurnMeter, rows: TurnRows }

/** Makes the frames of one turn that say more than their event did; those that change rows run inside the caller's transaction. */
export class TurnFrames {
  constructor (readonly turn: { streamId: string, sessionId: string }, readonly options: TurnFramesOptions) {}

  /** A frame that carries the whole session as it stands after the rows of this write. */
  session (event: string, rest: Record<string, unknown>): NewFrame {
    const session = this.options.sessions.detail(this.turn.sessionId, { messages: true, carriedBy: event })
    return { event, data: `{"session":${session.toString()},${JSON.stringify(this.options.sessions.shown(rest)).slice(1)}` }
  }

  doneFields (terminalState: string | undefined, model: TurnModel | null): Record<string, unknown> {
    const row = this.options.sessions.get(this.turn.sessionId)
    return {
      session_id: this.turn.sessionId,
      message_id: this.options.rows.finalMessageId,
      usage: this.options.meter.doneUsage(row, percent(row.cacheReadTokens, row.inputTokens), model?.id ?? null),
      ...(terminalState === undefined ? {} : { terminal_state: terminalState, terminal_reason: 'max_iterations' })
    }
  }

  /** Clients put `usage` into the gauge of the conversation they show, of which this answer is no part. */
  ephemeralFields (answer: string): Record<string, unknown> {
    return {
      session_id: this.turn.sessionId, message_id: this.options.rows.finalMessageId, ephemeral: true, answer,
      usage: { input_tokens: 0, output_tokens: 0 }
    }
  }

  metering (final: boolean): NewFrame[] {
    const metering = this.options.meter.metering(final)
    return metering === null ? [] : [frame('metering', metering)]
  }

  todos (todos: Array<{ status: string }>): NewFrame[] {
    const { streamId, sessionId } = this.turn
    const summary: Record<string, number> = { total: todos.length, pending: 0, in_progress: 0, completed: 0, cancelled: 0 }
    for (const { status } of todos) summary[status] = (summary[status] ?? 0) + 1
    const state = { session_id: sessionId, stream_id: streamId, source: 'tool', ts: this.#nowS(), todos, summary, version: 1 }
    this.options.store.setTodos(sessionId, JSON.stringify(state))
    return [frame('todo_state', this.options.sessions.shown(state))]
  }

  #nowS (): number {
    return epochSeconds(this.options.clock)
  }
}
