import {
  APICallError, EmptyResponseBodyError, InvalidResponseDataError, type LanguageModelV4, type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult, type LanguageModelV4StreamPart, type LanguageModelV4StreamResult
} from '@ai-sdk/provider'
import { createParser } from 'eventsource-parser'
import { type UnderlyingSource } from 'node:stream/web'
import {
  AnswerTooLarge, createBodyMeter, isWebPage, limitedResponse, plainResponse, responseLimits, WebPage, type BodyMeter
} from '../../../providers/index.js'
import { after } from '../../../ground/concurrency/after.js'
import { Answer, metadataKey, resultOf, wholeAnswer } from './answer.js'
import { failureInBody, readCompletion, refusalIn } from './chunk.js'
import { requestBody } from './request.js'

export interface CompatibleModelOptions {
  /** The address up to and including the version; `/chat/completions` follows. */
  baseUrl: string
  apiKey: string | null
  modelId: string
  fetch: typeof globalThis.fetch
}

/**
 * Creates a model behind an OpenAI-compatible server, which most servers are. Answers are read here, streams event by event: the AI SDK's
 * client passes each token through six streams, which takes at least half as long again. The results are the same, and so are the failures
 * (tests read the same bytes both ways).
 */
export function createCompatibleModel (options: CompatibleModelOptions): LanguageModelV4 {
  return {
    specificationVersion: 'v4',
    provider: `${metadataKey}.chat`,
    modelId: options.modelId,
    supportedUrls: {},
    doGenerate: async (call) => await generate(options, call),
    doStream: async (call) => await stream(options, call)
  }
}

async function stream (options: CompatibleModelOptions, call: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
  const body = { ...requestBody(options.modelId, call), stream: true, stream_options: { include_usage: true } }
  const { response: answered, url } = await ask(options, body, call)
  let response = answered
  if (isJson(response)) {
    // A server that does not stream sends the whole answer at once.
    const text = await limitedResponse(response).text()
    const whole = streamOf(text)
    if (whole !== null) return { stream: whole, request: { body }, response: { headers: headersOf(response) } }
    response = plainResponse(new Blob([text]).stream(), response)
  }
  if (response.body === null) throw unreadable(response, url, 'Failed to process successful response', new EmptyResponseBodyError({}))
  const source = new AnswerSource(response.body.getReader(), createBodyMeter(response))
  return { stream: new ReadableStream(source, { highWaterMark: 0 }), request: { body }, response: { headers: headersOf(response) } }
}

async function generate (options: CompatibleModelOptions, call: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
  const { response, url } = await ask(options, requestBody(options.modelId, call), call)
  const text = await limitedResponse(response).text()
  try {
    return { ...resultOf(wholeAnswer(readCompletion(text))), warnings: [] }
  } catch (error) {
    throw InvalidResponseDataError.isInstance(error) ? error : unreadable(response, url, 'Invalid JSON response', error, text)
  }
}

/** Returns the stream that a whole answer would have given; null if the text is not an answer. */
function streamOf (text: string): ReadableStream<LanguageModelV4StreamPart> | null {
  try {
    const parts = wholeAnswer(readCompletion(text))
    return new ReadableStream({
      start (controller) {
        controller.enqueue({ type: 'stream-start', warnings: [] })
        for (const part of parts) controller.enqueue(part)
        controller.close()
      }
    })
  } catch {
    return null
  }
}

