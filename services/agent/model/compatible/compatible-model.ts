import {
  APICallError, EmptyResponseBodyError, InvalidResponseDataError, type LanguageModelV4, type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult, type LanguageModelV4StreamPart, type LanguageModelV4StreamResult
} from '@ai-sdk/provider'
import { createParser } from 'eventsource-parser'
import { type UnderlyingSource } from 'node:stream/web'
import {
  AnswerTooLarge, createBodyMeter, isWebPage, limitedResponse, responseLimits, WebPage, type BodyMeter
} from '../../../providers/index.js'
import { after } from '../../../ground/concurrency/after.js'
import { Answer, metadataKey, resultOf, wholeAnswer } from './answer.js'
import { failureInBody, readCompletion, refusalIn } from './chunk.js'
import { requestBody } from './request.js'

export interface CompatibleModelOptions {
  /** Up to and with the version; `/chat/completions` follows. */
  baseUrl: string
  apiKey: string | null
  modelId: string
  fetch: typeof globalThis.fetch
}

/**
 * A model behind an OpenAI-compatible server, as most of the world has it. Its answers are read here, streams event by event: the
 * AI SDK's client takes each token through six streams, which costs half as much again and more. What comes out is
 * the same, and so are the failures (tests read the same bytes both ways).
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
    // A server that streams nothing says all at once.
    const text = await limitedResponse(response).text()
    const whole = streamOf(text)
    if (whole !== null) return { stream: whole, request: { body }, response: { headers: headersOf(response) } }
    response = new Response(text, { status: response.status, headers: response.headers })
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

/** What a stream of a whole answer would have said; null: the text is none. */
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

/** Sends a request. Throws what says why there is no answer, as far as that shows at its beginning. */
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

/** Reads a body and hands out what it says. Nothing is read ahead, so whoever does not read holds up the sender. */
class AnswerSource implements UnderlyingSource<LanguageModelV4StreamPart> {
  readonly #decoder = new TextDecoder()
  readonly #events = createParser({ onEvent: ({ data }) => this.#take(data) })
  #answer!: Answer
  /** The body has ended; what comes now is the event whose own end is missing. */
  #isAtEnd = false
  #hasSpoken = false
  /** What has come since something was said. */
  #vainBytes = 0
  /** Of a body without any event in it, what it begins with. */
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
      // A stream that fails forgets what waits in it; what was said before is heard.
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

  /** The body is over: what waits for its end, and what stands there in the place of events. */
  #readLast (controller: ReadableStreamDefaultController<LanguageModelV4StreamPart>): void {
    this.#events.feed(this.#decoder.decode())
    this.#isAtEnd = true
    this.#events.feed('\n\n')
    if (isWebPage(this.#beginning)) throw new WebPage()
    const error = failureInBody(this.#beginning ?? '')
    if (error !== null) controller.enqueue({ type: 'error', error })
  }
}

/** A piece of an answer, as a person or a tool will get it. */
function isSaid (part: LanguageModelV4StreamPart): boolean {
  return 'delta' in part ? part.delta !== '' : part.type === 'tool-input-start'
}

/** What may follow the last event, and how long it is waited for. */
const restBytes = 64 * 1_024
const restMs = 1_000

/** A connection whose body was read to its end is used again; the end is mostly there already. */
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
    // The answer was whole before.
  } finally {
    stop()
  }
}

/** Why no answer has begun, in the terms of the AI SDK's client, by which failures are told apart. */
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
