import { type AnswerEnd } from './answer.js'
import { type SaidCall } from './calls.js'
import { type Answering } from './openai.js'

type CompletionHead = Pick<Answering, 'streamId' | 'startedAtS' | 'model'>

const idOf = ({ streamId }: CompletionHead): string => `chatcmpl-${streamId}`

/** An answer in the form of `POST /v1/chat/completions`. */
export function completionToWire (named: CompletionHead, { text, calls, finish, usage, model }: AnswerEnd) {
  return {
    id: idOf(named),
    object: 'chat.completion' as const,
    created: Math.floor(named.startedAtS),
    model: model ?? named.model,
    choices: [{
      index: 0,
      message: {
        role: 'assistant' as const, content: text === '' && calls.length > 0 ? null : text, refusal: null,
        ...(calls.length === 0 ? {} : { tool_calls: calls.map(callToWire) })
      },
      logprobs: null,
      finish_reason: finish
    }],
    usage: usageToWire({ usage })
  }
}

const callToWire = ({ id, name, args }: SaidCall) => ({ id, type: 'function' as const, function: { name, arguments: args } })

interface Delta {
  role?: 'assistant'
  content?: string
  tool_calls?: Array<{ index: number, id?: string, type?: 'function', function: { name?: string, arguments: string } }>
}

/** The chunks of a streamed completion. */
export function chunksOf (named: CompletionHead) {
  const chunk = (delta: Delta, finish: AnswerEnd['finish'] | null) => ({
    id: idOf(named),
    object: 'chat.completion.chunk' as const,
    created: Math.floor(named.startedAtS),
    model: named.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  })
  return {
    first: () => chunk({ role: 'assistant', content: '' }, null),
    text: (content: string) => chunk({ content }, null),
    /** A call in two chunks, as clients know it from models: its name, then its arguments. */
    call: ({ id, name, args }: SaidCall, index: number) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }, null),
      chunk({ tool_calls: [{ index, function: { arguments: args } }] }, null)
    ],
    last: ({ finish }: AnswerEnd) => chunk({}, finish),
    usage: (end: AnswerEnd) => ({ ...chunk({}, null), choices: [], usage: usageToWire(end) })
  }
}

function usageToWire ({ usage: { input, cached, output } }: Pick<AnswerEnd, 'usage'>) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 }
  }
}
