import { type ClientWishes } from '../../agent/protocol.js'
import { statusOf, type AnswerEnd } from './answer.js'
import { itemOfCall, itemOfMessage, type SaidCall } from './calls.js'
import { type KeptResponse, type Standing } from './kept-responses.js'

export type ResponseAbout = Omit<KeptResponse, 'parts'> & { isStored?: boolean }

/** The value of lists that are always empty here. */
const none: [] = []

/** A turn in the form of `POST /v1/responses`. */
export function responseToWire (about: ResponseAbout, { status, text, end, error }: Standing) {
  return {
    id: about.id,
    object: 'response' as const,
    created_at: Math.floor(about.startedAtS),
    status,
    background: about.isBackground,
    error: error ?? null,
    incomplete_details: status === 'incomplete'
      ? { reason: end?.finish === 'content_filter' ? 'content_filter' as const : 'max_output_tokens' as const }
      : null,
    instructions: about.instructions,
    max_output_tokens: null,
    model: end?.model ?? about.model,
    output: text === undefined ? [] : outputOf(about, status, text, end),
    previous_response_id: about.previousId,
    reasoning: { effort: null, summary: null },
    store: about.isStored ?? true,
    temperature: null,
    ...wishesToWire(about.wishes),
    top_p: null,
    truncation: 'auto' as const,
    usage: end === undefined
      ? null
      : {
          input_tokens: end.usage.input,
          input_tokens_details: { cached_tokens: end.usage.cached },
          output_tokens: end.usage.output,
          output_tokens_details: { reasoning_tokens: 0 },
          total_tokens: end.usage.input + end.usage.output
        },
    user: null,
    metadata: { ...about.metadata, session_id: about.sessionId }
  }
}

function wishesToWire (wishes: ClientWishes | null) {
  const { tools = [], choice, isOneByOne, format } = wishes ?? {}
  return {
    parallel_tool_calls: isOneByOne !== true,
    text: { format: format ?? { type: 'text' as const } },
    tool_choice: choice === undefined ? 'auto' as const : choice === 'required' ? choice : { type: 'function' as const, name: choice.tool },
    tools: tools.map(({ name, description, parameters, strict }) =>
      ({ type: 'function' as const, name, description: description ?? null, parameters, strict: strict ?? null }))
  }
}

function outputOf (about: ResponseAbout, status: Standing['status'], text: string, end: AnswerEnd | undefined) {
  const calls = end?.calls ?? []
  const message = text === '' && calls.length > 0 ? [] : [messageToWire(about, status === 'completed' ? 'completed' : 'incomplete', text)]
  return [...message, ...calls.map((call, index) => callToWire(about, call, index))]
}

const textPart = (text: string) => ({ type: 'output_text' as const, text, annotations: none, logprobs: none })

function messageToWire (about: ResponseAbout, status: 'in_progress' | 'completed' | 'incomplete', text: string | null) {
  return {
    type: 'message' as const, id: itemOfMessage(about.streamId), status, role: 'assistant' as const, content: text === null ? [] : [textPart(text)]
  }
}

function callToWire ({ streamId }: ResponseAbout, { id, name, args }: SaidCall, index: number, isWhole = true) {
  return {
    type: 'function_call' as const, id: itemOfCall(streamId, index), call_id: id, name, arguments: isWhole ? args : '',
    status: isWhole ? 'completed' as const : 'in_progress' as const
  }
}

/** The events of a streamed response, each with the next sequence number. */
export function responseEvents (about: ResponseAbout) {
  let number = 0
  let isSaid = false
  const event = <Type extends string, More extends object>(type: Type, more: More) => ({ type, sequence_number: number++, ...more })
  const place = { item_id: itemOfMessage(about.streamId), output_index: 0, content_index: 0 }

  /** Opens the message, before its first text. */
  function opened () {
    if (isSaid) return []
    isSaid = true
    return [
      event('response.output_item.added', { output_index: 0, item: messageToWire(about, 'in_progress', null) }),
      event('response.content_part.added', { ...place, part: textPart('') })
    ]
  }

  function called (call: SaidCall, index: number) {
    const at = { item_id: itemOfCall(about.streamId, index), output_index: index + (isSaid ? 1 : 0) }
    return [
      event('response.output_item.added', { output_index: at.output_index, item: callToWire(about, call, index, false) }),
      event('response.function_call_arguments.delta', { ...at, delta: call.args }),
      event('response.function_call_arguments.done', { ...at, name: call.name, arguments: call.args }),
      event('response.output_item.done', { output_index: at.output_index, item: callToWire(about, call, index) })
    ]
  }

  return {
    begun: () => [
      event('response.created', { response: responseToWire(about, { status: 'in_progress' }) }),
      event('response.in_progress', { response: responseToWire(about, { status: 'in_progress' }) })
    ],
    text: (delta: string) => [...opened(), event('response.output_text.delta', { ...place, delta, logprobs: [] })],
    ended (end: AnswerEnd) {
      const status = statusOf(end)
      return [
        ...(end.calls.length === 0 ? opened() : []),
        ...(isSaid
          ? [
              event('response.output_text.done', { ...place, text: end.text, logprobs: [] }),
              event('response.content_part.done', { ...place, part: textPart(end.text) }),
              event('response.output_item.done', { output_index: 0, item: messageToWire(about, status, end.text) })
            ]
          : []),
        ...end.calls.flatMap(called),
        event(`response.${status}`, { response: responseToWire(about, { status, text: end.text, end }) })
      ]
    },
    failed: (error: { code: string, message: string }) =>
      event('response.failed', { response: responseToWire(about, { status: 'failed', error }) })
  }
}
