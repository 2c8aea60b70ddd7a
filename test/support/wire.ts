import { Ajv, type ValidateFunction } from 'ajv'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { gunzipSync } from 'node:zlib'
import { Pieces } from '../../routes/shared/sending.js'
import { errors } from '../../schemas/errors.js'
import { questionHeader } from '../../services/areas/relay/index.js'
import { openAiErrors } from '../../schemas/openai.js'

interface FrameSchema { properties: { event: { const: string }, data: object } }
interface StreamSchema { content?: Record<string, { schema: { anyOf: FrameSchema[] } }> }

// Each schema is used a few times only: what makes its check faster costs more than that brings.
const ajv = new Ajv({ strict: false, meta: false, validateSchema: false, code: { optimize: false } })
/** By the schema's text as well: each service of a test makes its own objects of the same routes. */
const compiled = new Map<string, ValidateFunction>()
const known = new WeakMap<object, ValidateFunction>()

/** Why a value is not what the schema says, to the letter: null when it is. */
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
 * Fails the test when what a route sends is not what its schema promises, before it is serialised: so nothing is bent to
 * fit, and nothing dropped, without a word. Text that is finished already is held against the same schema, and frames
 * against those that the stream declares.
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
    // Of a machine to its service, and of no client's.
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

/** Looks at every frame of a stream as it goes to the socket. */
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
  // What is not there for clients of OpenAI is said as they know it.
  if (schema === undefined && request.url.startsWith('/v1/')) return openAiErrors[statusCode] ?? { not: {} }
  // Which conflicts a route has is its own to say. What else goes wrong is in the catalogue, also where it does not speak of it.
  if (schema === undefined && statusCode === 409) return { not: {} }
  if (schema === undefined) return statusCode < 400 ? undefined : errors(statusCode)[statusCode] ?? { not: {} }
  return schema.content === undefined ? schema : schema.content['application/json']?.schema
}

/** Whole numbers beyond those of JavaScript are numbers on the wire. */
function plain (value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
