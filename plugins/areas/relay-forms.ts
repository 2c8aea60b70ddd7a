import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'

/** A form that was read completely, with its file on the disk. */
export interface ReadForm { sessionId: string, path: string | null, clientId: string | null, file: { path: string, name: string } }

/** Encodes the form again. */
export function formAgain ({ sessionId, path, clientId, file }: ReadForm): { type: string, body: Readable } {
  const boundary = `again-${crypto.randomUUID()}`
  const quoted = file.name.replaceAll(/[\r\n]/g, '_').replaceAll(/["\\]/g, '\\$&')
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  async function * parts (): AsyncGenerator<Buffer> {
    yield Buffer.from(`${field('session_id', sessionId)}${path === null ? '' : field('path', path)}${clientId === null ? '' : field('client_id', clientId)}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\nContent-Type: application/octet-stream\r\n\r\n`)
    yield * createReadStream(file.path)
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: Readable.from(parts(), { objectMode: false }) }
}
