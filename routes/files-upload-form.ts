import { type FastifyRequest } from 'fastify'
import { clientIdRule } from '../schemas/common.js'
import { type Arrival, type Incoming, tooLarge } from '../services/workspace/files/index.js'
import { DomainError, Invalid, codeOf } from '../services/ground/errors.js'

export interface UploadForm {
  sessionId: string
  /** The `path` field; null if there is none. */
  path: string | null
  /** The `client_id` field; null if there is none. */
  clientId: string | null
  /** The caller that reads the form has to discard it in the end. */
  file: Arrival
}

/** Boundaries, part headers and the other fields. */
const framingBytes = 64 * 1024
/** A session's id or a path; both are much shorter. */
const fieldBytes = 8 * 1024

const limits = { fieldSize: fieldBytes, fields: 10, files: 2, parts: 13, headerPairs: 50, fileSize: Infinity }

/**
 * Reads the form of an upload: a session, a file, and optionally a path and an id of the client. `admit` is called as soon as the session
 * is known, in most cases before the file. Throws what {@link readFileForm} and `admit` throw.
 */
export async function readUploadForm (
  request: FastifyRequest, incoming: Incoming, admit: (sessionId: string) => void
): Promise<UploadForm> {
  const { fields, file } = await readFileForm(request, incoming, {
    required: ['session_id'],
    onField (name, value) { if (name === 'session_id' && value !== '') admit(value) }
  })
  try {
    return { sessionId: fields.get('session_id') ?? '', path: fields.get('path') ?? null, clientId: clientIdOf(fields), file }
  } catch (error) {
    await file.discard()
    throw error
  }
}

function clientIdOf (fields: ReadonlyMap<string, string>): string | null {
  const id = fields.get('client_id') ?? ''
  if ([...id].length > clientIdRule.maxLength) throw new Invalid(`client_id: at most ${clientIdRule.maxLength} characters`)
  if (!new RegExp(clientIdRule.pattern, 'u').test(id)) throw new Invalid('client_id is not well-formed text')
  return id === '' ? null : id
}

export interface FileForm {
  /** The other fields, by name. */
  fields: ReadonlyMap<string, string>
  /** The caller that reads the form has to discard it in the end. */
  file: Arrival
}

export interface FileFormOptions {
  /** Fields that are required besides the file, and must not be empty. */
  required?: readonly string[]
  /** Called with each field as it arrives; may throw. */
  onField?: (name: string, value: string) => void
}

/**
 * Reads a form with one file, in the field `file`, its fields in any order. The file is written to the disk as it arrives. After a failure,
 * nothing stays on the disk and the connection stays usable. Throws Invalid for a malformed form, TooLarge (by Content-Length, before
 * anything is read), and what `onField` throws.
 */
export async function readFileForm (
  request: FastifyRequest, incoming: Incoming, { required = [], onField }: FileFormOptions = {}
): Promise<FileForm> {
  const declaredBytes = Number(request.headers['content-length'] ?? 0)
  if (declaredBytes > incoming.capBytes + framingBytes) throw tooLarge(incoming.capBytes)
  if (!request.isMultipart()) throw new Invalid('Send the file as multipart/form-data, in a field named file')
  const fields = new Map<string, string>()
  let file: Arrival | undefined
  try {
    for await (const part of request.parts({ limits })) {
      if (part.type === 'field') {
        if (typeof part.value !== 'string' || part.valueTruncated) {
          throw new Invalid(`The field ${part.fieldname.slice(0, 40)} must be a short text`)
        }
        if (fields.has(part.fieldname)) throw new Invalid(`The field ${part.fieldname.slice(0, 40)} was sent twice`)
        fields.set(part.fieldname, part.value)
        onField?.(part.fieldname, part.value)
      } else {
        if (file !== undefined) throw new Invalid('Send one file at a time')
        if (part.fieldname !== 'file') throw new Invalid('The file must be in the field named file')
        file = await incoming.receive(part.file, part.filename ?? '')
      }
    }
    return whole(fields, file, required)
  } catch (error) {
    await file?.discard()
    throw explained(error)
  } finally {
    leave(request, incoming.capBytes)
  }
}

function whole (fields: ReadonlyMap<string, string>, file: Arrival | undefined, required: readonly string[]): FileForm {
  const absent = [...required.filter((name) => (fields.get(name) ?? '') === ''), ...(file === undefined ? ['file'] : [])]
  if (file === undefined || absent.length > 0) throw new Invalid(`Missing required field(s): ${absent.join(', ')}`)
  return { fields, file }
}

/** Returns an error of the parser in words for the sender. Errors of the system stay unchanged. */
function explained (error: unknown): unknown {
  if (error instanceof DomainError) return error
  const code = codeOf(error)
  if (error instanceof Error && 'syscall' in error && code !== 'ECONNRESET') return error
  if (code === 'FST_FILES_LIMIT') return new Invalid('Send one file at a time')
  if (code === 'FST_PARTS_LIMIT' || code === 'FST_FIELDS_LIMIT') return new Invalid('The form has too many fields')
  return new Invalid('The form is malformed or incomplete')
}

/**
 * Discards the rest of a form, up to a limit, so that neither an answer that is sent before its end nor the next request on the connection
 * is lost.
 */
function leave ({ raw }: FastifyRequest, capBytes: number): void {
  if (raw.readableEnded || raw.destroyed) return
  raw.unpipe()
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > 4 * capBytes) raw.destroy()
  })
  raw.resume()
}
