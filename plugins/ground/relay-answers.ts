import { type TSchema } from '@sinclair/typebox'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { RelayFailed } from '../../services/ground/errors.js'
import { CheckpointList } from '../../schemas/checkpoints.js'
import { fieldsOf, isRecord } from '../../services/ground/fields.js'
import { redactDeep } from '../../services/ground/redaction/index.js'
import { type RelayedAnswer } from '../../services/areas/relay/index.js'
import { type CommitMaterial } from '../../services/workspace/git/index.js'

const json = 'application/json; charset=utf-8'
/** Policy for a file whose machine sends no policy that is strict enough. */
const strictest = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
/** Headers that only answers with the bytes of a file may have. */
const ofBytes = [
  'content-type', 'content-disposition', 'content-security-policy', 'x-frame-options', 'cross-origin-resource-policy', 'content-range',
  'accept-ranges', 'last-modified'
]

const longestMaterialChars = 400_000

const nonsense = (host: string): RelayFailed => new RelayFailed(`${host} sent an invalid answer`)

/** Returns the object in an answer that came as a whole. Throws RelayFailed for anything else. */
export function wholeJson (host: string, { body, headers }: RelayedAnswer): Record<string, unknown> {
  if (!Buffer.isBuffer(body)) {
    body.destroy()
    throw nonsense(host)
  }
  let value: unknown
  try {
    value = headers['content-encoding'] === undefined ? JSON.parse(body.toString()) : null
  } catch {}
  if (!isRecord(value)) throw nonsense(host)
  return value
}

/**
 * Returns the error that the client gets: only the fields that this route declares for the status, and nothing else that the machine added.
 */
function refusal (request: FastifyRequest, host: string, told: object, form: TSchema | undefined): object {
  const { error } = fieldsOf(told)
  if (typeof error !== 'string') throw nonsense(host)
  const known = Object.fromEntries(Object.entries(told).filter(([name]) => Object.hasOwn(fieldsOf(form?.properties), name)))
  return form !== undefined && request.validateInput(known, form) ? known : { error }
}

/** Whether a file's policy confines it. Only PDFs may be outside of a sandbox, because the browser's viewer does not work in one. */
function isContained ({ 'content-security-policy': policy, 'content-type': type }: Record<string, string>): boolean {
  return policy !== undefined && (policy.startsWith('sandbox;') || type === 'application/pdf')
}

/** Passes on a machine's answer, as far as the route may answer that. Throws RelayFailed. */
export function passAnswer (request: FastifyRequest, reply: FastifyReply, host: string, answer: RelayedAnswer): void {
  const { status, headers, body } = answer
  const isHead = request.method === 'HEAD'
  if (status === 500) {
    if (!Buffer.isBuffer(body)) body.destroy()
    throw new RelayFailed(`Something went wrong on the machine ${host}; its log has the details`)
  }
  // Fastify types a route's response schemas as unknown.
  const forms = request.routeOptions.schema?.response as Record<string, TSchema & { content?: object }> | undefined
  if (status >= 400) {
    const told = isHead ? null : refusal(request, host, wholeJson(host, answer), forms?.[status])
    for (const name of ['retry-after', 'content-range']) if (headers[name] !== undefined) reply.header(name, headers[name])
    reply.code(status).type(json).send(told === null ? '' : JSON.stringify(redactDeep(told)))
    return
  }
  const isBytes = forms?.[200]?.content !== undefined
  for (const [name, value] of Object.entries(headers)) if (isBytes || !ofBytes.includes(name)) reply.header(name, value)
  if (isBytes && !isContained(headers)) reply.header('content-security-policy', strictest)
  if (status === 304) {
    reply.code(304).removeHeader('content-type').removeHeader('content-length').send('')
    return
  }
  reply.code(status)
  // Without a length, only the closed connection shows that the answer broke off.
  if (isBytes && headers['content-length'] === undefined) reply.header('connection', 'close')
  if (!isBytes) {
    // A route that answers with JSON never returns anything that a page could run.
    if (headers['content-type']?.startsWith('application/json') !== true) throw nonsense(host)
    reply.type(json)
  }
  reply.send(isHead ? Readable.from([]) : body)
}

/**
 * Returns a list of checkpoints with the titles of their turns: the service knows the titles, the machine its checkpoints.
 * Throws RelayFailed.
 */
export function withTitles (
  request: FastifyRequest, host: string, answer: RelayedAnswer, titleOf: (streamId: string) => string
): object {
  const list = wholeJson(host, answer)
  const titled = Array.isArray(list.checkpoints)
    ? {
        ...list,
        checkpoints: list.checkpoints.map(fieldsOf).map((entry) => ({
          ...entry, title: typeof entry.stream_id === 'string' ? titleOf(entry.stream_id) : ''
        })),
        workspace: `${host}:${String(list.workspace)}`
      }
    : null
  if (titled === null || !request.validateInput(titled, CheckpointList)) throw nonsense(host)
  return titled
}

/** Returns the changes that a model of the service is to describe. Throws RelayFailed. */
export function materialOf (host: string, answer: RelayedAnswer): CommitMaterial {
  const { diff, files, truncated } = wholeJson(host, answer)
  if (typeof diff !== 'string' || !Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
    throw nonsense(host)
  }
  return { diff: diff.slice(0, longestMaterialChars), files, truncated: truncated === true }
}