/** Sends a request. Throws the reason why there is no answer, as far as the beginning of the response shows it. */
async function ask (
  { baseUrl, apiKey, fetch }: CompatibleModelOptions, body: unknown,
  { abortSignal: signal, headers }: Pick<LanguageModelV4CallOptions, 'abortSignal' | 'headers'>
): Promise<{ response: Response, url: string }> {
  const url = new URL(`${baseUrl.replace(/\/$/, '')}/chat/completions`).toString()
  let response: Response
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json', 'user-agent': 'agent-web-service', ...definedIn(headers),
        ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` })
      },
      body: JSON.stringify(body),
      signal: signal ?? null
    })
  } catch (error) {
    throw unreachable(error, url)
  }
  if (!response.ok) throw await refusal(limitedResponse(response), url)
  if (/\bhtml\b/i.test(response.headers.get('content-type') ?? '')) {
    await response.body?.cancel().catch(() => {})
    throw new WebPage()
  }
  return { response, url }
}

/** Reads a body and emits its parts. It does not read ahead, so that a slow reader slows down the sender (backpressure). */
class AnswerSource implements UnderlyingSource<LanguageModelV4StreamPart> {
  readonly #decoder = new TextDecoder()
  readonly #events = createParser({ onEvent: ({ data }) => this.#take(data) })
  #answer!: Answer
  /** Whether the body has ended: an event that comes now has no end of its own. */
  #isAtEnd = false
  #hasSpoken = false
  /** Bytes since the last part with content. */
  #vainBytes = 0
  /** The beginning of the body; null once it has contained an event. */
  #beginning: string | null = ''

  constructor (private readonly body: ReadableStreamDefaultReader<Uint8Array>, private readonly meter: BodyMeter) {}

  start (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): void {
    this.#answer = new Answer((part) => {
      this.#hasSpoken = true
      if (isSaid(part)) this.#vainBytes = 0
      controller.enqueue(part)
    })
    controller.enqueue({ type: 'stream-start', warnings: [] })
  }

  async pull (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): Promise<void> {
    this.#hasSpoken = false
    try {
      while (!this.#hasSpoken) {
        const { done, value } = await this.body.read()
        if (done) this.#readLast(controller)
        else this.#read(this.meter.take(value))
        if (done || this.#answer.isOver) {
          if (!done) void readOut(this.body)
          this.#answer.end()
          return controller.close()
        }
      }
    } catch (error) {
      this.body.cancel().catch(() => {})
      // A stream that fails drops its queue. Reporting the error as a part keeps the parts before it.
      this.#answer.breakOff(error)
      controller.close()
    }
  }

  async cancel (reason: unknown): Promise<void> {
    await this.body.cancel(reason)
  }

  #read (bytes: Uint8Array): void {
    this.#vainBytes += bytes.length
    const text = this.#decoder.decode(bytes, { stream: true })
    if (this.#beginning !== null && this.#beginning.length < responseLimits.errorBytes) this.#beginning += text
    this.#events.feed(text)
    if (this.#vainBytes > responseLimits.vainBytes) throw new AnswerTooLarge('response')
  }

  #take (data: string): void {
    this.#beginning = null
    this.#answer.take(data, this.#isAtEnd)
  }

  /** Called at the end of the body: reads an event without an end, and an error or a web page in place of events. */
  #readLast (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): void {
    this.#events.feed(this.#decoder.decode())
    this.#isAtEnd = true
    this.#events.feed('\n\n')
    if (isWebPage(this.#beginning)) throw new WebPage()
    const error = failureInBody(this.#beginning ?? '')
    if (error !== null) controller.enqueue({ type: 'error', error })
  }
}

/** Returns whether a part carries content for a person or a tool. */
function isSaid (part: LanguageModelV4StreamPart): boolean {
  return 'delta' in part ? part.delta !== '' : part.type === 'tool-input-start'
}

/** How many bytes may follow the last event, and how long they may take. */
const restBytes = 64 * 1_024
const restMs = 1_000

/** Reads the rest of a body, so that its connection can be reused; in most cases the end has already arrived. */
async function readOut (body: ReadableStreamDefaultReader<Uint8Array>): Promise<void> {
  const leave = (): void => { body.cancel().catch(() => {}) }
  const stop = after(restMs, leave)
  try {
    for (let bytes = 0; bytes <= restBytes;) {
      const { done, value } = await body.read()
      if (done) return
      bytes += value.length
    }
    leave()
  } catch {
    // The answer is already complete.
  } finally {
    stop()
  }
}

/** Returns why no answer has begun, as the error that the AI SDK's client would throw, by which failures are classified. */
function unreachable (error: unknown, url: string): unknown {
  if (!(error instanceof Error) || error.name === 'AbortError' || error.name === 'TimeoutError') return error
  const cause = error.message === 'fetch failed' && error.cause instanceof Error ? error.cause : error
  if (cause === error && !('code' in error)) return error
  return new APICallError({ message: `Cannot connect to API: ${cause.message}`, cause, url, requestBodyValues: {}, isRetryable: true })
}

function unreadable (response: Response, url: string, message: string, cause: unknown, responseBody?: string): APICallError {
  return new APICallError({
    message, cause, url, requestBodyValues: {}, statusCode: response.status, responseHeaders: headersOf(response),
    ...(responseBody === undefined ? {} : { responseBody })
  })
}

async function refusal (response: Response, url: string): Promise<APICallError> {
  const responseBody = await response.text()
  const said = refusalIn(responseBody)
  return new APICallError({
    message: said?.message ?? response.statusText, url, requestBodyValues: {}, statusCode: response.status,
    responseHeaders: headersOf(response), responseBody, data: said?.body
  })
}

const definedIn = (headers: LanguageModelV4CallOptions['headers'] = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => value === undefined ? [] : [[name, value]]))

const isJson = ({ headers }: Response): boolean => /\bjson\b/i.test(headers.get('content-type') ?? '')

function headersOf (response: Response): Record<string, string> {
  return Object.fromEntries(response.headers)
}
