import { type chatFrames } from '../../../schemas/chat.js'
import { type CutShort, type RunEvent, type ToolCall } from '../../agent/protocol.js'
import { framesOf, type NewFrame } from '../../ground/events/index.js'
import { visible } from '../../ground/text/visible.js'
import { foresightToWire, type Prompts } from '../prompts/index.js'
import { CallOutputs } from './call-outputs.js'
import { type HeldBack, type OpenCalls, type StoredRun } from './recovery/stored-run.js'
import { LiveText, type Heard } from './live-text.js'
import { TurnModels } from './turn-models.js'
import { type Write } from './turn-plan.js'
import { type TurnTraces } from './turn-traces.js'
import { foldedMark, TurnWrites, type WritesOptions } from './turn-writes.js'
import { reasonOf } from '../../agent/protocol.js'

const frame = framesOf<typeof chatFrames>()

export interface FoldOptions extends WritesOptions {
  prompts: Prompts
  traces: TurnTraces | null
}

/** What stands for a call of which a run has told only the result. */
const unannounced = { name: 'tool', args: {}, preview: '' }

type Step = Extract<RunEvent, { t: 'step' }>

/** A call that is under way. */
export interface RunningCall { name: string, preview: string }

/** The same with all that was announced of it. `preview`: as its run said it; `shown`: as it is shown. */
interface BegunCall { name: string, args: ToolCall['args'], preview: string, shown: string }

/**
 * What the events of one turn come to: the text and the calls of the step that is running, and for each event the rows and
 * frames that it makes, as parts of a write.
 */
export class TurnFold {
  /** Text of the answer so far. */
  answer = ''
  /** What the last model call has said. */
  finalText = ''
  /** Why the last answer is not whole. */
  cut: CutShort | null = null
  readonly models = new TurnModels()
  /** What has been heard since the last finished step; a cancel or crash leaves it as a partial message. */
  #text = ''
  #reasoning = ''
  /** How many characters of that are in the books already, as their provider has counted them. */
  #counted = 0
  readonly #openCalls = new Map<string, ToolCall>()
  /** Calls that have begun, by their ids. */
  readonly #running = new Map<string, BegunCall>()
  readonly #live: LiveText
  readonly #outputs: CallOutputs
  readonly #writes: TurnWrites

  constructor (
    readonly turn: { streamId: string, sessionId: string, profile: string, promptsIn: string, trace: string | null },
    readonly options: FoldOptions
  ) {
    this.#live = new LiveText(options.sessions.isMasked)
    this.#outputs = new CallOutputs(options.sessions.isMasked)
    this.#writes = new TurnWrites(turn, options)
  }

  /** Takes up where a stop of the service has left off: the step that was heard in part, and the calls that have no result. */
  restore (heard: Heard, { calls, previews }: OpenCalls): void {
    this.#text = heard.text
    this.#reasoning = heard.reasoning
    this.#counted = heard.countedChars
    for (const call of calls) {
      const preview = previews?.get(call.id) ?? ''
      this.#openCalls.set(call.id, call)
      this.#running.set(call.id, { name: call.name, args: call.args, preview, shown: preview })
    }
  }

  /** Goes on with a run that has outlived a stop of the service; the model is named apart. */
  restoreRun ({ answer, finalText, told, held: { cut, models } }: StoredRun): void {
    this.answer = answer + this.#text
    this.finalText = finalText
    this.cut = cut ?? null
    for (const model of models ?? []) this.models.know(model)
    this.#live.restore(told)
    this.#outputs.restore(this.#openCalls.keys())
  }

