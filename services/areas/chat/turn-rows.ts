import { resultPart, type ModelMessage, type RunError, type ToolCall } from '../../agent/protocol.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { cardArgs, cardSnippet, type MessageFields, type NewMessage, type Sessions, type StoredMessage } from '../sessions/index.js'

const interruptedText = 'This call was interrupted before it had a result.'

/** Writes the transcript rows of one turn; every method runs inside the caller's transaction. */
export class TurnRows {
  /** Position of the row with the calls of the running step; -1 before the first step. */
  assistantPosition = -1
  /** Positions of the rows with calls that have no result yet. Calls of another maker's agent may overlap. */
  readonly #positions = new Map<string, number>()
  /** Restores the state before a restart of the service. */
  restore (assistantPosition: number, positions: Iterable<[string, number]>): void {
    this.assistantPosition = assistantPosition
    for (const [callId, position] of positions) this.#positions.set(callId, position)
  }

  /** Id of the row with the turn's answer. */
  finalMessageId: string | null = null

  constructor (readonly turn: { streamId: string, sessionId: string }, readonly options: { sessions: Sessions, clock: Clock }) {}

  /** Stores the text of one model call, and the tool calls that it made. */
  assistant (content: string, toolCalls: ToolCall[], fields: MessageFields, replay: ModelMessage): void {
    const stored = this.#append({
      role: 'assistant',
      content,
      fields: { ...fields, ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCallToWire) }) },
      replay
    })
    this.assistantPosition = stored.position
    for (const { id } of toolCalls) this.#positions.set(id, stored.position)
    this.finalMessageId = stored.messageId
  }

  /** Stores the result of a call. */
  tool (call: ToolCall, content: string, { isError, ...more }: { isError: boolean, duration?: number }): void {
    const position = this.#positions.get(call.id) ?? this.assistantPosition
    this.#positions.delete(call.id)
    this.#append({
      role: 'tool',
      content,
      fields: { tool_call_id: call.id, name: call.name, ...(isError ? { is_error: true } : {}), ...more },
      replay: { role: 'tool', content: [resultPart(call, content, isError)] },
      card: {
        name: call.name, snippet: cardSnippet(content), tid: call.id, assistant_msg_idx: position,
        args: cardArgs(call.args), is_error: isError, done: true, ...more
      },
      assistantPosition: position
    })
  }

  /** Stores the result of a call of the previous turn, which the client program has run. */
  result (call: ToolCall, position: number, text: string): void {
    this.#positions.set(call.id, position)
    this.tool(call, text, { isError: false })
  }

  /** Stores what an interrupted turn leaves: results for its open calls, and the text so far. */
  partial (content: string, reasoning: string, openCalls: ToolCall[]): void {
    for (const call of openCalls) this.tool(call, interruptedText, { isError: true })
    if (content === '' && reasoning === '') return
    const isEmpty = content.trim() === ''
    this.#append({
      role: 'assistant',
      content,
      fields: { _partial: true, ...(reasoning === '' ? {} : { reasoning }) },
      counted: !isEmpty,
      ...(isEmpty ? {} : { replay: { role: 'assistant', content: [{ type: 'text', text: content }] } })
    })
  }

  /** Stores an error for the user. Models never see it. */
  error ({ type, message, hint, about }: RunError): void {
    this.#append({
      role: 'assistant',
      content: `**${errorLabels[type] ?? 'Error'}:** ${message}${hint === undefined ? '' : `\n\n*${hint}*`}`,
      fields: { _error: true, ...(about !== undefined && { _errorAbout: about }) }
    })
  }

  /** Sets the text that models read from now on instead of the turn's message. */
  reword (text: string): void {
    this.options.sessions.transcript.reword(this.turn.sessionId, this.turn.streamId, { role: 'user', content: [{ type: 'text', text }] })
  }

  /** Stores a text that the user sent to the running turn. */
  steer (text: string): void {
    this.#append({ role: 'user', content: text, fields: { _source: 'steer' }, replay: { role: 'user', content: [{ type: 'text', text }] } })
  }

  #append (message: NewMessage): StoredMessage {
    const { sessions, clock } = this.options
    return sessions.transcript.append(this.turn.sessionId, epochSeconds(clock), { ...message, streamId: this.turn.streamId })
  }
}

const errorLabels: Record<string, string> = {
  rate_limit: 'Rate limit',
  quota_exhausted: 'Quota used up',
  auth_mismatch: 'Not accepted',
  model_not_found: 'Model not found',
  mode_not_allowed: 'Not allowed',
  no_response: 'No answer',
  answer_too_large: 'Answer too long',
  interrupted: 'Interrupted'
}

/** Returns the type and the sentence of an error as `error` stores it; the type is null if the text names none. */
export function storedError (content: string): { type: string | null, message: string } {
  const [, label = '', message = content] = /^\*\*([^*\n]+):\*\* ([\s\S]*?)(?:\n\n\*[\s\S]+)?$/.exec(content) ?? []
  return { type: Object.keys(errorLabels).find((type) => errorLabels[type] === label) ?? null, message }
}

function toolCallToWire ({ id, name, args }: ToolCall) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } }
}
