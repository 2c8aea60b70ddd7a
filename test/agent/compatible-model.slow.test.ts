import { APICallError, type LanguageModelV4, type LanguageModelV4CallOptions, type LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { createParser } from 'eventsource-parser'
import { deepStrictEqual } from 'node:assert'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import t from '#test'
import { createLanguageModel } from '../../services/agent/model/language-model.js'
import { Answer } from '../../services/agent/model/compatible/answer.js'
import { CallPieces } from '../../services/agent/model/compatible/call-pieces.js'
import { classifyModelError } from '../../services/providers/errors.js'
import { limitedFetch } from '../../services/providers/limited-fetch.js'
import { responseLimits } from '../../services/providers/limits.js'
import { type ProviderEntry } from '../../services/providers/registry.js'
import { eventually } from '../support/chat.js'
import { recordedStreams } from '../support/recorded-streams.js'
import { tries } from '../support/tries.js'

// This project's own parser reads the streams of compatible servers. Here the AI SDK's client reads the same bytes, and both must produce
// the same parts, tokens and failures.

const entry: ProviderEntry = {
  id: 'custom', displayName: 'Custom', kind: 'openai-compatible', baseUrl: 'http://models.example/v1/', apiKey: 'the-key', keySource: 'config_yaml', isSelfHosted: false, isCustom: true
} as ProviderEntry
const ref = { provider: 'custom', id: 'some-model' }
const call: LanguageModelV4CallOptions = { prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] }

const MiB = 1_048_576

type Fetch = typeof globalThis.fetch

const ours = async (fetch: Fetch): Promise<LanguageModelV4> => await createLanguageModel(entry, ref, { fetch })
const theirs = async (fetch: Fetch): Promise<LanguageModelV4> => createOpenAICompatible({ name: 'openaiCompatible', baseURL: 'http://models.example/v1/', includeUsage: true, apiKey: 'the-key', fetch: limitedFetch(fetch) }).chatModel(ref.id)

/** Returns an answer in these pieces; `isCut`: the connection breaks after the last one. */
function answering (pieces: Uint8Array[], isCut = false): Fetch {
  return async () => {
    let next = 0
    const body = new ReadableStream<Uint8Array>({
      pull (controller) {
        const piece = pieces[next++]
        if (piece !== undefined) controller.enqueue(piece)
        else if (isCut) controller.error(new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) }))
        else controller.close()
      }
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream', 'x-request-id': 'r1' } })
  }
}

interface Heard { parts: unknown[], error?: unknown }

/** Collects parts up to the first failure, because the turn loop reads no further. */
async function hear (model: LanguageModelV4): Promise<Heard> {
  const parts: unknown[] = []
  try {
    const { stream } = await model.doStream(call)
    for await (const part of stream) {
      if (part.type === 'error') return { parts, error: failure(part.error) }
      parts.push(part)
    }
    return { parts }
  } catch (error) {
    return { parts, error: failure(error) }
  }
}

/** Returns the classified failure; errors that a server sends in its stream are passed on as they are. */
function failure (error: unknown): unknown {
  return { is: error instanceof Error ? 'thrown' : 'told', means: classifyModelError(error, 'Custom') }
}

/** Replaces ids that no server has given, because they are generated. */
function comparable ({ parts, error }: Heard, bytes: string): Heard {
  const madeUp = new Map<string, string>()
  const named = (id: string): string => {
    if (bytes.includes(JSON.stringify(id)) || /^(txt|reasoning)-/.test(id)) return id
    if (!madeUp.has(id)) madeUp.set(id, `made up ${madeUp.size}`)
    return madeUp.get(id)!
  }
  return {
    error,
    parts: (parts as LanguageModelV4StreamPart[]).map((part) => ({ ...part, ...('id' in part && part.id !== undefined && part.type !== 'response-metadata' && { id: named(part.id) }), ...('toolCallId' in part && { toolCallId: named(part.toolCallId) }) }))
  }
}

async function both (bytes: string, pieces: Uint8Array[] = [Buffer.from(bytes)], isCut = false): Promise<[Heard, Heard]> {
  const [here, there] = await Promise.all([ours, theirs].map(async (model) => comparable(await hear(await model(answering(pieces, isCut))), bytes)))
  return [here!, there!]
}

