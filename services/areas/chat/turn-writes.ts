import { type chatFrames } from '../../../schemas/chat.js'
import { type CutShort, type RunEvent, type StepUsage } from '../../agent/protocol.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { type Listeners } from '../../ground/listeners.js'
import { cardSnippet, type Sessions } from '../sessions/index.js'
import { type CallKind, type UsageLog } from '../usage/index.js'
import { type CallEvents } from './call-events.js'
import { type TurnStore } from './rows.js'
import { cutToWire, type TurnFrames } from './turn-frames.js'
import { type TurnMeter, type TurnModel } from './turn-meter.js'
import { type Write } from './turn-plan.js'
import { type TurnRows } from './turn-rows.js'

const frame = framesOf<typeof chatFrames>()

/** Marks the place in the frames of a write before which everything is in message rows. */
export const foldedMark: NewFrame = { event: '', data: '' }

export interface WritesOptions {
  sessions: Sessions
  store: TurnStore
  meter: TurnMeter
  usageLog: Pick<UsageLog, 'addToolCall'>
  rows: TurnRows
  frames: TurnFrames
  listeners: Pick<Listeners<CallEvents>, 'emit'>
}

type Of<Kind extends RunEvent['t']> = Extract<RunEvent, { t: Kind }>

/** Returns the writes for complete parts of a run (a step, a result, a summary, a steered text): rows, usage, and frames. */
export class TurnWrites {
  constructor (readonly turn: { streamId: string, sessionId: string, profile: string }, readonly options: WritesOptions) {}

  /** Writes a finished model call: its row, its usage, and the mark up to which the journal is folded. `told`: frames held back so far. */
  step (
    { message, toolCalls, usage, cut, told: source }: Of<'step'>, { text, reasoning, told }: { text: string, reasoning: string, told: NewFrame[] },
    model: TurnModel | null
  ): Write {
    const { sessions, meter, rows } = this.options
    const book = source !== undefined ? meter.countTold(usage, source, model) : usage === null ? () => [] : meter.count(usage, model)
    const fields = {
      ...(reasoning === '' ? {} : { reasoning }),
      ...cutToWire(cut),
      ...(toolCalls.length === 0 ? meter.rowFields(model) : {})
    }
    const frames = [...told, ...this.#cutShort(cut)]
    return () => {
      rows.assistant(text, toolCalls, fields, message)
      const budgets = book()
      sessions.changed('session_updated', this.turn.sessionId)
      return [...frames, foldedMark, ...this.#budgets(budgets)]
    }
  }

  toolComplete ({ id, name, preview, args, isError, durationS, result }: Required<Of<'tool_complete'>>): Write {
    const { sessions, frames, rows, usageLog, listeners } = this.options
    const duration = Math.round(durationS * 1000) / 1000
    const snippet = cardSnippet(result)
    const told = frames.shown('tool_complete', {
      event_type: 'tool.completed', name, preview: snippet, args, id, tool_call_id: id, tid: id, is_error: isError, duration,
      command: preview
    })
    return () => {
      rows.tool({ id, name, args }, result, { isError, duration })
      usageLog.addToolCall({ profile: this.turn.profile, tool: name, isError, durationS: duration })
      listeners.emit('called', this.turn, { name, args, isError })
      sessions.changed('session_updated', this.turn.sessionId)
      return [told]
    }
  }

  /** Writes a summary, which replaces earlier rows for the model; the rows stay. */
  compressed ({ summary, keptRows, tokensBefore, tokensAfter, usage }: Of<'compressed'>, model: TurnModel | null): Write {
    const { sessions, meter } = this.options
    const { sessionId } = this.turn
    const book = meter.count(usage, model)
    return () => {
      const budgets = book()
      sessions.transcript.compress(sessionId, { summary, keptRows, contextTokens: tokensAfter })
      sessions.changed('session_compressed', sessionId)
      return [frame('compressed', {
        session_id: sessionId, old_session_id: sessionId, new_session_id: sessionId, continuation_session_id: sessionId,
        message: `The earlier part of the conversation was summarised: about ${tokensBefore} tokens became ${tokensAfter}.`,
        usage: { context_tokens_before: tokensBefore, post_compression_context_tokens_estimate: tokensAfter }
      }), ...this.#budgets(budgets)]
    }
  }

  /** Writes the usage of a model call that is not part of the answer. */
  aside (kind: CallKind, usage: StepUsage, model: TurnModel | null): Write {
    const book = this.options.meter.countAside(kind, usage, model)
    return () => this.#budgets(book())
  }

  steered (texts: string[]): Write {
    const { sessions, store, rows } = this.options
    return () => {
      for (const text of texts) {
        rows.steer(text)
        store.applySteer(this.turn.streamId, text)
      }
      sessions.changed('session_updated', this.turn.sessionId)
      return []
    }
  }

  /** Returns the frame that says why an answer is incomplete; none for a budget, because the turn says that itself. */
  #cutShort (cut: CutShort | undefined): NewFrame[] {
    return cut === undefined || cut.reason === 'budget_exhausted'
      ? []
      : [this.options.frames.shown('warning', { type: 'cut_short', message: `${cut.message} ${cut.hint}` })]
  }

  /** Returns the frames of warnings about budgets. */
  #budgets (messages: string[]): NewFrame[] {
    return messages.map((message) => this.options.frames.shown('warning', { type: 'budget', message }))
  }
}
