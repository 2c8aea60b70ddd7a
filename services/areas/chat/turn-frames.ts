import { type Static } from '@sinclair/typebox'
import { type Cancelled, type chatFrames, type Done, type DoneOnTheSide, type Failed } from '../../../schemas/chat.js'
import { type CutShort, type GoodEnd, type TodoItem } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { jsonText } from '../../ground/text/json.js'
import { percent, type Sessions } from '../sessions/index.js'
import { type TurnMeter, type TurnModel } from './turn-meter.js'
import { type TurnRows } from './turn-rows.js'
import { type TurnStore } from './rows.js'

const frame = framesOf<typeof chatFrames>()

/** What the frames that carry the session say beside it. */
type Beside<Frame extends { session: unknown }> = Omit<Frame, 'session'>
interface SessionFrames {
  done: Beside<Static<typeof Done>> | Beside<Static<typeof DoneOnTheSide>>
  cancel: Beside<Static<typeof Cancelled>>
  apperror: Beside<Static<typeof Failed>>
}

const reasons = { tool_limit_reached: 'max_iterations', budget_exhausted: 'budget', client_calls: 'client_calls' } as const satisfies Record<GoodEnd, string>

export interface TurnFramesOptions { sessions: Sessions, store: TurnStore, clock: Clock, meter: TurnMeter, rows: TurnRows }

/** Makes the frames of one turn that say more than their event did; those that change rows run inside the caller's transaction. */
export class TurnFrames {
  constructor (readonly turn: { streamId: string, sessionId: string }, readonly options: TurnFramesOptions) {}

  /** A frame as it is shown: with credentials masked, unless the settings say otherwise. */
  shown<Event extends keyof typeof chatFrames> (event: Event, data: Static<typeof chatFrames[Event]>): NewFrame {
    return frame(event, this.options.sessions.shown(data))
  }

  /** The same for what was typed: whoever may type gets it as it was. */
  handedBack<Event extends keyof typeof chatFrames> (event: Event, data: Static<typeof chatFrames[Event]>): NewFrame {
    const shown = this.shown(event, data)
    const { data: plain } = frame(event, data)
    return shown.data === plain ? shown : { ...shown, plain }
  }

  /** A frame that carries the whole session as it stands after the rows of this write. */
  session<Event extends keyof SessionFrames> (event: Event, rest: SessionFrames[Event], framesBefore: number): NewFrame {
    const { streamId, sessionId } = this.turn
    const session = this.options.sessions.detail(sessionId, { messages: true, carriedBy: { streamId, event, framesBefore } })
    return { event, data: `{"session":${session.toString()},${jsonText(this.options.sessions.shown(rest)).slice(1)}` }
  }

  doneFields (terminalState: GoodEnd | undefined, model: TurnModel | null, cut: CutShort | null): SessionFrames['done'] {
    const row = this.options.sessions.get(this.turn.sessionId)
    return {
      session_id: this.turn.sessionId,
      message_id: this.options.rows.finalMessageId,
      usage: this.options.meter.doneUsage(row, percent(row.cacheReadTokens, row.inputTokens), model),
      ...(terminalState === undefined ? {} : { terminal_state: terminalState, terminal_reason: reasons[terminalState] }),
      ...cutToWire(cut)
    }
  }

  /** Clients put `usage` into the gauge of the conversation they show, of which this answer is no part. */
  ephemeralFields (answer: string, cut: CutShort | null): SessionFrames['done'] {
    return {
      session_id: this.turn.sessionId, message_id: this.options.rows.finalMessageId, ephemeral: true, answer,
      usage: { input_tokens: 0, output_tokens: 0 },
      ...cutToWire(cut)
    }
  }

  metering (final: boolean): NewFrame[] {
    const metering = this.options.meter.metering(final)
    return metering === null ? [] : [frame('metering', metering)]
  }

  todos (todos: TodoItem[]): NewFrame[] {
    const { streamId, sessionId } = this.turn
    const summary = { total: todos.length, pending: 0, in_progress: 0, completed: 0, cancelled: 0 }
    for (const { status } of todos) summary[status]++
    const state = { session_id: sessionId, stream_id: streamId, source: 'tool' as const, ts: this.#nowS(), todos, summary, version: 1 }
    this.options.sessions.rows.setTodos(sessionId, jsonText(state))
    return [frame('todo_state', this.options.sessions.shown(state))]
  }

  #nowS (): number {
    return epochSeconds(this.options.clock)
  }
}

/** What a row and the last frame say of an answer that is not whole. */
export function cutToWire (cut: CutShort | null | undefined) {
  return cut === null || cut === undefined ? {} : { finish_reason: cut.reason, hint: cut.hint }
}