/** Runs the parser alone, without a connection; the first part of each stream comes from the model. */
function parse (pieces: Buffer[], text: string): Heard {
  const parts: LanguageModelV4StreamPart[] = [{ type: 'stream-start', warnings: [] }]
  const decoder = new TextDecoder()
  const answer = new Answer((part) => parts.push(part))
  let isLast = false
  const events = createParser({ onEvent: ({ data }) => answer.take(data, isLast) })
  let thrown: unknown
  try {
    for (const piece of pieces) events.feed(decoder.decode(piece, { stream: true }))
    isLast = true
    events.feed('\n\n')
    answer.end()
  } catch (error) {
    thrown = failure(error)
  }
  const failed = parts.findIndex((part) => part.type === 'error')
  const error = failed === -1 ? thrown : failure((parts[failed] as { error: unknown }).error)
  return comparable({ parts: failed === -1 ? parts : parts.slice(0, failed), error }, text)
}

/** Streams from which this parser reads more than the AI SDK does: the expected result. */
const heardBetter: Record<string, object> = {
  'an error that is a text': { error: { means: { message: 'Custom has a problem of its own.', retryable: true } } },
  'a connection that breaks after the end': { parts: [{}, {}, {}, {}, {}, { type: 'finish', finishReason: { unified: 'stop' } }], error: undefined },
  'a last event without its empty line': { parts: [{}, {}, {}, {}, {}, { type: 'finish', finishReason: { unified: 'stop' } }], error: undefined },
  'a failure in the place of a stream': { error: { means: { message: 'The request to Custom failed: Model m is not loaded', retryable: false } } },
  'a failure that is a text in the place of a stream': { error: { means: { message: 'The request to Custom failed: model requires more system memory', retryable: false } } },
  'a failure in a list in the place of a stream': { error: { means: { type: 'rate_limit', retryable: true } } },
  'a failure without a name around it': { error: { means: { message: 'Custom refused the request (status 400): The prompt holds no text', retryable: false } } },
  'an event after the last one': { parts: [{}, {}, {}, {}, {}, { type: 'finish', finishReason: { unified: 'stop' } }], error: undefined }
}

t.test('recorded streams are heard as the AI SDK hears them, however they are cut', { long: true }, async (t) => {
  for (const [name, text, isCut] of recordedStreams) {
    const bytes = Buffer.from(text)
    const [here, there] = await both(text, [bytes], isCut)
    // Here, parts from before a broken connection are kept; the AI SDK may lose them.
    if (isCut && here.error !== undefined) here.parts.length = Math.min(here.parts.length, there.parts.length)
    if (name in heardBetter) t.match(here, heardBetter[name]!, name)
    else t.same(here, there, name)
    if (isCut) continue
    const single = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1))
    t.same(comparable(await hear(await ours(answering(single))), text), here, `${name}, byte by byte`)
    // An answer in place of a stream is read by the model, not by the parser.
    if (name.endsWith('in the place of a stream')) continue
    const differing = single.findIndex((_, at) => !isDeepStrictEqual(parse([bytes.subarray(0, at), bytes.subarray(at)], text), parse([bytes], text)))
    t.equal(differing, -1, `${name}, split at every byte`)
  }
})

