import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { type TestLike } from './app.js'

/** One step of a scripted answer. */
export type ModelStep =
  /** `isProse`: its words stay as they are even if words are replaced with timestamps. */
  | { text: string, isProse?: boolean }
  /** `field`: the name that OpenAI-compatible servers use for it; both exist. */
  | { reasoning: string, field?: 'reasoning_content' | 'reasoning' }
  /** Streams the arguments in pieces. A string is sent as it is, valid JSON or not. */
  | { tool: string, args: Record<string, unknown> | string, id?: string }
  | { usage: { input: number, output: number, cacheRead?: number, cacheWrite?: number, reasoning?: number } }
  | { finish: string }
  | { waitMs: number }
  /** Bytes as they are, instead of events; `times` times, as fast as they are accepted. */
  | { raw: string, times?: number }
  /** A delta in one piece, however long. */
  | { chunk: string, as?: 'text' | 'reasoning' }
  /** An error in place of an answer; `error` is the body's text, `padBytes` makes it longer. */
  | { refuse: number, headers?: Record<string, string>, error?: string, padBytes?: number }
  /** Breaks the connection off. */
  | { cut: true }

export interface ModelRequest {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The body as it was sent. */
  body: Record<string, unknown>
  model: string
  messages: Array<{ role: string, content: unknown, [key: string]: unknown }>
  /** Names of the offered tools. */
  tools: string[]
  stream: boolean
  /** Number of the request for this model, from 1. */
  attempt: number
  /** How much of the answer was sent so far, and whether the connection is closed. */
  sentBytes: number
  isClosed: boolean
}

export type ModelScript = (request: ModelRequest) => ModelStep[] | Promise<ModelStep[]> | undefined

export interface ModelEndpoint {
  /** Base address of the OpenAI-compatible interface (…/v1), and of Anthropic's and Ollama's. */
  url: string
  requests: ModelRequest[]
  /** Sets a function that determines every further answer; if it returns undefined, the model answers as usual. */
  script (fn: ModelScript): void
  /** Refuses further requests as too long for the model if `fn` returns true. */
  refuse (fn: (request: ModelRequest) => boolean): void
  close (): Promise<void>
}

export interface ModelEndpointOptions {
  /** Default: as fast as possible. */
  tokensPerSecond?: number
  /** `timestamps`: every word is `t` followed by the microsecond since the epoch at which it was sent. */
  words?: 'plain' | 'timestamps'
  /** Model ids that `/models` lists besides those with a behaviour of their own. */
  models?: string[]
  /** How many words an unscripted answer has. */
  answerWords?: number
}

const behaviours = ['test-model', 'test-reasoning', 'test-tools']
/** Includes the models of scripts, for clients that only use listed models. */
export const withScripted = [...behaviours, ...Array.from({ length: 40 }, (_, index) => `scripted-${index + 1}`), 'fault-404']

/**
 * Starts a model endpoint on a port of its own: OpenAI-compatible chat completions and models, Anthropic messages, Ollama's tags. A model
 * id that starts with `fault-` misbehaves as its name says; with `-once` only at the first request.
 */
