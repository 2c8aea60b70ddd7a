import { setTimeout as delay } from 'node:timers/promises'
import {
  type LanguageModelV4, type LanguageModelV4CallOptions, type LanguageModelV4GenerateResult, type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart, type LanguageModelV4ToolResultPart, type LanguageModelV4Usage
} from '@ai-sdk/provider'
import { answerSmallTask } from './offline-demo-answers.js'
import { reportOf, textOf, type DemoMove } from './offline-demo-moves.js'
import { matchRule } from './offline-demo-rules.js'
import { scriptFor } from './offline-demo-tour.js'
import { demoWordsFor } from './demo-words/index.js'

const offlineDemoId = 'offline-demo'

/** `notice` opens the text; `thought` is shown as reasoning. */
type DemoStep = DemoMove & { notice: string, thought?: string }

/** Returns what the demo does next, decided from the conversation alone. Pure. */
function decideDemoStep (prompt: LanguageModelV4Prompt, tools?: ReadonlySet<string>): DemoStep {
  const lastSaid = prompt.findLastIndex(({ role }) => role === 'user')
  const said = prompt[lastSaid]
  const request = said === undefined ? '' : withoutIntroduction(textOf(said))
  const { notice, notUnderstood } = demoWordsFor(request)
  const script = scriptFor(request)
  if (script !== null) {
    const results = resultsIn(prompt.slice(lastSaid + 1))
    return { notice: results.length === 0 ? notice : '', ...offered(script(results), tools) }
  }

  const lastAnswer = prompt.findLastIndex(({ role }) => role === 'assistant')
  const report = resultsIn(prompt.slice(lastAnswer + 1)).map(reportOf).join('\n\n')
  // A note that arrived while the tool ran is handled next.
  if (report !== '' && lastSaid < lastAnswer) return { notice, thought: 'Rule matched: a tool has answered: quote its result.', text: report }
  const rule = matchRule(lastSaid < lastAnswer ? '' : request)
  const { name, ...move } = rule === null ? { name: null, text: notUnderstood } : { ...rule, ...offered(rule, tools) }
  const text = [report, move.text].filter((part) => part !== undefined && part !== '').join('\n\n')
  return { ...move, notice, ...(text !== '' && { text }), ...(name !== null && { thought: `Rule matched: ${name}.` }) }
}

/** Removes the introduction before the text of a scheduled job. */
const withoutIntroduction = (text: string): string => text.startsWith('[') ? text.slice(text.lastIndexOf('\n\n') + 1).trim() : text

const resultsIn = (prompt: LanguageModelV4Prompt): LanguageModelV4ToolResultPart[] =>
  prompt.flatMap((message) => message.role === 'tool' ? message.content : []).filter((part) => part.type === 'tool-result')

/** Replaces a call of a tool that the conversation does not offer by a text that says so. */
function offered (move: DemoMove, tools: ReadonlySet<string> | undefined): DemoMove {
  if (move.call === undefined || tools?.has(move.call.toolName) !== false) return move
  return { text: `This needs the tool ${move.call.toolName}, which this conversation does not offer.`, call: undefined }
}

/**
 * Creates a language model without a model: scripts of a tour and a fixed grammar, chosen by the last message, with real tool calls, and
 * with replies that say what they are. `wordsPerSecond` 0 = no delay.
 */
export function createOfflineDemo ({ wordsPerSecond = 60 }: { wordsPerSecond?: number | undefined } = {}): LanguageModelV4 {
  const wordMs = wordsPerSecond > 0 ? 1000 / wordsPerSecond : 0
  return {
    specificationVersion: 'v4',
    provider: offlineDemoId,
    modelId: offlineDemoId,
    supportedUrls: {},
    doStream: async (options) => ({ stream: streamOf((signal) => partsOf(options, wordMs, signal), options.abortSignal) }),
    doGenerate: async ({ prompt }) => wholeAnswer(prompt)
  }
}