const word = fc.constantFrom('', 'a', ' b', 'é', '{"x":', '1}', '"', '[]', '\\', '😀', '\n\ndata: x')
const nullish = <Value>(value: fc.Arbitrary<Value>) => fc.option(fc.option(value, { nil: null }), { nil: undefined })
const callPiece = fc.record({
  index: nullish(fc.constantFrom(0, 1, 2)),
  id: nullish(fc.constantFrom('call_a', 'call_b', '', ' ')),
  function: fc.record({ name: nullish(fc.constantFrom('read', 'write', '', ' ')), arguments: nullish(word) }),
  extra_content: nullish(fc.record({ google: nullish(fc.record({ thought_signature: nullish(fc.constantFrom('', 'sig')) })) }))
})
const content = fc.oneof(word, fc.array(fc.oneof(
  fc.record({ type: fc.constant('text'), text: fc.oneof(word, fc.constant(3)) }),
  fc.record({ type: fc.constant('thinking'), thinking: fc.array(fc.oneof(fc.record({ type: fc.constant('text'), text: word }), fc.constant(null))) }),
  fc.record({ type: fc.constant('image') })
), { maxLength: 3 }))
const delta = fc.record({
  role: nullish(fc.constantFrom('assistant', '')),
  content: nullish(content),
  reasoning_content: nullish(word),
  reasoning: nullish(word),
  refusal: nullish(fc.oneof(word, fc.constant(false))),
  tool_calls: nullish(fc.array(callPiece, { maxLength: 3 }))
})
const tokens = nullish(fc.oneof(fc.nat(9_999), fc.constant(-1)))
const usage = fc.record({
  prompt_tokens: tokens, completion_tokens: tokens, cost: fc.constant(0.1), prompt_tokens_details: nullish(fc.record({ cached_tokens: tokens })),
  completion_tokens_details: nullish(fc.record({ reasoning_tokens: tokens, accepted_prediction_tokens: tokens, rejected_prediction_tokens: tokens }))
})
const reason = nullish(fc.constantFrom('stop', 'length', 'tool_calls', 'function_call', 'content_filter', 'eos'))
const chunk = fc.record({ id: nullish(word), created: nullish(fc.nat()), model: nullish(word), choices: fc.array(fc.record({ delta: nullish(delta), finish_reason: reason }), { maxLength: 2 }), usage: nullish(usage) })
const oddity = fc.oneof(
  fc.record({ error: fc.record({ message: fc.oneof(word, fc.constant(1)), type: nullish(word), code: nullish(fc.oneof(word, fc.nat())), more: fc.constant(true) }) }),
  fc.record({ error: word, choices: fc.array(fc.record({})) }),
  fc.jsonValue(),
  fc.tuple(chunk, fc.constantFrom('id', 'created', 'model', 'choices', 'usage'), fc.jsonValue()).map(([sound, name, value]) => ({ ...sound, [name]: value })),
  fc.tuple(delta, fc.constantFrom('role', 'content', 'reasoning', 'tool_calls'), fc.jsonValue()).map(([sound, name, value]) => ({ choices: [{ delta: { ...sound, [name]: value } }] }))
)

/** Generates events as servers send them, and now and then one that no server should send. */
function streamOf (event: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const line = fc.tuple(event, fc.constantFrom('\n\n', '\r\n\r\n', '\n\n\n', '\nevent: x\n\n'), fc.constantFrom('data: ', 'data:', ': hello\ndata: ', 'id: 1\nretry: 5\ndata: '))
    .map(([value, end, begin]) => `${begin}${JSON.stringify(value)}${end}`)
  return fc.tuple(fc.array(line, { maxLength: 8 }), fc.boolean()).map(([lines, isDone]) => `${lines.join('')}${isDone ? 'data: [DONE]\n\n' : ''}`)
}

function cutAt (bytes: Buffer, places: number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % (bytes.length + 1)).sort((left, right) => left - right), bytes.length]
  return sorted.slice(1).map((to, index) => bytes.subarray(sorted[index], to))
}

t.test('whatever a server sends is heard as the AI SDK hears it', { long: true }, async (t) => {
  const plain = streamOf(chunk)
  const odd = streamOf(fc.oneof({ weight: 4, arbitrary: chunk }, { weight: 1, arbitrary: oddity }))
  const calls = streamOf(fc.record({ choices: fc.tuple(fc.record({ delta: fc.record({ tool_calls: fc.array(callPiece, { minLength: 1, maxLength: 3 }) }), finish_reason: reason })) }))
  for (const [name, stream, runs] of [['plain', plain, 60], ['odd', odd, 120], ['calls', calls, 200]] as const) {
    await fc.assert(fc.asyncProperty(stream, fc.array(fc.nat(4_000), { maxLength: 6 }), async (text, places) => {
      const [here, there] = await both(text, cutAt(Buffer.from(text), places))
      // The SDK's failing streams drop their buffered parts.
      if (there.error !== undefined) here.parts.length = Math.min(here.parts.length, there.parts.length)
      deepStrictEqual(here, there)
    }), { numRuns: runs, seed: 20_251_122 })
    t.pass(name)
  }
})

