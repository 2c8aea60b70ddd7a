import { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { STATUS_CODES } from 'node:http'
import { type Socket } from 'node:net'
import { collectMethods } from './allowed-methods.js'
import { opensPage, sendErrorPage } from './error-page.js'
import { type ErrorCode as CataloguedCode } from '../../schemas/error-codes.js'
import { isDamage, isOrphan, troubleOf, type TroubleKind } from '../../services/ground/database/index.js'
import * as domain from '../../services/ground/errors.js'
import { beginningOf, redact, redactDeep } from '../../services/ground/redaction/index.js'

declare module '../../services/ground/errors.js' {
  // All codes that the services throw are in the catalogue.
  interface ErrorCodes extends Record<CataloguedCode, true> {}
}

/** How many mistakes of a request are named: a long list could contain any number, and more would help nobody. */
const mostMistakes = 10

const statusOf: Array<[new (...args: never[]) => domain.DomainError, number]> = [
  [domain.Invalid, 400],
  [domain.Unauthenticated, 401],
  [domain.Forbidden, 403],
  [domain.NotFound, 404],
  [domain.Conflict, 409],
  [domain.TooLarge, 413],
  [domain.TooMany, 429],
  [domain.RelayFailed, 502],
  [domain.Unavailable, 503]
]

/** Errors of Fastify itself, in words for the sender. */
const frameworkErrors: Record<string, string> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Send the body as JSON, with the header Content-Type: application/json',
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request body is too large',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'The Content-Length header does not match the body',
  FST_ERR_CTP_INVALID_JSON_BODY: 'The request body is not valid JSON',
  FST_ERR_BAD_URL: 'The address of the request is not well-formed',
  FST_ERR_MAX_PARAM_LENGTH: 'The address of the request is too long'
}

/** Errors of Node before there is a request. */
const clientErrors: Record<string, [status: number, text: string]> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request did not come in time'],
  HPE_HEADER_OVERFLOW: [431, 'The headers of the request are too large'],
  HPE_INVALID_CONTENT_LENGTH: [400, 'The Content-Length header is not valid'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [400, 'The Content-Length header is not valid']
}

/** States of the database, in words for a person who wanted to store something. */
const troubles: Record<TroubleKind, string> = {
  full: 'The service cannot store anything: its disk is full',
  locked: 'The service cannot store anything right now: another program holds the lock of its database. Try again in a moment',
  readonly: 'The service cannot store anything right now: its disk or its database is read-only',
  failing: 'The service cannot store anything: its disk is full or not writable'
}
const retryAfterS: Record<TroubleKind, number> = { full: 30, locked: 2, readonly: 30, failing: 30 }

/** The answer to an error: a status and the standard body. */
export interface Explained { status: number, body: { error: string, code?: string }, retryAfterS?: number }

/** Maps every error to a status and the standard body `{error, code?}`. Details of unexpected errors go only to the log. */
export function explain (error: FastifyError, { log }: Pick<FastifyRequest, 'log'>): Explained {
  const known = error instanceof domain.DomainError ? error : domain.systemFailure(error)
  if (known !== null) return ofDomain(known, log)
  const trouble = troubleOf(error)
  if (trouble !== null) {
    log.error({ err: error }, 'the database cannot be written')
    return { status: 503, retryAfterS: retryAfterS[trouble], body: { error: troubles[trouble] } }
  }
  if (isDamage(error)) {
    log.error({ err: error }, 'the database is damaged')
    return { status: 503, body: { error: 'The database of the service is damaged: a backup has to be restored' } }
  }
  if (isOrphan(error)) {
    log.error({ err: error }, 'a row was to be stored for something that is not there')
    return { status: 404, body: { error: 'What this belongs to has just been deleted' } }
  }
  if (error.validation !== undefined) return { status: 400, body: { error: redact(describe(error)) } }
  const status = error.statusCode ?? 500
  if (status < 500) return { status, body: { error: frameworkErrors[error.code] ?? redact(error.message) } }
  log.error({ err: error }, 'request failed')
  return { status, body: { error: 'Something went wrong in the service; its log has the details' } }
}

function ofDomain (error: domain.DomainError, log: FastifyRequest['log']): Explained {
  const status = statusOf.find(([type]) => error instanceof type)?.[1] ?? 400
  if (status >= 500 && error.cause !== undefined) log.error({ err: error.cause }, 'a system call failed')
  const { retryAfterS, ...details } = error.details
  return {
    status,
    ...(typeof retryAfterS === 'number' && { retryAfterS: Math.max(1, Math.ceil(retryAfterS)) }),
    // Messages of a provider or a program may quote a key.
    body: { error: redact(error.message), ...(error.code === undefined ? {} : { code: error.code }), ...redactDeep(details) }
  }
}