  /** What a recovery needs to know and no frame tells, as JSON; null when there is nothing. */
  get held (): string | null {
    const { held } = this.#live
    const { usageSource } = this.options.meter
    const { others } = this.models
    const back: HeldBack = {
      ...held,
      ...(this.#counted === 0 ? {} : { counted: this.#counted }),
      ...(this.cut === null ? {} : { cut: this.cut }),
      ...(others.length === 0 ? {} : { models: others }),
      ...(usageSource === null ? {} : { source: usageSource })
    }
    return Object.keys(back).length === 0 ? null : JSON.stringify(back)
  }

  /** The calls that are under way, in the order in which they began; `preview` with credentials masked. */
  get running (): RunningCall[] {
    return [...this.#running.values()].map(({ name, shown: preview }) => ({ name, preview }))
  }

  /** Returns the arguments of a call that is under way; none for other calls. */
  argsOf (callId: string): ToolCall['args'] {
    return this.#running.get(callId)?.args ?? {}
  }

  /** Nothing more is said in this step: the frames of what was held back. */
  finish (): NewFrame[] {
    return this.#live.finish()
  }

  /** What stores what is unfinished, inside a write: the call that was broken off is counted, and what it said becomes rows. */
  unfinished (): () => void {
    const [text, reasoning, calls] = [this.#text, this.#reasoning, [...this.#openCalls.values()]]
    const book = this.#countUnfinished()
    return () => {
      book()
      this.options.rows.partial(text, reasoning, calls)
    }
  }

  /** Closes the step where it stands: what was said of it becomes a row, and what comes next is another paragraph. */
  closeStep (): Write {
    const text = this.#text
    const told = this.finish()
    const keep = this.unfinished()
    this.forget()
    return () => {
      keep()
      const segment = this.options.frames.shown('interim_assistant', { text, already_streamed: true })
      return [...told, ...(text.trim() === '' ? [] : [segment]), foldedMark]
    }
  }

  /** What was unfinished is stored. */
  forget (): void {
    this.#unhear()
    this.#openCalls.clear()
    this.#running.clear()
    this.#outputs.clear()
  }

  /** What an event makes of the turn, as parts of a write; `end` is for the owner of the turn. */
  take (event: RunEvent, actions: Write[]): void {
    const { frames, prompts, rows, store } = this.options
    const { models } = this
    const tell = (...told: NewFrame[]): void => { actions.push(() => told) }
    switch (event.t) {
      case 'end':
        return
      case 'span':
        return this.options.traces?.told(this.turn, event.said)
      case 'token':
        this.#text += event.text
        this.answer += event.text
        return this.#heard(event.text.length, this.#live.say('token', event.text), actions)
      case 'reasoning':
        this.#reasoning += event.text
        return this.#heard(event.text.length, this.#live.say('reasoning', event.text), actions)
      case 'segment':
        return tell(...this.#live.finish(), frames.shown('interim_assistant', { text: event.text, already_streamed: true }))
      case 'retracted':
        return this.#retracted(event.text ?? '', actions)
      case 'step':
        actions.push(this.#step(event))
        return
      case 'tool': {
        const { id, name, args, foresight, client } = event
        const preview = visible(this.options.sessions.shown(event.preview))
        this.#running.set(id, { name, args, preview: event.preview, shown: preview })
        return tell(frames.shown('tool', {
          event_type: 'tool.started', name, preview, args, id, tool_call_id: id, tid: id,
          ...foresightToWire(foresight), ...(client === undefined ? {} : { client })
        }))
      }
      case 'tool_output':
        return tell(...this.#outputs.say(event))
      case 'tool_complete': {
        const { name, args, preview } = this.#running.get(event.id) ?? unannounced
        this.#openCalls.delete(event.id)
        this.#running.delete(event.id)
        this.#outputs.forget(event.id)
        actions.push(this.#writes.toolComplete({ name, args, preview, ...event }))
        return
      }
      case 'ask':
        actions.push(() => {
          prompts.opened(this.turn.promptsIn, event)
          return []
        })
        return
      case 'ask_closed':
        actions.push(() => {
          prompts.settled(event.askId, event.how)
          return []
        })
        return
      case 'reworded':
        actions.push(() => {
          rows.reword(event.text)
          return []
        })
        return
      case 'steered':
        actions.push(this.#writes.steered(event.texts))
        return
      case 'todo':
        actions.push(() => frames.todos(event.todos))
        return
      case 'compressing': return tell(frame('compressing', {
        session_id: this.turn.sessionId, message: 'The conversation has become long; its earlier part is being summarised.'
      }))
      case 'compressed':
        actions.push(this.#writes.compressed(event, models.current))
        return
      case 'warning': return tell(frames.shown('warning', { type: event.kind, message: event.message, ...reasonOf(event) }))
      case 'side_usage':
        actions.push(this.#writes.aside(event.slot, event.usage, models.find(event)))
        return
      case 'attempt_used':
        this.#counted = this.#heardChars()
        actions.push(this.#writes.aside('retracted', event.usage, models.current))
        return
      case 'fallback': {
        const next = models.other(event)
        if (next === undefined) return
        models.current = next
        const told = frames.shown('warning', { type: 'fallback', message: event.message })
        actions.push(() => {
          // A turn that outlives a stop of the service goes on with the model that has answered.
          store.nameModel(this.turn.streamId, next.provider, next.id)
          return [told]
        })
      }
    }
  }

  /** Clients that replace the segment do so; for those that append, it begins a new paragraph. */
  #retracted (text: string, actions: Write[]): void {
    this.answer = this.answer.slice(0, Math.max(0, this.answer.length - this.#text.length)) + text
    this.#unhear()
    this.#text = text
    this.#heard(text.length, [this.#live.beginAnew(text)], actions)
  }

  #heard (chars: number, told: NewFrame[], actions: Write[]): void {
    const { meter, frames } = this.options
    const isTime = meter.heard(chars)
    if (told.length > 0) actions.push(() => told)
    if (!isTime) return
    const metering = frames.metering(false)
    actions.push(() => metering)
  }

  #step (event: Step): Write {
    const [text, reasoning] = [this.#text, this.#reasoning]
    this.#unhear()
    this.finalText = text
    this.cut = event.cut ?? null
    for (const call of event.toolCalls) this.#openCalls.set(call.id, call)
    return this.#writes.step(event, { text, reasoning, told: this.#live.finish() }, this.models.current)
  }

  #heardChars (): number {
    return this.#text.length + this.#reasoning.length
  }

  #unhear (): void {
    [this.#text, this.#reasoning, this.#counted] = ['', '', 0]
  }

  /** A call that was broken off mostly reports no tokens: what was heard of it is counted then. */
  #countUnfinished (): () => void {
    const heard = this.#heardChars() - this.#counted
    return heard <= 0
      ? () => {}
      : this.options.meter.countHeard(heard, this.options.sessions.get(this.turn.sessionId).lastPromptTokens, this.models.current)
  }
}
