import { type LanguageModelV3ToolResultPart } from '@ai-sdk/provider'
import { type Cost } from '../agent/providers/index.js'
import { type RunError, type RunEvent, type StepUsage, type ToolCall } from '../agent/protocol.js'
import { epochSeconds, type Clock } from '../clock.js'
import { type Database } from '../database/index.js'
import { frame, type EventBroker, type NewFrame } from '../events/index.js'
import { type Prompts } from '../prompts/index.js'
import { type Sessions } from '../sessions/index.js'
import { cardArgs, cardSnippet } from './tool-cards.js'

export interface TurnIdentity { streamId: string, sessionId: string, profile: string, startedAtS: number }

export interface TurnModel { provider: string, id: string, contextLength: number | null, cost: Cost | null }

export interface RecorderOptions {
  db: Database
  events: EventBroker
  sessions: Sessions
  prompts: Prompts
  clock: Clock
  /** US dollars, null when the price is unknown. */
  price: (usage: StepUsage, model: TurnModel) => number | null
  /** Called when a write was refused because a newer generation owns the stream. */
  onRefused: (error: Error) => void
}

type Step = Extract<RunEvent, { t: 'step' }>
type ToolComplete = Extract<RunEvent, { t: 'tool_complete' }>
/** Part of a write: stores rows and returns the frames that belong to them. May run twice when a batch is retried. */
type Action = () => NewFrame[]

const meteringEveryS = 1
const charsPerToken = 4

/**
 * Folds the events of one turn into message rows and frames, each batch in one transaction. What is live, what is
 * replayed and what is settled come from the same fold, so they cannot differ.
 */
export class TurnRecorder {
  /** What has been heard since the last finished step; a cancel or crash leaves it as a partial message. */
  #text = ''
  #reasoning = ''
  #answer = ''
  #openCalls = new Map<string, ToolCall>()
  #assistantPosition = -1
  #finalMessageId: string | null = null
  #usage: StepUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false }
  #lastPromptTokens: number | null = null
  #cost: number | null = null
  #firstTokenAtS: number | null = null
  #heardChars = 0
  #lastMeteringS = 0
  #model: TurnModel | null = null

  constructor (readonly turn: TurnIdentity, private generation: number, readonly options: RecorderOptions) {}