/**
 * Answers every error with `explain`, or with a page if a person has opened one. Expect headers other than 100-continue are ignored, as
 * RFC 9110 (10.1.1) allows: Node would answer a 417 without a body.
 */
export default fp(async (app: FastifyInstance) => {
  app.server.on('checkExpectation', (request, reply) => { app.server.emit('request', request, reply) })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof domain.NotFound && hasOpenPlus(request)) return lookLiterally(request, reply)
    const { status, body, retryAfterS } = explain(error, request)
    if (retryAfterS !== undefined) reply.header('Retry-After', String(retryAfterS))
    return opensPage(request) ? sendErrorPage(request, reply, status, body.error) : reply.code(status).send(body)
  })

  const methodsOf = collectMethods(app)
  app.setNotFoundHandler((request, reply) => {
    if (opensPage(request)) return sendErrorPage(request, reply, 404, null)
    const path = request.url.replace(/[?#].*$/, '')
    const methods = methodsOf(path)
    if (methods.length > 0 && !methods.includes(request.method)) reply.code(405).header('Allow', methods.join(', '))
    else reply.code(404)
    return reply.send({ error: `There is no ${request.method} ${beginningOf(redact(path), 200)}` })
  })
}, { name: 'errors' })

/** Whether a request that only reads has a raw plus in its query. */
function hasOpenPlus ({ method, raw: { url = '' } }: FastifyRequest): boolean {
  const query = url.indexOf('?')
  return (method === 'GET' || method === 'HEAD') && query !== -1 && url.includes('+', query)
}

/** Tries again with literal pluses: browsers write a space as a plus, while native clients leave a plus unencoded. */
function lookLiterally ({ server, raw, url }: FastifyRequest, reply: FastifyReply): void {
  const query = url.indexOf('?')
  raw.url = url.slice(0, query) + url.slice(query).replaceAll('+', '%2B')
  reply.hijack()
  server.routing(raw, reply.raw)
}

/** Names every field that is missing or wrong, missing ones first. */
function describe (error: FastifyError): string {
  const missing = new Set<string>()
  const wrong = new Map<string, string>()
  /** The types and values that are allowed, by path. That it may be null is not worth saying. */
  const allowed = new Map<string, Set<string>>()
  for (const { keyword, instancePath, params, message = 'is not valid' } of error.validation ?? []) {
    const path = instancePath.split('/').slice(1).join('.')
    if (keyword === 'required') {
      const name = String(params.missingProperty)
      missing.add(path === '' ? name : `${path}.${name}`)
    } else if (keyword === 'minLength' && params.limit === 1) missing.add(path)
    else if (keyword === 'type' || keyword === 'const') {
      const alternatives = keyword === 'const'
        ? [JSON.stringify(params.allowedValue)]
        : [params.type].flat().map(String).filter((type) => type !== 'null')
      allowed.set(path, new Set([...allowed.get(path) ?? [], ...alternatives]))
    } else if (keyword !== 'anyOf') {
      const { allowedValues: values } = params
      wrong.set(path, Array.isArray(values) ? `must be one of ${values.join(', ')}` : message)
    }
  }
  for (const [path, alternatives] of allowed) {
    // A value in a query is only of another type if it is there several times.
    const message = error.validationContext === 'querystring' ? 'must be given once' : `must be ${[...alternatives].join(' or ')}`
    // What is wrong in another way has one of the types.
    if (alternatives.size > 0 && !wrong.has(path) && !missing.has(path)) wrong.set(path, message)
  }
  const sentences = []
  if (missing.size > 0) sentences.push(`Missing required field(s): ${[...missing].slice(0, mostMistakes).join(', ')}`)
  for (const [path, message] of [...wrong].slice(
    0, mostMistakes
  )) sentences.push(path === '' ? `The ${error.validationContext ?? 'body'} ${message}` : `Invalid ${path}: ${message}`)
  const untold = Math.max(0, missing.size - mostMistakes) + Math.max(0, wrong.size - mostMistakes)
  if (untold > 0) sentences.push(`And ${untold} more`)
  return sentences.length === 0 ? 'The request is not valid' : sentences.join('. ')
}

/** Answers input that is not HTTP, or comes too late. There is no request yet, and the connection is closed afterwards. */
export function answerClientError (error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const [status, text] = clientErrors[error.code ?? ''] ?? [400, 'The request is not valid HTTP']
  const body = JSON.stringify({ error: text })
  const headers = `Content-Type: application/json; charset=utf-8\r\nCache-Control: no-store\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close`
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${headers}\r\n\r\n${body}`)
}

/** Answers requests that Fastify refuses before it looks for a route. */
export function answerFrameworkError (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void {
  void reply.code(error.statusCode ?? 400).type('application/json; charset=utf-8').header('Cache-Control', 'no-store')
    .send(JSON.stringify({ error: frameworkErrors[error.code] ?? error.message }))
}
