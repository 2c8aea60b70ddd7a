import { type LanguageModelV4 } from '@ai-sdk/provider'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { asideChars } from '../limits.js'
import { type StepUsage, type ModelMessage } from '../run-events.js'
import { type TracedAs, traceCall } from './model-spans.js'
import { type StepRequest, stepUsage } from './model-step.js'

type Answering = {
  model: LanguageModelV4
  /** How its calls are recorded as spans; if absent, their turn is not traced. */
  traced?: TracedAs | undefined
  providerOptions?: StepRequest['providerOptions']
  used?: (usage: StepUsage) => void
  enter?: (signal: AbortSignal) => Promise<() => void>
}

/** Calls a model once its limit of concurrent calls allows. `begun` is called when the wait is over. */
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

/** Generates a complete answer to one message, for tasks beside the turn. */
export async function generateText (
  resolved: Answering, instruction: string, input: string | Extract<ModelMessage, { role: 'user' }>['content'],
  maxOutputTokens: number, abortSignal: AbortSignal
): Promise<{ text: string, usage: StepUsage }> {
  return await generateAnswer(resolved, [
    { role: 'system', content: instruction },
    { role: 'user', content: typeof input === 'string' ? [{ type: 'text', text: input }] : input }
  ], maxOutputTokens, abortSignal)
}

/** Generates a complete answer to a conversation, without tools. `isCut`: it has reached `maxOutputTokens`. */
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

/** Removes `<think>` blocks from an answer. A block may lack its beginning or end. Each tag is read once, so that it takes linear time. */
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