t.test('answers in one piece are read as the AI SDK reads them', async (t) => {
  const wholeCall = fc.record({ id: nullish(fc.constantFrom('call_a', 'call_b', '')), function: fc.record({ name: fc.constantFrom('read', 'write'), arguments: word }), extra_content: nullish(fc.record({ google: nullish(fc.record({ thought_signature: nullish(fc.constantFrom('', 'sig')) })) })) })
  const answer = fc.record({ role: nullish(fc.constantFrom('assistant')), content: nullish(content), reasoning_content: nullish(word), reasoning: nullish(word), refusal: nullish(fc.oneof(word, fc.constant(false))), tool_calls: nullish(fc.uniqueArray(wholeCall, { maxLength: 2, comparator: (one, other) => Boolean(one.id) && one.id === other.id })) })
  const completion = fc.record({ id: nullish(word), created: nullish(fc.nat(2)), model: nullish(word), choices: fc.array(fc.record({ message: answer, finish_reason: reason }), { maxLength: 2 }), usage: nullish(usage) })
  const text = fc.oneof(
    { weight: 4, arbitrary: completion.map((value) => JSON.stringify(value)) },
    fc.constantFrom('', 'no JSON', '{}', '{"choices":[{}]}', '{"choices":[{"message":{"role":"user"}}]}', '{"error":{"message":"boom"}}'),
    fc.tuple(answer, fc.constantFrom('role', 'content', 'tool_calls'), fc.jsonValue()).map(([sound, name, value]) => JSON.stringify({ choices: [{ message: { ...sound, [name]: value } }] }))
  )
  await fc.assert(fc.asyncProperty(text, async (body) => {
    const fetch: Fetch = async () => new Response(body, { headers: { 'content-type': 'application/json' } })
    const [here, there] = await Promise.all([ours, theirs].map(async (model) => {
      try {
        const { content: said, finishReason, usage: used, providerMetadata } = await (await model(fetch)).doGenerate(call)
        return comparable({ parts: [...said, { finishReason: finishReason.unified, used, providerMetadata }] }, body)
      } catch (error) {
        return failure(error)
      }
    }))
    deepStrictEqual(here, there)
  }), { numRuns: tries(150), seed: 20_251_122 })
  t.pass('and so are bodies that are none')
})

t.test('an error that is null is none', async (t) => {
  const text = [{ delta: { content: 'There' }, finish_reason: null }, { delta: {}, finish_reason: 'stop' }]
    .map((choice) => `data: ${JSON.stringify({ error: null, choices: [choice] })}\n\n`).join('')
  const { stream } = await (await ours(answering([Buffer.from(text)]))).doStream(call)
  const parts: LanguageModelV4StreamPart[] = []
  for await (const part of stream) parts.push(part)
  t.match(parts.map(({ type }) => type), ['stream-start', 'text-start', 'text-delta', 'text-end', 'finish'])
  t.match(parts.at(-1), { finishReason: { unified: 'stop' } })
})

const ownData = fc.option(fc.constant({ openaiCompatible: { mark: 'm' }, anthropic: { signature: 's' } }), { nil: undefined })
const textPart = fc.record({ type: fc.constant('text' as const), text: word, providerOptions: ownData }, { requiredKeys: ['type', 'text'] })
const imagePart = fc.record({
  type: fc.constant('file' as const),
  mediaType: fc.constantFrom('image/png', 'image/webp'),
  data: fc.oneof(
    fc.oneof(fc.uint8Array({ maxLength: 9 }), fc.constant('aGk=')).map((data) => ({ type: 'data' as const, data })),
    fc.constant({ type: 'url' as const, url: new URL('http://images.example/a.png') })
  )
})
const output = fc.oneof(
  fc.record({ type: fc.constantFrom('text' as const, 'error-text' as const), value: word }),
  fc.record({ type: fc.constantFrom('json' as const, 'error-json' as const), value: fc.constantFrom({ a: 1 }, [null], 'x') }),
  fc.record({ type: fc.constant('execution-denied' as const), reason: fc.option(word, { nil: undefined }) })
)
const message = fc.oneof(
  fc.record({ role: fc.constant('system' as const), content: word, providerOptions: ownData }),
  fc.record({ role: fc.constant('user' as const), content: fc.array(fc.oneof(textPart, imagePart), { minLength: 1, maxLength: 3 }), providerOptions: ownData }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: fc.array(fc.oneof(textPart, fc.record({ type: fc.constant('reasoning' as const), text: word }), fc.record({
      type: fc.constant('tool-call' as const), toolCallId: word, toolName: word, input: fc.constantFrom<unknown>({}, { path: 'a' }, '{"path": "a"}', 'no JSON'),
      providerOptions: fc.constantFrom(undefined, { google: { thoughtSignature: 'sig' } }, { openaiCompatible: { thoughtSignature: 'sig' } })
    })), { maxLength: 4 }),
    providerOptions: ownData
  }),
  fc.record({ role: fc.constant('tool' as const), content: fc.array(fc.record({ type: fc.constant('tool-result' as const), toolCallId: word, toolName: word, output, providerOptions: ownData }), { maxLength: 3 }) })
)
const options = fc.record({
  prompt: fc.array(message, { maxLength: 5 }),
  tools: fc.constantFrom(undefined, [], [{ type: 'function' as const, name: 'read', description: 'Reads', inputSchema: { type: 'object' as const, properties: {} } }]),
  toolChoice: fc.constantFrom(undefined, { type: 'auto' as const }, { type: 'none' as const }, { type: 'tool' as const, toolName: 'read' }),
  maxOutputTokens: fc.constantFrom(undefined, 100),
  providerOptions: fc.constantFrom(undefined, {}, { openaiCompatible: { reasoningEffort: 'high' } })
})

