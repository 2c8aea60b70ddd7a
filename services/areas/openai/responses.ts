import { type AnswerEnd } from './answer.js'
import { type Answering, type Standing } from './openai.js'

export interface ResponseAbout extends Pick<Answering, 'streamId' | 'startedAtS' | 'model' | 'sessionId'> {
  id: string
  instructions: string | null
  previousId: string | null
  metadata: Record<string, string>
  isBackground: boolean
}

/** There are none of these, ever. */
const none: [] = []

/** A turn as `POST /v1/responses` has it. */
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
    output: text === undefined ? [] : [messageToWire(about, status === 'completed' ? 'completed' : 'incomplete', text)],
    parallel_tool_calls: false,
    previous_response_id: about.previousId,
    reasoning: { effort: null, summary: null },
    store: true,
    temperature: null,
    text: { format: { type: 'text' as const } },
    tool_choice: 'auto' as const,
    tools: none,
    top_p: null,
    truncation: 'disabled' as const,
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

const messageIdOf = ({ streamId }: ResponseAbout): string => `msg_${streamId}`
const textPart = (text: string) => ({ type: 'output_text' as const, text, annotations: none, logprobs: none })

function messageToWire (about: ResponseAbout, status: 'in_progress' | 'completed' | 'incomplete', text: string | null) {
  return {
    type: 'message' as const, id: messageIdOf(about), status, role: 'assistant' as const, content: text === null ? [] : [textPart(text)]
  }
}

/** An answer that stands is whole, or was cut short. */
export const statusOf = ({ finish }: AnswerEnd): 'completed' | 'incomplete' => finish === 'stop' ? 'completed' : 'incomplete'

/** The events of a response that is streamed, each with the next number. */
export function responseEvents (about: ResponseAbout) {
  let number = 0
  const event = <Type extends string, More extends object>(type: Type, more: More) => ({ type, sequence_number: number++, ...more })
  const place = { item_id: messageIdOf(about), output_index: 0, content_index: 0 }

  return {
    begun: () => [
      event('response.created', { response: responseToWire(about, { status: 'in_progress' }) }),
      event('response.in_progress', { response: responseToWire(about, { status: 'in_progress' }) }),
      event('response.output_item.added', { output_index: 0, item: messageToWire(about, 'in_progress', null) }),
      event('response.content_part.added', { ...place, part: textPart('') })
    ],
    text: (delta: string) => event('response.output_text.delta', { ...place, delta, logprobs: [] }),
    ended (end: AnswerEnd) {
      const status = statusOf(end)
      return [
        event('response.output_text.done', { ...place, text: end.text, logprobs: [] }),
        event('response.content_part.done', { ...place, part: textPart(end.text) }),
        event('response.output_item.done', { output_index: 0, item: messageToWire(about, status, end.text) }),
        event(`response.${status}`, { response: responseToWire(about, { status, text: end.text, end }) })
      ]
    },
    failed: (error: { code: string, message: string }) =>
      event('response.failed', { response: responseToWire(about, { status: 'failed', error }) })
  }
}