  /** Names the model once it is chosen: prices and the context window come from it. */
  useModel (model: TurnModel): void { this.#model = model }

  /** Text of the answer so far, for the title. */
  get answer (): string { return this.#answer }

  /** Takes up where a crash has left off, so that {@link failed} keeps it. */
  restore (heard: { text: string, reasoning: string }, open: { position: number, calls: ToolCall[] }): void {
    this.#text = heard.text
    this.#reasoning = heard.reasoning
    this.#assistantPosition = open.position
    for (const call of open.calls) this.#openCalls.set(call.id, call)
  }

  /** Folds a batch; `end` is for the owner of the turn. */
  apply (events: RunEvent[]): void {
    const actions: Action[] = []
    for (const event of events) this.#fold(event, actions)
    if (actions.length > 0) this.#commit(actions)
  }

  /** The answer stands: the last frames of a turn that went well. The stream is free for the next turn from here on. */
  done ({ title, steerLeftover, terminalState }: { title?: string, steerLeftover?: string, terminalState?: 'tool_limit_reached' }): void {
    this.#commit([
      () => this.#leftover(steerLeftover),
      () => this.#meteringFrame(true),
      () => title === undefined ? [] : this.#titleFrame(title),
      () => {
        this.#state('settling', terminalState ?? 'completed')
        return [this.#sessionFrame('done', this.#doneFields(terminalState))]
      }
    ])
  }

  /** Closes a settled turn, with its title when that came late. */
  end (title?: string): void {
    this.#commit([
      () => title === undefined ? [] : this.#titleFrame(title),
      () => {
        this.#state('closed')
        return [frame('stream_end', { session_id: this.turn.sessionId })]
      }
    ])
  }

  /** Keeps what was heard, says what went wrong, and closes. */
  failed (error: RunError, { terminalState = 'errored', steerLeftover }: { terminalState?: string, steerLeftover?: string } = {}): void {
    const partial = this.#partial()
    this.#commit([
      () => this.#leftover(steerLeftover),
      partial,
      () => {
        this.#append({
          role: 'assistant',
          content: `**${errorLabel(error.type)}:** ${error.message}${error.hint === undefined ? '' : `\n\n*${error.hint}*`}`,
          fields: { _error: true }
        })
        this.#state('closed', terminalState)
        return [this.#sessionFrame('apperror', {
          error: error.message,
          message: error.message,
          type: error.type,
          ...(error.hint === undefined ? {} : { hint: error.hint }),
          ...(error.type === 'interrupted' ? { recovery_control: true, stream_id: this.turn.streamId } : {}),
          session_id: this.turn.sessionId,
          terminal_state: terminalState
        })]
      }
    ])
  }

  /**
   * Frees the session at once: the partial answer is stored and the generation raised, so that whatever the run still
   * sends is refused. {@link cancelled} follows when the run has stopped.
   */
  cancel (): void {
    const partial = this.#partial()
    const { db, sessions, prompts } = this.options
    db.transaction(() => {
      partial()
      prompts.abandon(this.turn.streamId)
      this.generation++
      db.sqlite.prepare("update streams set state = 'cancelling', generation = ?, terminal_state = 'interrupted-by-user' where id = ?").run(this.generation, this.turn.streamId)
      sessions.changed('session_cancelled', this.turn.sessionId)
    }, { durable: true })
  }

  cancelled (): void {
    this.#commit([
      () => this.#leftover(),
      () => {
        this.#state('closed')
        return [this.#sessionFrame('cancel', {
          type: 'cancelled', status: 'cancelled', message: 'The turn was cancelled', session_id: this.turn.sessionId
        })]
      }
    ])
  }

  #fold (event: RunEvent, actions: Action[]): void {
    switch (event.t) {
      case 'end':
        return
      case 'token':
        this.#text += event.text
        this.#answer += event.text
        return this.#heard(event.text.length, frame('token', { text: event.text }), actions)
      case 'reasoning':
        this.#reasoning += event.text
        return this.#heard(event.text.length, frame('reasoning', { text: event.text }), actions)
      case 'interim': {
        if (!event.alreadyStreamed) {
          this.#text = ''
          this.#reasoning = ''
          this.#answer = event.text
        }
        const told = frame('interim_assistant', { text: event.text, already_streamed: event.alreadyStreamed })
        actions.push(() => [told])
        return
      }
      case 'step':
        actions.push(this.#step(event))
        return
      case 'tool': {
        const { id, name, preview, args } = event
        const told = frame('tool', { event_type: 'tool.started', name, preview, args, id, tool_call_id: id, tid: id })
        actions.push(() => [told])
        return
      }
      case 'tool_complete':
        this.#openCalls.delete(event.id)
        actions.push(this.#toolComplete(event))
        return
      case 'ask':
        actions.push(() => {
          this.options.prompts.opened(this.turn.sessionId, event)
          return []
        })
        return
      case 'ask_closed':
        actions.push(() => {
          this.options.prompts.settled(event.askId, event.how)
          return []
        })
        return
      case 'steered':
        actions.push(() => this.#steered(event.texts))
        return
      case 'todo':
        actions.push(() => this.#todos(event.todos))
        return
      case 'warning': {
        const told = frame('warning', { type: event.kind, message: event.message })
        actions.push(() => [told])
      }
    }
  }

  #heard (chars: number, told: NewFrame, actions: Action[]): void {
    const now = epochSeconds(this.options.clock)
    this.#firstTokenAtS ??= now
    this.#heardChars += chars
    actions.push(() => [told])
    if (now - this.#lastMeteringS < meteringEveryS) return
    this.#lastMeteringS = now
    const metering = this.#meteringFrame(false)
    actions.push(() => metering)
  }

  /** One model call is complete: its row, its tokens, and the mark up to where the journal is folded. */
  #step (event: Step): Action {
    const { db, sessions, clock } = this.options
    const content = this.#text
    const reasoning = this.#reasoning
    this.#text = ''
    this.#reasoning = ''
    for (const call of event.toolCalls) this.#openCalls.set(call.id, call)
    const cost = this.#model === null ? null : this.options.price(event.usage, this.#model)
    this.#count(event.usage, cost)
    const nowS = epochSeconds(clock)
    const fields: Record<string, unknown> = {}
    if (reasoning !== '') fields.reasoning = reasoning
    if (event.toolCalls.length > 0) {
      fields.tool_calls = event.toolCalls.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } }))
    } else {
      Object.assign(fields, this.#turnFields(nowS))
    }
    const usage = { ...this.#usage }
    const { streamId, sessionId, profile, startedAtS } = this.turn
    return () => {
      const stored = this.#append({ role: 'assistant', content, fields, replay: event.message })
      this.#assistantPosition = stored.position
      this.#finalMessageId = stored.messageId
      db.sqlite.prepare(
        `update sessions set input_tokens = input_tokens + ?, output_tokens = output_tokens + ?, cache_read_tokens = cache_read_tokens + ?,
           cache_write_tokens = cache_write_tokens + ?, last_prompt_tokens = ?, context_length = coalesce(?, context_length),
           estimated_cost = case when ? is null then estimated_cost else coalesce(estimated_cost, 0) + ? end where id = ?`)
        .run(event.usage.inputTokens, event.usage.outputTokens, event.usage.cacheReadTokens, event.usage.cacheWriteTokens,
          event.usage.inputTokens + event.usage.outputTokens, this.#model?.contextLength ?? null, cost, cost, sessionId)
      db.sqlite.prepare(
        `insert or replace into usage (stream_id, session_id, profile, provider, model, input_tokens, output_tokens, cache_read_tokens,
           cache_write_tokens, cost, estimated, duration_s, first_token_ms, created_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
        .run(streamId, sessionId, profile, this.#model?.provider ?? null, this.#model?.id ?? null, usage.inputTokens, usage.outputTokens,
          usage.cacheReadTokens, usage.cacheWriteTokens, this.#cost, usage.estimated ? 1 : 0, nowS - startedAtS, this.#firstTokenMs(), nowS)
      sessions.changed('session_updated', sessionId)
      return [markFolded]
    }
  }

  #toolComplete ({ id, name, preview, args, isError, durationS, result, replay }: ToolComplete): Action {
    const duration = Math.round(durationS * 1000) / 1000
    const snippet = cardSnippet(result)
    const told = frame('tool_complete', {
      event_type: 'tool.completed', name, preview: snippet, args, id, tool_call_id: id, tid: id, is_error: isError, duration, command: preview
    })
    return () => {
      this.#appendToolRow({ id, name, args }, result, isError, replay, { duration })
      return [told]
    }
  }

  #appendToolRow (call: ToolCall, content: string, isError: boolean, replay: LanguageModelV3ToolResultPart, extra: Record<string, unknown> = {}): void {
    this.#append({
      role: 'tool',
      content,
      fields: { tool_call_id: call.id, name: call.name, ...(isError ? { is_error: true } : {}), ...extra },
      replay: { role: 'tool', content: [replay] },
      card: {
        name: call.name, snippet: cardSnippet(content), tid: call.id, assistant_msg_idx: this.#assistantPosition,
        args: cardArgs(call.args), is_error: isError, done: true, ...extra
      },
      assistantPosition: this.#assistantPosition
    })
  }

  /** What a turn leaves that did not come to its end: its text so far, and results for the calls it had open. */
  #partial (): Action {
    const content = this.#text
    const reasoning = this.#reasoning
    const calls = [...this.#openCalls.values()]
    this.#text = ''
    this.#reasoning = ''
    this.#openCalls.clear()
    return () => {
      for (const call of calls) {
        const value = 'This call was interrupted before it had a result.'
        this.#appendToolRow(call, value, true, { type: 'tool-result', toolCallId: call.id, toolName: call.name, output: { type: 'error-text', value } })
      }
      if (content === '' && reasoning === '') return []
      this.#append({
        role: 'assistant',
        content,
        fields: { _partial: true, ...(reasoning === '' ? {} : { reasoning }) },
        counted: content.trim() !== '',
        ...(content.trim() === '' ? {} : { replay: { role: 'assistant', content: [{ type: 'text', text: content }] } })
      })
      return []
    }
  }

  #steered (texts: string[]): NewFrame[] {
    for (const text of texts) {
      this.#append({ role: 'user', content: text, fields: { _source: 'steer' }, replay: { role: 'user', content: [{ type: 'text', text }] } })
    }
    this.options.db.sqlite.prepare("update steers set state = 'applied' where id in (select id from steers where stream_id = ? and state = 'pending' order by id limit ?)")
      .run(this.turn.streamId, texts.length)
    this.options.sessions.changed('session_updated', this.turn.sessionId)
    return []
  }

  /** Hands back what was typed into the turn and never reached the model. */
  #leftover (text?: string): NewFrame[] {
    const { sqlite } = this.options.db
    const rows = sqlite.prepare<[string], { text: string }>("update steers set state = 'returned' where stream_id = ? and state = 'pending' returning text").all(this.turn.streamId)
    const returned = text ?? rows.map((row) => row.text).join('\n')
    return returned === '' ? [] : [frame('pending_steer_leftover', { session_id: this.turn.sessionId, text: returned })]
  }

  #todos (todos: Array<{ status: string }>): NewFrame[] {
    const { streamId, sessionId } = this.turn
    const summary: Record<string, number> = { total: todos.length, pending: 0, in_progress: 0, completed: 0, cancelled: 0 }
    for (const { status } of todos) summary[status] = (summary[status] ?? 0) + 1
    const state = { session_id: sessionId, stream_id: streamId, source: 'tool', ts: epochSeconds(this.options.clock), todos, summary, version: 1 }
    this.options.db.sqlite.prepare('update sessions set todos = ? where id = ?').run(JSON.stringify(state), sessionId)
    return [frame('todo_state', state)]
  }

  #titleFrame (title: string): NewFrame[] {
    const { sessions } = this.options
    if (!sessions.setAutomaticTitle(this.turn.sessionId, title)) return []
    return [frame('title', { session_id: this.turn.sessionId, title: sessions.get(this.turn.sessionId).title })]
  }

  #meteringFrame (final: boolean): NewFrame[] {
    if (this.#firstTokenAtS === null) return []
    const tps = this.#tokensPerSecond()
    const estimated = !final || this.#usage.estimated
    return [frame('metering', {
      tps, tps_available: tps !== null, estimated, high: null, low: null, active: final ? 0 : 1,
      ttft_ms: this.#firstTokenMs(), session_id: this.turn.sessionId
    })]
  }

  #tokensPerSecond (): number | null {
    if (this.#firstTokenAtS === null) return null
    const seconds = epochSeconds(this.options.clock) - this.#firstTokenAtS
    const tokens = this.#usage.outputTokens > 0 && !this.#usage.estimated ? this.#usage.outputTokens : this.#heardChars / charsPerToken
    return seconds < 0.05 ? null : Math.round(tokens / seconds * 10) / 10
  }

  #firstTokenMs (): number | null {
    return this.#firstTokenAtS === null ? null : Math.max(0, Math.round((this.#firstTokenAtS - this.turn.startedAtS) * 1000))
  }

  #turnFields (nowS: number): Record<string, unknown> {
    const tps = this.#tokensPerSecond()
    return {
      ...(tps === null ? {} : { _turnTps: tps }),
      _turnDuration: Math.round((nowS - this.turn.startedAtS) * 1000) / 1000,
      ...(this.#firstTokenMs() === null ? {} : { _firstTokenMs: this.#firstTokenMs() }),
      ...(this.#model === null ? {} : { _usedModel: this.#model.id })
    }
  }

  #doneFields (terminalState: string | undefined): Record<string, unknown> {
    const { sessions, clock } = this.options
    const row = sessions.get(this.turn.sessionId)
    const wire = sessions.rowToWire(row)
    const usage = {
      input_tokens: row.inputTokens,
      output_tokens: row.outputTokens,
      estimated_cost: row.estimatedCost,
      cache_read_tokens: row.cacheReadTokens,
      cache_write_tokens: row.cacheWriteTokens,
      cache_hit_percent: wire.cache_hit_percent,
      turn_cache_hit_percent: this.#usage.inputTokens === 0 || this.#usage.cacheReadTokens === 0 ? null : Math.round(this.#usage.cacheReadTokens / this.#usage.inputTokens * 100),
      duration_seconds: Math.round((epochSeconds(clock) - this.turn.startedAtS) * 1000) / 1000,
      tps: this.#tokensPerSecond(),
      ttft_ms: this.#firstTokenMs(),
      used_model: this.#model?.id ?? null,
      context_length: row.contextLength,
      threshold_tokens: row.thresholdTokens,
      last_prompt_tokens: this.#lastPromptTokens,
      post_compression_context_tokens_estimate: null
    }
    return {
      session_id: this.turn.sessionId,
      message_id: this.#finalMessageId,
      usage,
      ...(terminalState === undefined ? {} : { terminal_state: terminalState, terminal_reason: 'max_iterations' })
    }
  }

  #count (usage: StepUsage, cost: number | null): void {
    const total = this.#usage
    total.inputTokens += usage.inputTokens
    total.outputTokens += usage.outputTokens
    total.cacheReadTokens += usage.cacheReadTokens
    total.cacheWriteTokens += usage.cacheWriteTokens
    total.estimated ||= usage.estimated
    this.#lastPromptTokens = usage.inputTokens + usage.outputTokens
    if (cost !== null) this.#cost = (this.#cost ?? 0) + cost
  }

  #append (message: Parameters<Sessions['transcript']['append']>[2]) {
    const { sessions, clock } = this.options
    return sessions.transcript.append(this.turn.sessionId, epochSeconds(clock), { ...message, streamId: this.turn.streamId })
  }

  #state (state: 'settling' | 'closed', terminalState?: string): void {
    const { db, clock, prompts, sessions } = this.options
    if (state === 'closed') prompts.abandon(this.turn.streamId)
    db.sqlite.prepare('update streams set state = ?, terminal_state = coalesce(?, terminal_state), ended_at = ? where id = ? and generation = ?')
      .run(state, terminalState ?? null, epochSeconds(clock), this.turn.streamId, this.generation)
    sessions.changed('session_updated', this.turn.sessionId)
  }

  /** A frame that carries the whole session as it stands after the rows of this write. */
  #sessionFrame (event: string, rest: Record<string, unknown>): NewFrame {
    const session = this.options.sessions.detail(this.turn.sessionId, { messages: true })
    return { event, data: `{"session":${session},${JSON.stringify(rest).slice(1)}` }
  }

  #commit (actions: Action[]): void {
    const { events, db } = this.options
    const { streamId } = this.turn
    const generation = this.generation
    events.commit(streamId, generation, () => {
      const frames: NewFrame[] = []
      for (const action of actions) {
        for (const entry of action()) {
          if (entry === markFolded) {
            db.sqlite.prepare('update streams set settled_seq = last_seq + ? where id = ? and generation = ?').run(frames.length, streamId, generation)
          } else frames.push(entry)
        }
      }
      return frames
    }, this.options.onRefused)
  }
}

/** Stands among the frames of a write for "everything before this is in message rows". */
const markFolded: NewFrame = { event: '', data: '' }

function errorLabel (type: string): string {
  const labels: Record<string, string> = {
    rate_limit: 'Rate limit',
    quota_exhausted: 'Quota used up',
    auth_mismatch: 'Not accepted',
    model_not_found: 'Model not found',
    no_response: 'No answer',
    interrupted: 'Interrupted'
  }
  return labels[type] ?? 'Error'
}