t.test('requests are what the AI SDK sends', async (t) => {
  const sent: Array<{ url: string, body: unknown, authorization: string | null, type: string | null }> = []
  const fetch: Fetch = async (input, init) => {
    const headers = new Headers(init?.headers)
    sent.push({ url: String(input), body: JSON.parse(String(init?.body)), authorization: headers.get('authorization'), type: headers.get('content-type') })
    return new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
  }
  const [own, sdk] = [await ours(fetch), await theirs(fetch)]
  await fc.assert(fc.asyncProperty(options, async (asked) => {
    sent.length = 0
    for (const model of [own, sdk]) await (await model.doStream(asked as LanguageModelV4CallOptions)).stream.cancel()
    for (const model of [own, sdk]) await t.rejects(async () => await model.doGenerate(asked as LanguageModelV4CallOptions))
    deepStrictEqual(sent[2], sent[3])
    deepStrictEqual(sent[0], sent[1])
  }), { numRuns: tries(100), seed: 20_251_122 })
  t.match(sent[0], { url: 'http://models.example/v1/chat/completions', authorization: 'Bearer the-key', type: 'application/json' })
})

t.test('refusals and failures are what the AI SDK makes of them', async (t) => {
  const refusing = (status: number, body: string | null, headers: Record<string, string> = {}): Fetch => async () => new Response(body, { status, statusText: 'No', headers })
  const coded = (code: string): Error => Object.assign(new Error('connect failed'), { code })
  const throwing = (error: unknown): Fetch => async () => { throw error }
  const cases: Array<[string, Fetch]> = [
    ['a key that is wrong', refusing(401, '{"error":{"message":"Incorrect API key","type":"invalid_request_error","code":"invalid_api_key"}}')],
    ['too many requests', refusing(429, '{"error":{"message":"Slow down"}}', { 'retry-after': '7' })],
    ['a proxy in a bad moment', refusing(502, '<html>Bad gateway</html>')],
    ['nothing said', refusing(500, '')],
    ['an error of another shape', refusing(400, '{"detail":"context length exceeded"}')],
    ['an error that is a text', refusing(400, '{"error":"model not found"}')],
    ['a body without end', refusing(503, 'x'.repeat(200_000))],
    ['an answer without a body', refusing(204, null)],
    ['nobody there', throwing(new TypeError('fetch failed', { cause: coded('ECONNREFUSED') }))],
    ['a connection that breaks', throwing(coded('ECONNRESET'))],
    ['no time left', throwing(new DOMException('too late', 'TimeoutError'))],
    ['an address that is none', throwing(new TypeError('Failed to parse URL'))]
  ]
  for (const [name, fetch] of cases) {
    const [here, there] = await Promise.all([ours, theirs].map(async (model) => await (await model(fetch)).doStream(call).then(() => null, (error: unknown) => error)))
    t.same(classifyModelError(here, 'Custom'), classifyModelError(there, 'Custom'), name)
    if (!APICallError.isInstance(there) || !APICallError.isInstance(here)) continue
    const facts = ({ message, statusCode, isRetryable, responseBody = '', responseHeaders, data, url }: APICallError) => ({ message, statusCode, isRetryable, bodyChars: responseBody.length, responseHeaders, data, url })
    t.same(facts(here), facts(there), name)
  }
})

