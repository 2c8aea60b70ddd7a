import {
  InvalidResponseDataError, type LanguageModelV4Content, type LanguageModelV4FinishReason, type LanguageModelV4GenerateResult,
  type LanguageModelV4ResponseMetadata, type LanguageModelV4StreamPart, type LanguageModelV4Usage, type SharedV4ProviderMetadata
} from '@ai-sdk/provider'
import { CallPieces } from './call-pieces.js'
import { readChunk, spokenIn, type Chunk, type Delta, type Usage } from './chunk.js'

/** The name under which parts carry data that is specific to these servers. */
export const metadataKey = 'openaiCompatible'

const textId = 'txt-0'
const reasoningId = 'reasoning-0'

/** Turns the events of a streamed chat completion into the parts of an answer, as the AI SDK's own client does. */
export class Answer {
  readonly #calls: CallPieces
  /** Whether a block of text, or of reasoning, is open. */
  readonly #open = { text: false, reasoning: false }
  #hasBegun = false
  #hasRefused = false
  #isOver = false
  #finishReason: LanguageModelV4FinishReason | undefined
  #rawReason: string | undefined
  #usage: Usage | undefined

  constructor (private readonly emit: (part: LanguageModelV4StreamPart) => void) {
    this.#calls = new CallPieces(emit, metadataKey)
  }

  /** Whether the server has marked the end of the answer; anything after that is ignored. */
  get isOver (): boolean { return this.#isOver }

  /** Reads one event's data; an incomplete last event is ignored. Throws AnswerTooLarge and InvalidResponseDataError. */
  take (data: string, isLast = false): void {
    if (this.#isOver) return
    if (data === '[DONE]') {
      this.#isOver = true
      return
    }
    let chunk: Chunk | { error: unknown }
    try {
      chunk = readChunk(data)
    } catch (error) {
      if (!isLast) this.#fail(error)
      return
    }
    if ('choices' in chunk) this.hear(chunk)
    else this.#fail(chunk.error)
  }

  /** Called when nothing more will come. Throws as {@link take} does. */
  end (): void {
    this.#close('reasoning')
    this.#close('text')
    this.#calls.end()
    if (this.#rawReason !== undefined) this.#finishReason = reasonOf(this.#rawReason, this.#hasRefused)
    const finishReason = this.#finishReason ??
      this.#fail(new InvalidResponseDataError({ data: undefined, message: 'Response stream ended without a finish reason.' }))
    this.emit({ type: 'finish', finishReason, usage: tokensOf(this.#usage), providerMetadata: predictionsOf(this.#usage) })
  }

  /** Called when the connection has failed: the usage until then is still reported, if the server has sent it. */
  breakOff (error: unknown): void {
    const finishReason = this.#fail(error)
    if (this.#usage !== undefined) this.emit({ type: 'finish', finishReason, usage: tokensOf(this.#usage) })
  }

  #fail (error: unknown): LanguageModelV4FinishReason {
    const reason: LanguageModelV4FinishReason = { unified: 'error', raw: undefined }
    this.#finishReason = reason
    this.#rawReason = undefined
    this.emit({ type: 'error', error })
    return reason
  }

  /** Reads one piece of the answer. Throws as {@link take} does. */
  hear (chunk: Chunk): void {
    const { usage, choices: [choice] } = chunk
    if (!this.#hasBegun) this.#begin(metadataOf(chunk))
    if (usage != null) this.#usage = usage
    if (choice?.delta != null) this.#say(choice.delta)
    if (choice?.finish_reason != null) this.#rawReason = choice.finish_reason
  }

  /** Reports the metadata. Some servers first send an event that has none. */
  #begin (metadata: LanguageModelV4ResponseMetadata): void {
    if (!Object.values(metadata).some(Boolean)) return
    this.#hasBegun = true
    this.emit({ type: 'response-metadata', ...metadata })
  }

  #say ({ reasoning_content: reasoningContent, reasoning, content, refusal, tool_calls: calls }: Delta): void {
    this.#tell('reasoning', reasoningContent ?? reasoning ?? '')
    if (typeof content === 'string') this.#tell('text', content)
    else for (const { type, text } of spokenIn(content)) this.#tell(type, text)
    if (isRefusal(refusal)) {
      this.#hasRefused = true
      this.#tell('text', refusal)
    }
    if (calls == null || calls.length === 0) return
    this.#close('reasoning')
    for (const piece of calls) this.#calls.take(piece)
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

/** Returns the parts of an answer that came in one piece, as a stream would give them. Throws InvalidResponseDataError if it is missing. */
export function wholeAnswer (completion: Chunk): LanguageModelV4StreamPart[] {
  if (completion.choices.length === 0) {
    throw new InvalidResponseDataError({ data: undefined, message: 'Response did not contain any choices.' })
  }
  const parts: LanguageModelV4StreamPart[] = []
  const answer = new Answer((part) => parts.push(part))
  answer.hear(completion)
  answer.end()
  return parts
}

/** Returns the result that the parts of a whole answer give. Throws an error that they contain. */
export function resultOf (parts: LanguageModelV4StreamPart[]): Omit<LanguageModelV4GenerateResult, 'warnings'> {
  const content: LanguageModelV4Content[] = []
  let response: LanguageModelV4ResponseMetadata = {}
  for (const part of parts) {
    switch (part.type) {
      case 'text-delta': content.push({ type: 'text', text: part.delta }); break
      case 'reasoning-delta': content.push({ type: 'reasoning', text: part.delta }); break
      case 'tool-call': content.push(part); break
      case 'response-metadata': response = { id: part.id, modelId: part.modelId, timestamp: part.timestamp }; break
      case 'error': throw part.error
      case 'finish': {
        const { finishReason, usage, providerMetadata } = part
        return { content, finishReason, usage, providerMetadata, response }
      }
    }
  }
  throw new InvalidResponseDataError({ data: undefined, message: 'Response has no end.' })
}

function metadataOf ({ id, model, created }: Pick<Chunk, 'id' | 'model' | 'created'>): LanguageModelV4ResponseMetadata {
  return {
    id: id ?? undefined, modelId: model ?? undefined, timestamp: created == null || created === 0 ? undefined : new Date(created * 1000)
  }
}

/** A model that refuses to answer says so outside its text; some servers send false there. */
const isRefusal = (refusal: unknown): refusal is string => typeof refusal === 'string' && refusal !== ''

function reasonOf (raw: string | undefined, hasRefused: boolean): LanguageModelV4FinishReason {
  switch (raw) {
    case 'stop': return { unified: hasRefused ? 'content-filter' : raw, raw }
    case 'length': return { unified: raw, raw }
    case 'content_filter': return { unified: 'content-filter', raw }
    case 'function_call':
    case 'tool_calls': return { unified: 'tool-calls', raw }
    default: return { unified: 'other', raw }
  }
}

function predictionsOf (usage: Usage | undefined): SharedV4ProviderMetadata {
  const { accepted_prediction_tokens: accepted, rejected_prediction_tokens: rejected } = usage?.completion_tokens_details ?? {}
  return {
    [metadataKey]: {
      ...(accepted == null ? {} : { acceptedPredictionTokens: accepted }),
      ...(rejected == null ? {} : { rejectedPredictionTokens: rejected })
    }
  }
}

function tokensOf (usage: Usage | undefined): LanguageModelV4Usage {
  if (usage === undefined) {
    return {
      inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: undefined, text: undefined, reasoning: undefined }, raw: undefined
    }
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
