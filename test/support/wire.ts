import { Ajv, type ValidateFunction } from 'ajv'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { gunzipSync } from 'node:zlib'
import { Pieces } from '../../routes/shared/sending.js'
import { errors } from '../../schemas/errors.js'
import { questionHeader } from '../../services/areas/relay/index.js'
import { openAiErrors } from '../../schemas/openai.js'

interface FrameSchema { properties: { event: { const: string }, data: object } }
interface StreamSchema { content?: Record<string, { schema: { anyOf: FrameSchema[] } }> }

// Each schema is used only a few times: optimising its validator costs more than it saves.
const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, code: { optimize: false } })
/** Also cached by the schema's text, because each service of a test creates its own objects for the same routes. */
const compiled = new Map<string, ValidateFunction>()
const known = new WeakMap<object, ValidateFunction>()

/** Returns why a value does not match the schema exactly; null if it does. */
export function misfit (schema: object, value: unknown): string | null {
  const validate = known.get(schema) ?? compile(schema)
  if (validate(value)) return null
  const { instancePath, message, params } = validate.errors!.at(-1)!
  return `${instancePath === '' ? 'its root' : instancePath} ${message} ${JSON.stringify(params)}`
}

function compile (schema: object): ValidateFunction {
  const text = JSON.stringify(schema)
  let validate = compiled.get(text)
  if (validate === undefined) compiled.set(text, validate = ajv.compile(schema))
  known.set(schema, validate)
  return validate
}

/**
 * Fails the test if what a route sends does not match its schema, before it is serialised: so nothing is silently coerced or dropped.
 * Finished text is checked against the same schema, and frames against those that the stream declares.
 */
export function checkWire (app: FastifyInstance, t: { fail (message: string): unknown }): void {
  const checked = new WeakSet<FastifyRequest>()
  const fail = (request: FastifyRequest, reply: FastifyReply, problem: string) => {
    t.fail(`${request.method} ${request.url} ${reply.statusCode} does not fit its schema: ${problem}`)
  }

  app.addHook('onRequest', async (request, reply) => {
    const { content } = (request.routeOptions.schema?.response as Record<string, StreamSchema> | undefined)?.[200] ?? {}
    const stream = content?.['text/event-stream']
    if (stream !== undefined) watchFrames(reply, stream.schema.anyOf, (problem) => fail(request, reply, problem))
  })

  app.addHook('preSerialization', async (request, reply, payload) => {
    checked.add(request)
    // From a machine to its service, not to a client.
    if (reply.hasHeader(questionHeader)) return payload
    const schema = schemaOf(request, reply)
    const problem = schema === undefined ? null : misfit(schema, plain(payload))
    if (problem !== null) fail(request, reply, problem)
    return payload
  })

  app.addHook('onSend', async (request, reply, payload) => {
    if (checked.has(request) || !/json/.test(String(reply.getHeader('content-type') ?? ''))) return
    const sent = payload instanceof Pieces ? Buffer.concat(payload.pieces) : payload
    const bytes = Buffer.isBuffer(sent) && reply.getHeader('content-encoding') === 'gzip' ? gunzipSync(sent) : sent
    const text = Buffer.isBuffer(bytes) ? bytes.toString() : bytes
    const schema = schemaOf(request, reply)
    if (schema === undefined || typeof text !== 'string' || text === '') return
    if (request.routeOptions.config.finishedBytes !== true && !request.isRelayed) fail(request, reply, 'it sends finished text and does not say so')
    const problem = misfit(schema, JSON.parse(text))
    if (problem !== null) fail(request, reply, problem)
  })
}

/** Checks every frame of a stream as it is written to the socket. */
function watchFrames (reply: FastifyReply, variants: FrameSchema[], fail: (problem: string) => void): void {
  let rest = ''
  const look = (chunk: unknown): void => {
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) return
    const blocks = (rest + Buffer.from(chunk as string).toString('latin1')).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) {
      const lines = new Map(Buffer.from(block, 'latin1').toString().split('\n').map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]))
      const event = lines.get('event')
      if (event === undefined) continue
      const schema = variants.find(({ properties }) => properties.event.const === event)
      const problem = schema === undefined ? 'nobody has declared it' : misfit(schema.properties.data, JSON.parse(lines.get('data')!))
      if (problem !== null) fail(`the frame ${event}: ${problem}`)
    }
  }
  const { raw } = reply
  for (const name of ['write', 'end'] as const) {
    const original = raw[name].bind(raw) as (...args: unknown[]) => never
    raw[name] = ((...args: unknown[]) => {
      look(args[0])
      return original(...args)
    }) as never
  }
}

function schemaOf (request: FastifyRequest, reply: FastifyReply): object | undefined {
  const { statusCode } = reply
  const schema = (request.routeOptions.schema?.response as Record<string, object & StreamSchema> | undefined)?.[statusCode]
  // Unknown addresses for OpenAI's clients are answered in their format.
  if (schema === undefined && request.url.startsWith('/v1/')) return openAiErrors[statusCode] ?? { not: {} }
  // Each route declares its own conflicts. Other errors are in the catalogue, even if the route does not declare them.
  if (schema === undefined && statusCode === 409) return { not: {} }
  if (schema === undefined) return statusCode < 400 ? undefined : errors(statusCode)[statusCode] ?? { not: {} }
  return schema.content === undefined ? schema : schema.content['application/json']?.schema
}

/** Converts BigInt values, which are plain numbers on the wire. */
function plain (value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
