import { InvalidResponseDataError, type LanguageModelV3FinishReason, type LanguageModelV3StreamPart, type LanguageModelV3Usage } from '@ai-sdk/provider'
import { CallPieces } from './call-pieces.js'
import { readChunk, type Chunk, type ContentPart, type Delta, type Usage } from './chunk.js'

/** The name under which the parts carry what belongs to these servers alone. */
export const metadataKey = 'openaiCompatible'

const textId = 'txt-0'
const reasoningId = 'reasoning-0'

/** Turns the events of a streamed chat completion into the parts of an answer, as the AI SDK's own client does. */
export class Answer {
  readonly #calls: CallPieces
  /** What the answer is in the middle of saying. */
  readonly #open = { text: false, reasoning: false }
  #hasBegun = false
  #finishReason: LanguageModelV3FinishReason | undefined
  #usage: Usage | undefined

  constructor (private readonly emit: (part: LanguageModelV3StreamPart) => void) {
    this.#calls = new CallPieces(emit, metadataKey)
  }

  /** One event's data. Throws AnswerTooLarge, and InvalidResponseDataError. */
  take (data: string): void {
    if (data === '[DONE]') return
    let chunk: Chunk | { error: unknown }
    try {
      chunk = readChunk(data)
    } catch (error) {
      return this.#fail(error)
    }
    if ('error' in chunk) this.#fail(chunk.error)
    else this.#hear(chunk)
  }

  /** Nothing more comes. Throws as {@link take} does. */
  end (): void {
    this.#close('reasoning')
    this.#close('text')
    this.#calls.end()
    if (this.#finishReason === undefined) {
      this.#fail(new InvalidResponseDataError({ data: undefined, message: 'Response stream ended without a finish reason.' }))
    }
    const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } = this.#usage?.completion_tokens_details ?? {}
    this.emit({
      type: 'finish',
      finishReason: this.#finishReason!,
      usage: tokensOf(this.#usage),
      providerMetadata: {
        [metadataKey]: {
          ...(accepted == null ? {} : { acceptedPredictionTokens: accepted }),
          ...(rejected == null ? {} : { rejectedPredictionTokens: rejected })
        }
      }
    })
  }

  #fail (error: unknown): void {
    this.#finishReason = { unified: 'error', raw: undefined }
    this.emit({ type: 'error', error })
  }

  #hear ({ id, model, created, usage, choices: [choice] }: Chunk): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true
      this.emit({ type: 'response-metadata', id: id ?? undefined, modelId: model ?? undefined, timestamp: created == null ? undefined : new Date(created * 1000) })
    }
    if (usage != null) this.#usage = usage
    if (choice?.finish_reason != null) this.#finishReason = { unified: reasonOf(choice.finish_reason), raw: choice.finish_reason }
    if (choice?.delta != null) this.#say(choice.delta)
  }

  #say ({ reasoning_content: reasoningContent, reasoning, content, tool_calls: calls }: Delta): void {
    this.#tell('reasoning', reasoningContent ?? reasoning ?? '')
    if (typeof content === 'string') this.#tell('text', content)
    else for (const part of content ?? []) this.#tellPart(part)
    if (calls == null || calls.length === 0) return
    this.#close('reasoning')
    for (const piece of calls) this.#calls.take(piece)
  }

  #tellPart (part: ContentPart): void {
    if (part.type === 'text' && typeof part.text === 'string') this.#tell('text', part.text)
    if (part.type === 'thinking' && Array.isArray(part.thinking)) this.#tell('reasoning', part.thinking.map(textIn).join(''))
  }

  #tell (kind: 'text' | 'reasoning', delta: string): void {
    if (delta === '') return
    const id = kind === 'text' ? textId : reasoningId
    if (!this.#open[kind]) {
      this.#close(kind === 'text' ? 'reasoning' : 'text')
      this.#open[kind] = true
      this.emit({ type: `${kind}-start`, id })
    }
    this.emit({ type: `${kind}-delta`, id, delta })
  }

  #close (kind: 'text' | 'reasoning'): void {
    if (!this.#open[kind]) return
    this.#open[kind] = false
    this.emit({ type: `${kind}-end`, id: kind === 'text' ? textId : reasoningId })
  }
}

function textIn (part: unknown): string {
  if (typeof part !== 'object' || part === null) return ''
  const { type, text } = part as Record<string, unknown>
  return type === 'text' && typeof text === 'string' ? text : ''
}

function reasonOf (reason: string): LanguageModelV3FinishReason['unified'] {
  switch (reason) {
    case 'stop':
    case 'length': return reason
    case 'content_filter': return 'content-filter'
    case 'function_call':
    case 'tool_calls': return 'tool-calls'
    default: return 'other'
  }
}

function tokensOf (usage: Usage | undefined): LanguageModelV3Usage {
  if (usage === undefined) {
    return { inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined }, outputTokens: { total: undefined, text: undefined, reasoning: undefined }, raw: undefined }
  }
  const input = usage.prompt_tokens ?? 0
  const output = usage.completion_tokens ?? 0
  const cacheRead = usage.prompt_tokens_details?.cached_tokens ?? 0
  const reasoning = usage.completion_tokens_details?.reasoning_tokens ?? 0
  return {
    inputTokens: { total: input, noCache: input - cacheRead, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
    raw: usage
  }
}
