import { type LanguageModelV4 } from '@ai-sdk/provider'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { asideChars } from '../limits.js'
import { type StepUsage, type ModelMessage } from '../run-events.js'
import { type TracedAs, traceCall } from './model-spans.js'
import { type StepRequest, stepUsage } from './model-step.js'

type Answering = {
  model: LanguageModelV4
  /** Its calls are told of; absent: their turn is not traced. */
  traced?: TracedAs | undefined
  providerOptions?: StepRequest['providerOptions']
  used?: (usage: StepUsage) => void
  enter?: (signal: AbortSignal) => Promise<() => void>
}

/** A call of a model, once there may be one more of it. `begun`: called then. */
export async function inTurn<T> (
  { enter }: Pick<Answering, 'enter'>, signal: AbortSignal, call: () => Promise<T>, begun?: () => void
): Promise<T> {
  if (enter === undefined) return await call()
  const leave = await enter(signal)
  try {
    begun?.()
    return await call()
  } finally {
    leave()
  }
}

/** A whole answer to one message, for tasks beside the turn. */
export async function generateText (
  resolved: Answering, instruction: string, input: string | Extract<ModelMessage, { role: 'user' }>['content'],
  maxOutputTokens: number, abortSignal: AbortSignal
): Promise<{ text: string, usage: StepUsage }> {
  return await generateAnswer(resolved, [
    { role: 'system', content: instruction },
    { role: 'user', content: typeof input === 'string' ? [{ type: 'text', text: input }] : input }
  ], maxOutputTokens, abortSignal)
}

/** A whole answer to a conversation, without tools. `isCut`: it has reached `maxOutputTokens`. */
export async function generateAnswer (
  { model, traced, providerOptions, used, enter }: Answering, prompt: ModelMessage[], maxOutputTokens: number, abortSignal: AbortSignal
): Promise<{ text: string, usage: StepUsage, isCut: boolean }> {
  const { content, usage, finishReason } = await inTurn({ enter }, abortSignal, async () =>
    await traceCall(traced === undefined ? undefined : { ...traced, model: model.modelId, maxOutputTokens, prompt }, async ({ headers }) =>
      await untilAborted(model.doGenerate({ prompt, maxOutputTokens, providerOptions, abortSignal, ...headers }), abortSignal)))
  const text = withoutThoughts(content.map((part) => part.type === 'text' ? part.text : '').join('').slice(-asideChars))
  const counted = stepUsage(usage, prompt, text.length)
  used?.(counted)
  return { text, usage: counted, isCut: finishReason.unified === 'length' }
}

/** Some models think aloud in their answer; a thought may lack its beginning or its end. One look at each tag, however many there are. */
export function withoutThoughts (text: string): string {
  let said = ''
  let from = 0
  let isOpen = false
  for (const { 0: tag, 1: slash, index } of text.matchAll(/<(\/?)(?:think|thinking)>/gi)) {
    if (slash === '' && !isOpen) {
      said += text.slice(from, index)
      isOpen = true
    } else if (slash === '/') {
      if (!isOpen) said = ''
      isOpen = false
    }
    from = index + tag.length
  }
  return (isOpen ? said : said + text.slice(from)).trim()
}