t.test('what goes on without a word is read for a while, and what goes on after the last word is not', async (t) => {
  const endless = (first: string, piece: string): { fetch: Fetch, sent: () => number, isOver: () => boolean } => {
    let sent = 0
    let isOver = false
    const bytes = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)))
    const fetch: Fetch = async () => new Response(new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from(first)),
      pull (controller) {
        sent += bytes.length
        controller.enqueue(bytes)
      },
      cancel () { isOver = true }
    }), { headers: { 'content-type': 'text/event-stream' } })
    return { fetch, sent: () => sent, isOver: () => isOver }
  }
  const said = 'data: {"choices":[{"delta":{"content":"Well"}}]}\n\n'
  const called = 'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":""}}]}}]}\n\n'
  const vain = [
    'data: {"choices":[]}\n\n', ': still there\n\n', 'data: {"choices":[{"delta":{"content":""}}]}\n\n',
    'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"arguments":""}}]}}]}\n\n'
  ]
  for (const piece of vain) {
    const { fetch, sent, isOver } = endless(`${said}${called}`, piece)
    const heard = await hear(await ours(fetch))
    t.match(heard, { error: { means: { type: 'answer_too_large', retryable: false } } }, piece)
    t.ok(sent() <= responseLimits.vainBytes + 4 * 65_536, `${sent()} bytes`)
    t.equal(isOver(), true)
  }
  const over = endless(`${said}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`, said)
  const heard = await hear(await ours(over.fetch))
  t.match(heard.parts.at(-1), { type: 'finish', finishReason: { unified: 'stop' } })
  t.equal(heard.parts.filter((part) => (part as LanguageModelV4StreamPart).type === 'text-delta').length, 1)
  await eventually('the end of the connection', () => over.isOver())
  t.ok(over.sent() < MiB, `${over.sent()} bytes`)
})

t.test('a connection is read to its end behind the last word, to be used again', async (t) => {
  let isRead = false
  let isCancelled = false
  let step = 0
  const fetch: Fetch = async () => new Response(new ReadableStream({
    async pull (controller) {
      if (step++ === 0) return controller.enqueue(Buffer.from('data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'))
      isRead = true
      controller.close()
    },
    cancel () { isCancelled = true }
  }, { highWaterMark: 0 }), { headers: { 'content-type': 'text/event-stream' } })
  t.match((await hear(await ours(fetch))).parts.at(-1), { type: 'finish' })
  await eventually('the end of the body', () => isRead)
  t.equal(isCancelled, false)
})

t.test('calls under numbers and ids without end are no answer', async (t) => {
  const pieces = new CallPieces(() => {}, 'x')
  const piece = (index: number, name: string) => ({ index, id: `call_${index}`, function: { name, arguments: '' } })
  t.throws(() => { for (let index = 0; index < 1_000; index++) pieces.take(piece(index, ' ')) }, { name: 'AnswerTooLarge', limit: 'tool_calls' })
  const heard: LanguageModelV4StreamPart[] = []
  const other = new CallPieces((part) => heard.push(part), 'x')
  other.take(piece(0, 'read'))
  for (let at = 0; at < 1_000; at++) other.take({ index: 0, id: `other_${at}`, function: { arguments: 'x' } })
  other.end()
  t.match(heard.at(-1), { type: 'tool-call', toolCallId: 'call_0', input: 'x'.repeat(1_000) })
})

t.test('who has heard enough ends the request', async (t) => {
  let isOver = false
  const fetch: Fetch = async () => new Response(new ReadableStream({
    pull: (controller) => controller.enqueue(Buffer.from('data: {"choices":[{"delta":{"content":"more "}}]}\n\n')),
    cancel () { isOver = true }
  }), { headers: { 'content-type': 'text/event-stream' } })
  const reader = (await (await ours(fetch)).doStream(call)).stream.getReader()
  for (let part = 0; part < 5; part++) await reader.read()
  await reader.cancel()
  t.equal(isOver, true)
})