async function * partsOf (
  options: LanguageModelV4CallOptions, wordMs: number, signal: AbortSignal | undefined
): AsyncGenerator<LanguageModelV4StreamPart> {
  const step = decideDemoStep(options.prompt, options.tools === undefined ? undefined : new Set(options.tools.map(({ name }) => name)))
  const { thought = '', notice } = step
  const opening = notice === '' ? '' : `${notice}\n\n`
  const text = step.text === undefined ? '' : opening + step.text
  const input = step.call === undefined ? '' : JSON.stringify(step.call.input)

  yield { type: 'stream-start', warnings: [] }
  if (thought !== '') {
    yield { type: 'reasoning-start', id: 'thought' }
    for await (const delta of spoken(thought, wordMs, signal)) yield { type: 'reasoning-delta', id: 'thought', delta }
    yield { type: 'reasoning-end', id: 'thought' }
  }
  if (text !== '') {
    yield { type: 'text-start', id: 'reply' }
    const quick = step.slow === true ? opening : text
    for await (const delta of spoken(quick, wordMs, signal)) yield { type: 'text-delta', id: 'reply', delta }
    for await (const delta of spoken(text.slice(quick.length), wordMs * 10, signal)) yield { type: 'text-delta', id: 'reply', delta }
    yield { type: 'text-end', id: 'reply' }
  }
  if (step.call !== undefined) {
    const id = `demo_${crypto.randomUUID()}`
    yield { type: 'tool-input-start', id, toolName: step.call.toolName }
    yield { type: 'tool-input-delta', id, delta: input }
    yield { type: 'tool-input-end', id }
    yield { type: 'tool-call', toolCallId: id, toolName: step.call.toolName, input }
  }
  yield {
    type: 'finish',
    finishReason: { unified: step.call === undefined ? 'stop' : 'tool-calls', raw: undefined },
    usage: estimatedUsage(JSON.stringify(options.prompt).length, text.length + input.length, thought.length),
    providerMetadata: { [offlineDemoId]: { estimated: true } }
  }
}

/** Yields the words of a text, each with its white space, at a pace. Throws the signal's reason when it is aborted. */
async function * spoken (text: string, wordMs: number, signal: AbortSignal | undefined): AsyncGenerator<string> {
  for (const [word] of text.matchAll(/\s*\S+\s*/g)) {
    signal?.throwIfAborted()
    if (wordMs > 0) await delay(wordMs, undefined, signal === undefined ? {} : { signal })
    yield word
  }
}

/** Estimates usage at about four characters a token. */
function estimatedUsage (promptLength: number, answerLength: number, thoughtLength: number): LanguageModelV4Usage {
  const tokens = (length: number): number => Math.ceil(length / 4)
  const input = tokens(promptLength)
  return {
    inputTokens: { total: input, noCache: input, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: tokens(answerLength) + tokens(thoughtLength), text: tokens(answerLength), reasoning: tokens(thoughtLength) },
    raw: { estimated: true }
  }
}

/** Returns a stream that stops its source, including timers, when it is aborted or cancelled. */
function streamOf (
  source: (signal: AbortSignal) => AsyncGenerator<LanguageModelV4StreamPart>,
  outer: AbortSignal | undefined
): ReadableStream<LanguageModelV4StreamPart> {
  const stop = new AbortController()
  const onAbort = (): void => stop.abort(outer?.reason)
  if (outer?.aborted === true) onAbort()
  else outer?.addEventListener('abort', onAbort, { once: true })
  const parts = source(stop.signal)
  const forget = (): void => outer?.removeEventListener('abort', onAbort)
  return new ReadableStream<LanguageModelV4StreamPart>({
    async pull (controller) {
      try {
        const { done, value } = await parts.next()
        if (done !== true) return controller.enqueue(value)
        forget()
        controller.close()
      } catch (error) {
        forget()
        // A timer rejects with an error of its own; the caller's reason says more.
        controller.error(stop.signal.aborted ? stop.signal.reason : error)
      }
    },
    cancel () {
      forget()
      stop.abort()
    }
  })
}

function wholeAnswer (prompt: LanguageModelV4Prompt): LanguageModelV4GenerateResult {
  const text = answerSmallTask(prompt)
  return {
    content: [{ type: 'text', text }],
    finishReason: { unified: 'stop', raw: undefined },
    usage: estimatedUsage(JSON.stringify(prompt).length, text.length, 0),
    warnings: [],
    providerMetadata: { [offlineDemoId]: { estimated: true } }
  }
}
