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
/** The policy for a file whose machine sends none that is strict enough. */
const strictest = "sandbox; default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
/** Headers that are passed on only with the bytes of a file. */
const ofBytes = [
  'content-type', 'content-disposition', 'content-security-policy', 'x-frame-options', 'cross-origin-resource-policy', 'content-range',
  'accept-ranges', 'last-modified'
]

const longestMaterialChars = 400_000

const nonsense = (machine: string): RelayFailed => new RelayFailed(`${machine} sent an invalid answer`)

/** Returns the JSON object of an answer that is not a stream. Throws RelayFailed for anything else. */
export function wholeJson (machine: string, { body, headers }: RelayedAnswer): Record<string, unknown> {
  if (!Buffer.isBuffer(body)) {
    body.destroy()
    throw nonsense(machine)
  }
  let value: unknown
  try {
    value = headers['content-encoding'] === undefined ? JSON.parse(body.toString()) : null
  } catch {}
  if (!isRecord(value)) throw nonsense(machine)
  return value
}

/** Returns the body of an error for the client: only fields that the route declares for this status, and nothing else of the machine. */
function refusal (request: FastifyRequest, machine: string, told: object, form: TSchema | undefined): object {
  const { error } = fieldsOf(told)
  if (typeof error !== 'string') throw nonsense(machine)
  const known = Object.fromEntries(Object.entries(told).filter(([name]) => Object.hasOwn(fieldsOf(form?.properties), name)))
  return form !== undefined && request.validateInput(known, form) ? known : { error }
}

/** Whether an answer is sandboxed. Only PDFs need not be, because a browser's viewer does not work in a sandbox. */
function isContained ({ 'content-security-policy': policy, 'content-type': type }: Record<string, string>): boolean {
  return policy !== undefined && (policy.startsWith('sandbox;') || type === 'application/pdf')
}

/** Passes on a machine's answer, within what the route may answer. Throws RelayFailed. */
export function passAnswer (request: FastifyRequest, reply: FastifyReply, machine: string, answer: RelayedAnswer): void {
  const { status, headers, body } = answer
  const isHead = request.method === 'HEAD'
  if (status === 500) {
    if (!Buffer.isBuffer(body)) body.destroy()
    throw new RelayFailed(`Something went wrong on the machine ${machine}; its log has the details`)
  }
  // Fastify stores the schemas of a route untyped.
  const forms = request.routeOptions.schema?.response as Record<string, TSchema & { content?: object }> | undefined
  if (status >= 400) {
    const told = isHead ? null : refusal(request, machine, wholeJson(machine, answer), forms?.[status])
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
  // Without a length, only the end of the connection shows that the answer broke off.
  if (isBytes && headers['content-length'] === undefined) reply.header('connection', 'close')
  if (!isBytes) {
    // A route that answers with JSON must not deliver anything that a page could run.
    if (headers['content-type']?.startsWith('application/json') !== true) throw nonsense(machine)
    reply.type(json)
  }
  reply.send(isHead ? Readable.from([]) : body)
}

/** Adds the titles of turns, known only here, to a machine's list of checkpoints. Throws RelayFailed. */
export function withTitles (
  request: FastifyRequest, machine: string, answer: RelayedAnswer, titleOf: (streamId: string) => string
): object {
  const list = wholeJson(machine, answer)
  const titled = Array.isArray(list.checkpoints)
    ? {
        ...list,
        checkpoints: list.checkpoints.map(fieldsOf).map((entry) => ({
          ...entry, title: typeof entry.stream_id === 'string' ? titleOf(entry.stream_id) : ''
        })),
        workspace: `${machine}:${String(list.workspace)}`
      }
    : null
  if (titled === null || !request.validateInput(titled, CheckpointList)) throw nonsense(machine)
  return titled
}

/** Reads changes for which a model of the service writes a message. Throws RelayFailed. */
export function materialOf (machine: string, answer: RelayedAnswer): CommitMaterial {
  const { diff, files, truncated } = wholeJson(machine, answer)
  if (typeof diff !== 'string' || !Array.isArray(files) || !files.every((file) => typeof file === 'string')) {
    throw nonsense(machine)
  }
  return { diff: diff.slice(0, longestMaterialChars), files, truncated: truncated === true }
}
