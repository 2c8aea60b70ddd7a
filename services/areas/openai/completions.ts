import { type AnswerEnd } from './answer.js'
import { type Answering } from './openai.js'

type Named = Pick<Answering, 'streamId' | 'startedAtS' | 'model'>

const idOf = ({ streamId }: Named): string => `chatcmpl-${streamId}`

/** An answer as `POST /v1/chat/completions` has it. */
export function completionToWire (named: Named, { text, finish, usage, model }: AnswerEnd) {
  return {
    id: idOf(named),
    object: 'chat.completion' as const,
    created: Math.floor(named.startedAtS),
    model: model ?? named.model,
    choices: [{ index: 0, message: { role: 'assistant' as const, content: text, refusal: null }, logprobs: null, finish_reason: finish }],
    usage: usageToWire({ usage })
  }
}

/** The pieces of one that is streamed. */
export function chunksOf (named: Named) {
  const chunk = (delta: { role?: 'assistant', content?: string }, finish: AnswerEnd['finish'] | null) => ({
    id: idOf(named),
    object: 'chat.completion.chunk' as const,
    created: Math.floor(named.startedAtS),
    model: named.model,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }]
  })
  return {
    first: () => chunk({ role: 'assistant', content: '' }, null),
    text: (content: string) => chunk({ content }, null),
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
