import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { createPace } from '../../services/ground/concurrency/pace.js'
import { asError, Invalid, TooLarge, type DomainError } from '../../services/ground/errors.js'
import { withoutLongTexts } from '../../services/ground/text/json-long-texts.js'
import { beyondLimitsGently, halfCharacterAt, mayHoldHalves, mostLevels, wholeCharacters } from '../../services/ground/text/json.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How many values a JSON body of this route may hold; see `usualValues`. */
    bodyValues?: number
    /** Keys with the value null are kept, because they mean something to this route. */
    bodyNulls?: 'kept'
    /** The body is passed on as bytes, for a route that has it parsed outside the event loop. */
    bodyUnread?: true
    /**
     * For routes that receive a person's text, which must not be lost: lone surrogates become U+FFFD. Other routes refuse them.
     */
    bodyHalves?: 'mended'
  }
}

/** How many bytes a body may have: `usual` unless its route says otherwise. */
export const bodyLimits = {
  /** Names, paths, flags, a few settings. */
  usual: 1024 * 1024,
  /** Lists of paths. */
  paths: 8 * 1024 * 1024,
  /** Texts that a person has written or pasted, files to save, conversations to import. */
  text: 20 * 1024 * 1024
}
const usualValues = 10_000
/** Smaller bodies are parsed without pauses. */
const largeBytes = 1024 * 1024
const nothing = async (): Promise<void> => {}
/** How much of a refused body is read and discarded, so that its sender gets the answer and the connection stays usable. */
const drainedBytes = 256 * 1024 * 1024

class UnsupportedEncoding extends Error {
  readonly statusCode = 415
  constructor () { super('Send the body as it is, without Content-Encoding') }
}

/** Stands in for a refused body until the hook below throws its reason: Fastify would close the connection if a parser reported it. */
class RefusedBody { constructor (readonly reason: unknown) {} }

/**
 * Reads request bodies. Bytes, number of values and depth are checked against the limits of the route before anything is built,
 * so that no request delays the others. An empty body is an empty object, one that does not parse is refused, and a key
 * with the value null counts as left out (clients of this API use both). Lone surrogates, which a client leaves when it cuts a
 * text, never get past this: they are replaced where a text would be lost, and refused elsewhere.
 */
export default fp(async (app: FastifyInstance) => {
  // Keys named __proto__ and the like are dropped, not refused: unknown keys never fail a request.
  const parse = app.getDefaultJsonParser('remove', 'remove')

  async function parsed (bytes: Buffer, request: FastifyRequest): Promise<unknown> {
    const { bodyUnread = false, bodyValues = usualValues, bodyHalves } = request.routeOptions.config
    if (bodyUnread) return bytes
    // Each step reads the whole body, so the steps of a large body are separated by pauses.
    const isLarge = bytes.length > largeBytes
    const pause = isLarge ? createPace(0) : nothing
    await pause()
    const beyond = await beyondLimitsGently(bytes, { levels: mostLevels, values: bodyValues }, pause)
    await pause()
    if (beyond === 'levels') throw new Invalid('The request body is nested too deeply')
    if (beyond === 'values') throw new TooLarge(`The request body is too large: it holds more than ${bodyValues} values`)
    const short = isLarge ? await withoutLongTexts(bytes, createPace()).catch(refuseJson) : null
    const text = short?.json ?? bytes.toString()
    await pause()
    if (text.trim() === '') return {}
    let value: unknown
    // The parser calls back synchronously.
    void parse(request, text, (problem, result) => {
      if (problem !== null) refuseJson()
      value = short === null ? result : short.whole(result)
    })
    await pause()
    if (!(short?.mayHoldHalves ?? mayHoldHalves(text))) return value
    if (bodyHalves === 'mended') return wholeCharacters(value)
    const place = halfCharacterAt(value)
    if (place !== null) {
      throw new Invalid(`${place === '' ? 'The request body' : place} is not well-formed text: it contains half a character`)
    }
    return value
  }

  app.removeContentTypeParser(['application/json', 'text/plain'])
  app.addContentTypeParser('application/json', bodyParser(parsed))

  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body instanceof RefusedBody) {
      done(asError(request.body.reason))
      return
    }
    if (request.body == null && request.method === 'POST') request.body = {}
    if (request.routeOptions.config.bodyNulls !== 'kept') withoutNulls(request.body)
    done()
  })
}, { name: 'bodies' })

function refuseJson (): never {
  throw new Invalid('The request body is not valid JSON')
}

function withoutNulls (body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body) || Buffer.isBuffer(body)) return
  for (const [key, value] of Object.entries(body)) if (value === null) Reflect.deleteProperty(body, key)
}

/**
 * Creates a parser that reads a body up to the limit of its route, discards the rest of a longer one, and passes the bytes to
 * `read`, which may throw and may be asynchronous.
 */
export function bodyParser (read: (bytes: Buffer, request: FastifyRequest) => unknown) {
  return async (request: FastifyRequest): Promise<unknown> => {
    try {
      const bytes = await takeBody(request)
      // The decoded size is not known beforehand, so it could not be limited.
      if ((request.headers['content-encoding'] ?? 'identity') !== 'identity') throw new UnsupportedEncoding()
      return await read(bytes, request)
    } catch (error) {
      return new RefusedBody(error)
    }
  }
}

async function takeBody ({ raw, headers, routeOptions }: FastifyRequest): Promise<Buffer> {
  const { bodyLimit = bodyLimits.usual } = routeOptions
  const tooLarge = (): DomainError => new TooLarge(`The request body is too large: at most ${readable(bodyLimit)}`)
  let isTooLarge = Number(headers['content-length'] ?? 0) > bodyLimit
  let chunks: Buffer[] = []
  let sizeBytes = 0
  return await new Promise((resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length
      isTooLarge ||= sizeBytes > bodyLimit
      if (isTooLarge) chunks = []
      else chunks.push(chunk)
      if (sizeBytes > drainedBytes) reject(tooLarge())
    })
    raw.on('end', () => {
      const [only, ...others] = chunks
      if (isTooLarge) reject(tooLarge())
      else resolve(only !== undefined && others.length === 0 ? only : Buffer.concat(chunks, sizeBytes))
    })
    // The sender is gone, or its body is malformed; mostly nobody receives this answer.
    raw.on('error', () => reject(new Invalid('The request body is incomplete')))
  })
}

function readable (bytes: number): string {
  return bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`
}