export async function startModelEndpoint ({ tokensPerSecond = 0, words = 'plain', models = behaviours, answerWords = 12 }: ModelEndpointOptions = {}): Promise<ModelEndpoint> {
  const requests: ModelRequest[] = []
  const attempts = new Map<string, number>()
  let script: ModelScript | undefined
  let isTooLong: (request: ModelRequest) => boolean = () => false

  const server = createServer((message, response) => {
    response.on('error', () => {})
    answer(message, response).catch((error: unknown) => {
      if (!response.destroyed) sendError(response, 500, String(error), 'server_error')
    })
  })

  async function answer (message: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(message.url ?? '/', 'http://endpoint').pathname
    const body = await readJson(message)
    const model = typeof body['model'] === 'string' ? body['model'] : ''
    const attempt = (attempts.get(model) ?? 0) + 1
    const request: ModelRequest = {
      method: message.method ?? 'GET',
      path,
      headers: message.headers,
      body,
      model,
      messages: Array.isArray(body['messages']) ? body['messages'] as ModelRequest['messages'] : [],
      tools: Array.isArray(body['tools']) ? body['tools'].map(toolName) : [],
      stream: body['stream'] === true,
      attempt,
      sentBytes: 0,
      isClosed: false
    }
    response.on('close', () => { request.isClosed = true })
    requests.push(request)
    if (path.endsWith('/models')) return sendJson(response, 200, { object: 'list', data: models.map((id) => ({ id, object: 'model', owned_by: 'test', ...id.startsWith('scripted-') ? {} : { context_length: 32_000 } })) })
    if (path === '/api/tags') return sendJson(response, 200, { models: models.map((id) => ({ name: id, model: id, details: { families: ['llama'] } })) })
    const dialect = path.endsWith('/chat/completions') ? openai : path.endsWith('/messages') ? anthropic : undefined
    if (dialect === undefined || request.method !== 'POST') return sendError(response, 404, 'Not found', 'not_found')

    attempts.set(model, attempt)
    if (isTooLong(request) && refuse('overflow', response)) return
    const fault = /^fault-(.+?)(-once)?$/.exec(model)
    const isFaulty = fault !== null && (fault[2] === undefined || attempt === 1)
    if (isFaulty && refuse(fault[1] as string, response)) return
    const steps = (isFaulty ? faultySteps(fault[1] as string) : undefined) ?? await script?.(request) ?? usualSteps(request, answerWords)
    const isSilent = isFaulty && fault[1] === 'silence'
    const writer = createWriter(response, tokensPerSecond, (bytes) => { request.sentBytes += bytes })
    const refusal = steps.find((step) => 'refuse' in step)
    if (refusal !== undefined) return await sendRefusal(refusal, writer, response)
    if (!request.stream) return sendJson(response, 200, dialect.whole(request, steps))
    if (isSilent) return writer.open()
    await dialect.stream(request, stamped(steps, words), writer)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    script (fn) { script = fn },
    refuse (fn) { isTooLong = fn },
    async close () {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

/** Starts a model endpoint that is closed at the end of the test. */
export async function modelEndpoint (t: Pick<TestLike, 'teardown'>, options: ModelEndpointOptions = {}): Promise<ModelEndpoint> {
  const endpoint = await startModelEndpoint(options)
  t.teardown(() => endpoint.close())
  return endpoint
}

async function sendRefusal ({ refuse, headers = {}, error = 'No', padBytes = 0 }: Extract<ModelStep, { refuse: number }>, writer: Writer, response: ServerResponse): Promise<void> {
  response.writeHead(refuse, { 'content-type': 'application/json', ...headers })
  const [head, tail] = JSON.stringify({ error: { message: `${error}|` } }).split('|') as [string, string]
  await writer.raw(head)
  await writer.raw(padding, Math.ceil(padBytes / padding.length))
  writer.end(tail)
}

/** Sends faults that replace the whole answer. Returns whether it did. */
function refuse (fault: string, response: ServerResponse): boolean {
  switch (fault) {
    case 'hang': return true
    case '401': sendError(response, 401, 'Incorrect API key provided: sk-test-12345678abcdef', 'invalid_api_key'); return true
    case '402': sendError(response, 402, 'Payment required', 'billing'); return true
    case '404': sendError(response, 404, 'The model does not exist', 'model_not_found'); return true
    case '429': sendError(response, 429, 'Rate limit reached', 'rate_limit_exceeded', { 'retry-after': '0' }); return true
    case 'quota': sendError(response, 429, 'You exceeded your current quota', 'insufficient_quota'); return true
    case '500': sendError(response, 500, 'Something broke at /srv/app/worker.py', 'server_error'); return true
    case 'overflow': sendError(response, 400, 'This model\'s maximum context length is 8192 tokens.', 'context_length_exceeded'); return true
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: this is no JSON {{{\n\n')
      return true
    default: return false
  }
}

function faultySteps (fault: string): ModelStep[] | undefined {
  switch (fault) {
    case 'cut-text': return [{ text: 'This answer breaks off in the middle of' }, { cut: true }]
    case 'cut-reasoning': return [{ reasoning: 'I think about something and' }, { cut: true }]
    case 'empty': return [{ finish: 'stop' }]
    default: return undefined
  }
}

function usualSteps (request: ModelRequest, answerWords: number): ModelStep[] {
  const text = Array.from({ length: answerWords }, (_, index) => `word${index + 1}`).join(' ')
  const answeredTool = request.messages.at(-1)?.role === 'tool'
  if (request.model === 'test-reasoning') return [{ reasoning: 'First I think about it.' }, { text }]
  if (request.model === 'test-tools' && !answeredTool && request.tools[0] !== undefined) return [{ tool: request.tools[0], args: {} }]
  return [{ text }]
}

/** Marks words that are replaced with the time at which they are sent. */
type Timed = ModelStep & { timestamps?: boolean }
const stamped = (steps: ModelStep[], words: 'plain' | 'timestamps'): Timed[] =>
  words === 'plain' ? steps : steps.map((step) => 'text' in step && step.isProse !== true ? { ...step, timestamps: true } : step)

interface Writer {
  open (): void
  event (payload: unknown, name?: string): Promise<void>
  raw (text: string, times?: number): Promise<void>
  /** Waits for the duration of one token. */
  pace (): Promise<void>
  cut (): Promise<void>
  end (last?: string): void
  readonly isClosed: boolean
}

const padding = 'x'.repeat(64 * 1024)

function createWriter (response: ServerResponse, tokensPerSecond: number, sent: (bytes: number) => void): Writer {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const startMs = performance.now()
  let tokens = 0
  const open = (): void => {
    if (response.headersSent) return
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
    response.flushHeaders()
  }
  const raw = async (text: string, times = 1): Promise<void> => {
    open()
    const bytes = Buffer.from(text)
    for (let time = 0; time < times && !response.destroyed; time++) {
      const isTaken = response.write(bytes)
      sent(bytes.length)
      if (isTaken) continue
      await new Promise<void>((resolve) => {
        const done = (): void => { response.off('drain', done); response.off('close', done); resolve() }
        response.on('drain', done).on('close', done)
      })
    }
  }
  return {
    open,
    event: async (payload, name) => await raw(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(payload)}\n\n`),
    raw,
    async pace () {
      if (tokensPerSecond <= 0) return
      const dueMs = startMs + (++tokens * 1000) / tokensPerSecond
      const waitMs = dueMs - performance.now()
      if (waitMs > 0) await delay(waitMs, undefined, { signal: gone.signal }).catch(() => {})
    },
    async cut () {
      await delay(5)
      response.destroy()
    },
    end (last) {
      if (response.destroyed) return
      open()
      response.end(last)
    },
    get isClosed () { return response.destroyed }
  }
}

interface Dialect {
  stream (request: ModelRequest, steps: Timed[], writer: Writer): Promise<void>
  whole (request: ModelRequest, steps: ModelStep[]): unknown
}

interface Usage { input: number, output: number, cacheRead?: number, cacheWrite?: number, reasoning?: number }

function summary (request: ModelRequest, steps: ModelStep[]): { text: string, usage: Usage, finish: string | undefined, tools: Array<{ id: string, name: string, args: string }> } {
  const pick = <Key extends string>(key: Key) => steps.filter((step): step is Extract<ModelStep, Record<Key, unknown>> => key in step)
  const text = pick('text').map((step) => step.text).join('')
  const tools = pick('tool').map(({ tool, args, id }, index) => ({
    id: id ?? `call_${request.attempt}_${index + 1}`, name: tool, args: typeof args === 'string' ? args : JSON.stringify(args)
  }))
  const usage = pick('usage').at(-1)?.usage ?? { input: Math.ceil(JSON.stringify(request.messages).length / 4), output: Math.max(1, text.split(/\s+/).length) }
  return { text, usage, finish: pick('finish').at(-1)?.finish, tools }
}

function * wordsOf (step: { text: string, timestamps?: boolean }): Generator<string> {
  for (const [word] of step.text.matchAll(/\s*\S+\s*/g)) {
    yield step.timestamps === true ? `t${Math.round((performance.timeOrigin + performance.now()) * 1000)} ` : word
  }
}

/** Divides arguments into pieces of a few characters; long ones into larger pieces, because each is a frame. */
function * piecesOf (text: string): Generator<string> {
  const length = Math.max(7, Math.ceil(text.length / 2_000))
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

const openai: Dialect = {
  async stream (request, steps, writer) {
    const { usage, finish, tools } = summary(request, steps)
    const base = { id: `chatcmpl-${request.attempt}`, object: 'chat.completion.chunk', created: 1_700_000_000, model: request.model }
    const send = async (delta: Record<string, unknown>, reason: string | null = null): Promise<void> => {
      await writer.event({ ...base, choices: [{ index: 0, delta, finish_reason: reason }] })
    }
    await send({ role: 'assistant', content: '' })
    let toolIndex = 0
    for (const step of steps) {
      if (writer.isClosed) return
      if ('waitMs' in step) await delay(step.waitMs)
      if ('cut' in step) return await writer.cut()
      if ('raw' in step) await writer.raw(step.raw, step.times)
      if ('chunk' in step) await send(step.as === 'reasoning' ? { reasoning_content: step.chunk } : { content: step.chunk })
      if ('text' in step) for (const content of wordsOf(step)) { await writer.pace(); await send({ content }) }
      if ('reasoning' in step) for (const text of wordsOf({ text: step.reasoning })) { await writer.pace(); await send({ [step.field ?? 'reasoning_content']: text }) }
      if ('tool' in step) {
        const index = toolIndex++
        const { id, name, args } = tools[index] as (typeof tools)[number]
        await send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
        for (const piece of piecesOf(args)) { await writer.pace(); await send({ tool_calls: [{ index, function: { arguments: piece } }] }) }
      }
    }
    await send({}, finish ?? (toolIndex > 0 ? 'tool_calls' : 'stop'))
    const wantsUsage = (request.body['stream_options'] as { include_usage?: boolean } | undefined)?.include_usage === true
    if (wantsUsage) await writer.event({ ...base, choices: [], usage: openaiUsage(usage) })
    writer.end('data: [DONE]\n\n')
  },
  whole (request, steps) {
    const { text, usage, finish, tools } = summary(request, steps)
    return {
      id: `chatcmpl-${request.attempt}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model: request.model,
      choices: [{
        index: 0,
        finish_reason: finish ?? (tools.length > 0 ? 'tool_calls' : 'stop'),
        message: {
          role: 'assistant',
          content: text,
          ...(tools.length > 0 && { tool_calls: tools.map(({ id, name, args }) => ({ id, type: 'function', function: { name, arguments: args } })) })
        }
      }],
      usage: openaiUsage(usage)
    }
  }
}

function openaiUsage ({ input, output, cacheRead = 0, reasoning = 0 }: Usage): unknown {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    completion_tokens_details: { reasoning_tokens: reasoning }
  }
}

const anthropic: Dialect = {
  async stream (request, steps, writer) {
    const { usage, finish, tools } = summary(request, steps)
    const send = async (type: string, payload: Record<string, unknown>): Promise<void> => await writer.event({ type, ...payload }, type)
    await send('message_start', {
      message: { id: `msg_${request.attempt}`, type: 'message', role: 'assistant', model: request.model, content: [], stop_reason: null, stop_sequence: null, usage: anthropicUsage({ ...usage, output: 1 }) }
    })
    let index = -1
    let toolIndex = 0
    for (const step of steps) {
      if (writer.isClosed) return
      if ('waitMs' in step) await delay(step.waitMs)
      if ('cut' in step) return await writer.cut()
      if (!('text' in step || 'reasoning' in step || 'tool' in step)) continue
      index++
      const call = 'tool' in step ? tools[toolIndex++] : undefined
      const block = call !== undefined
        ? { type: 'tool_use', id: call.id, name: call.name, input: {} }
        : 'reasoning' in step ? { type: 'thinking', thinking: '', signature: '' } : { type: 'text', text: '' }
      await send('content_block_start', { index, content_block: block })
      if (call !== undefined) {
        for (const piece of piecesOf(call.args)) { await writer.pace(); await send('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json: piece } }) }
      }
      if ('text' in step) for (const text of wordsOf(step)) { await writer.pace(); await send('content_block_delta', { index, delta: { type: 'text_delta', text } }) }
      if ('reasoning' in step) {
        for (const thinking of wordsOf({ text: step.reasoning })) { await writer.pace(); await send('content_block_delta', { index, delta: { type: 'thinking_delta', thinking } }) }
        await send('content_block_delta', { index, delta: { type: 'signature_delta', signature: 'c2lnbmF0dXJl' } })
      }
      await send('content_block_stop', { index })
    }
    await send('message_delta', { delta: { stop_reason: finish ?? (toolIndex > 0 ? 'tool_use' : 'end_turn'), stop_sequence: null }, usage: { output_tokens: usage.output } })
    await send('message_stop', {})
    writer.end()
  },
  whole (request, steps) {
    const { text, usage, finish, tools } = summary(request, steps)
    return {
      id: `msg_${request.attempt}`,
      type: 'message',
      role: 'assistant',
      model: request.model,
      content: [
        ...(text === '' ? [] : [{ type: 'text', text }]),
        ...tools.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: JSON.parse(args) as unknown }))
      ],
      stop_reason: finish ?? (tools.length > 0 ? 'tool_use' : 'end_turn'),
      stop_sequence: null,
      usage: anthropicUsage(usage)
    }
  }
}

/** Here `input_tokens` excludes cached tokens. */
function anthropicUsage ({ input, output, cacheRead = 0, cacheWrite = 0 }: Usage): unknown {
  return { input_tokens: input - cacheRead - cacheWrite, output_tokens: output, cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite }
}

function toolName (tool: unknown): string {
  const { name, function: fn } = tool as { name?: string, function?: { name: string } }
  return name ?? fn?.name ?? ''
}

async function readJson (message: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of message) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return text === '' ? {} : JSON.parse(text) as Record<string, unknown>
}

function sendJson (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

function sendError (response: ServerResponse, status: number, message: string, code: string, headers: Record<string, string> = {}): void {
  sendJson(response, status, { error: { message, type: code, code } }, headers)
}
