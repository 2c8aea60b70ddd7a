import { type LanguageModelV4GenerateResult } from '@ai-sdk/provider'
import { classifyModelError } from '../../providers/index.js'
import { providerWord } from '../../ground/tracing/providers.js'
import { type SpanAttributes } from '../../ground/tracing/vocabulary.js'
import { type ModelMessage, type StepUsage } from '../protocol.js'
import { messagesText, promptTexts, type OpenSpan, type RunSpans } from './run-spans.js'
import { reportedAtEnd } from './reported-usage.js'

/** How the spans of requests for a task are labelled. */
export interface TracedAs { spans: RunSpans, provider: string, task: string }

/** The parts of an answer that a span records. */
interface Answer { usage: StepUsage, finishReason: string, answeredBy?: string | undefined, message: ModelMessage }

interface TracedCall {
  provider: string
  model: string
  maxOutputTokens?: number | undefined
  prompt: readonly ModelMessage[]
  isStreamed: boolean
  /** Number of this attempt among the requests that ask the same, from 1. */
  attempt?: number
  /** The task that it serves, if that is not the turn's own answer. */
  task?: string
}

/** Begins the span of a request to a model. */
function beginCall (
  spans: RunSpans, { provider, model, maxOutputTokens, prompt, isStreamed, attempt, task }: TracedCall
): OpenSpan<'chat'> {
  return spans.begin('chat', {
    'gen_ai.provider.name': providerWord(provider),
    'gen_ai.request.model': model,
    'gen_ai.request.max_tokens': maxOutputTokens,
    'gen_ai.request.stream': isStreamed,
    'svc.model.attempt': attempt,
    'svc.model.task': task,
    ...(spans.hasTexts ? promptTexts(prompt) : {})
  })
}

/** Returns the option that records non-streamed requests as spans, under the name of their task. */
export const tracedAs = (spans: RunSpans | undefined, provider: string, task: string): { traced?: TracedAs } =>
  spans === undefined ? {} : { traced: { spans, provider, task } }

/** The span of a request whose answer is streamed. It does nothing if the turn is not traced. */
export class RequestSpan {
  #span: OpenSpan<'chat'> | undefined
  #begunMs = 0
  #firstMs: number | null = null

  constructor (private readonly spans: RunSpans | undefined, private readonly asked: Omit<TracedCall, 'isStreamed'>) {}

  /** Called when the request is sent. */
  begin (): void {
    this.#begunMs = performance.now()
    if (this.spans !== undefined) this.#span = beginCall(this.spans, { ...this.asked, isStreamed: true })
  }

  get headers (): Record<string, string> | undefined { return headersOf(this.#span) }

  /** Called when a piece of the answer has arrived. */
  hears (nowMs: number): void { this.#firstMs ??= nowMs }

  /** Records the usage of an answer that failed. */
  wasted (usage: StepUsage): void { this.#span?.note(used(usage)) }

  answered ({ usage, finishReason, answeredBy, message }: Answer, isEstimate: boolean): void {
    this.#span?.end({
      ...used({ ...usage, estimated: usage.estimated || isEstimate }),
      ...this.#firstChunk,
      'gen_ai.response.finish_reasons': [finishReason],
      'gen_ai.response.model': answeredBy,
      ...(this.spans?.hasTexts === true ? { 'gen_ai.output.messages': messagesText([message]) } : {})
    })
  }

  failed (type: string): void { this.#span?.end({ 'error.type': type, ...this.#firstChunk }) }

  get #firstChunk (): SpanAttributes<'chat'> {
    return this.#firstMs === null ? {} : { 'gen_ai.response.time_to_first_chunk': (this.#firstMs - this.#begunMs) / 1_000 }
  }
}

/** Returns usage as attributes. Input tokens include those of the cache. */
const used = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, estimated }: Partial<StepUsage>): SpanAttributes<'chat'> => ({
  'gen_ai.usage.input_tokens': inputTokens,
  'gen_ai.usage.output_tokens': outputTokens,
  'gen_ai.usage.cache_read.input_tokens': cacheReadTokens,
  'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens,
  'svc.usage.estimated': estimated === true ? true : undefined
})

/** Makes a request whose answer is not streamed, and records its span; `traced` undefined: without a span. */
export async function traceCall (
  traced: { spans: RunSpans } & Omit<TracedCall, 'isStreamed'> | undefined,
  call: (beside: { headers?: Record<string, string> }) => Promise<LanguageModelV4GenerateResult>
): Promise<LanguageModelV4GenerateResult> {
  if (traced === undefined) return await call({})
  const { spans, provider } = traced
  const span = beginCall(spans, { ...traced, isStreamed: false })
  try {
    const headers = headersOf(span)
    const result = await call(headers === undefined ? {} : { headers })
    span.end({
      ...used(reportedAtEnd(result.usage)),
      'gen_ai.response.finish_reasons': [result.finishReason.unified],
      'gen_ai.response.model': result.response?.modelId,
      ...(spans.hasTexts ? { 'gen_ai.output.messages': messagesText([spokenIn(result)]) } : {})
    })
    return result
  } catch (error) {
    span.end({ 'error.type': classifyModelError(error, provider).type })
    throw error
  }
}

const headersOf = (span: OpenSpan | undefined): { traceparent: string } | undefined =>
  span?.traceparent === undefined ? undefined : { traceparent: span.traceparent }

function spokenIn ({ content }: LanguageModelV4GenerateResult): ModelMessage {
  return { role: 'assistant', content: content.flatMap((part) => part.type === 'text' ? [{ type: 'text' as const, text: part.text }] : []) }
}
