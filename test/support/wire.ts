import { Ajv, type ValidateFunction } from 'ajv'
import { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { gunzipSync } from 'node:zlib'
import { Pieces } from '../../routes/sending.js'

const ajv = new Ajv({ strict: false })
const compiled = new WeakMap<object, ValidateFunction>()

/** Why a value is not what the schema says, to the letter: null when it is. */
export function misfit (schema: object, value: unknown): string | null {
  let validate = compiled.get(schema)
  if (validate === undefined) compiled.set(schema, validate = ajv.compile(schema))
  if (validate(value)) return null
  const { instancePath, message, params } = validate.errors!.at(-1)!
  return `${instancePath === '' ? 'its root' : instancePath} ${message} ${JSON.stringify(params)}`
}

/**
 * Fails the test when what a route sends is not what its schema promises, before it is serialised: so nothing is bent to
 * fit, and nothing dropped, without a word. Text that is finished already is held against the same schema.
 */
export function checkWire (app: FastifyInstance, t: { fail (message: string): unknown }): void {
  const checked = new WeakSet<FastifyRequest>()
  const fail = (request: FastifyRequest, reply: FastifyReply, problem: string) => {
    t.fail(`${request.method} ${request.url} ${reply.statusCode} does not fit its schema: ${problem}`)
  }

  app.addHook('preSerialization', async (request, reply, payload) => {
    checked.add(request)
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
    if (request.routeOptions.config.finishedBytes !== true) fail(request, reply, 'it sends finished text and does not say so')
    const problem = misfit(schema, JSON.parse(text))
    if (problem !== null) fail(request, reply, problem)
  })
}

function schemaOf (request: FastifyRequest, reply: FastifyReply): object | undefined {
  return (request.routeOptions.schema?.response as Record<string, object> | undefined)?.[reply.statusCode]
}

/** Whole numbers beyond those of JavaScript are numbers on the wire. */
function plain (value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]))
}
