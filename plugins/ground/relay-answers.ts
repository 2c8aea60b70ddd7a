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
/** Of a file whose machine says nothing that would be enough. */
const strictest = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
/** What only the bytes of a file may say about themselves. */
const ofBytes = [
  'content-type', 'content-disposition', 'content-security-policy', 'x-frame-options', 'cross-origin-resource-policy', 'content-range',
  'accept-ranges', 'last-modified'
]

const longestMaterialChars = 400_000

const nonsense = (host: string): RelayFailed => new RelayFailed(`${host} sent an invalid answer`)

/** The object of an answer that came as a whole. Throws RelayFailed for anything else. */
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

/** What a client is told of it: what this route may say in such a case, and nothing else that the machine has added. */
function refusal (request: FastifyRequest, host: string, told: object, form: TSchema | undefined): object {
  const { error } = fieldsOf(told)
  if (typeof error !== 'string') throw nonsense(host)
  const known = Object.fromEntries(Object.entries(told).filter(([name]) => Object.hasOwn(fieldsOf(form?.properties), name)))
  return form !== undefined && request.validateInput(known, form) ? known : { error }
}

/** Only what the viewer of a browser shows, which works in no sandbox, may be outside of one. */
function isContained ({ 'content-security-policy': policy, 'content-type': type }: Record<string, string>): boolean {
  return policy !== undefined && (policy.startsWith('sandbox;') || type === 'application/pdf')
}

/** Answers with what a machine has answered, as far as the route may answer that. Throws RelayFailed. */
export function passAnswer (request: FastifyRequest, reply: FastifyReply, host: string, answer: RelayedAnswer): void {
  const { status, headers, body } = answer
  const isHead = request.method === 'HEAD'
  if (status === 500) {
    if (!Buffer.isBuffer(body)) body.destroy()
    throw new RelayFailed(`Something went wrong on the machine ${host}; its log has the details`)
  }
  // Fastify keeps what a route declares without its type.
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
  // Without a length, that it broke off is seen by the connection alone.
  if (isBytes && headers['content-length'] === undefined) reply.header('connection', 'close')
  if (!isBytes) {
    // Nothing that a page could run comes from a route that answers with JSON.
    if (headers['content-type']?.startsWith('application/json') !== true) throw nonsense(host)
    reply.type(json)
  }
  reply.send(isHead ? Readable.from([]) : body)
}

/** A list of checkpoints with the titles of their turns: those are known here, what was kept is known there. Throws RelayFailed. */
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

/** Changes that a model of the service is to name. Throws RelayFailed. */
export function materialOf (host: string, answer: RelayedAnswer): CommitMaterial {
  const { diff, files, truncated } = wholeJson(host, answer)
  if (typeof diff !== 'string' || !Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
    throw nonsense(host)
  }
  return { diff: diff.slice(0, longestMaterialChars), files, truncated: truncated === true }
}
