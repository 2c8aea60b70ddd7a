import { type FastifyRequest } from 'fastify'
import { type IncomingMessage } from 'node:http'
import { createReadStream } from 'node:fs'
import { Readable, Transform } from 'node:stream'
import { Invalid, type DomainError } from '../services/ground/errors.js'
import { tooLarge } from '../services/workspace/files/index.js'

/** Boundaries, part headers and the other fields. */
const framingBytes = 64 * 1_024
/** The field that says which session it is stands in front of the file, within this. */
const peekedBytes = 64 * 1_024

/**
 * The session that a form names, without taking anything of the form away; null when it names none before its file. Half a form
 * whose sender is gone has none.
 */
export async function sessionOfForm (raw: IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for (;;) {
    const chunk = raw.read() as Buffer | null
    if (chunk !== null) {
      chunks.push(chunk)
      sizeBytes += chunk.length
      const seen = Buffer.concat(chunks)
      const found = look(seen)
      if (found === undefined && sizeBytes < peekedBytes) continue
      // In the same breath, so that the end of it is not told before it has been read again.
      raw.unshift(seen)
      return found ?? null
    }
    if (raw.readableEnded || raw.destroyed) return null
    if (raw.complete && sizeBytes > 0) {
      raw.unshift(Buffer.concat(chunks))
      return null
    }
    await new Promise<void>((resolve) => {
      const names = ['readable', 'end', 'close', 'error'] as const
      const on = (): void => {
        for (const name of names) raw.off(name, on)
        resolve()
      }
      for (const name of names) raw.on(name, on)
    })
  }
}

/** Undefined: it has not come yet. Null: there is none. Pure. */
function look (seen: Buffer): string | null | undefined {
  const text = seen.toString('latin1')
  const boundary = /^--([^\r\n]{1,200})\r\n/.exec(text)?.[1]
  if (boundary === undefined) return text.length > 300 ? null : undefined
  for (let start = 0; ;) {
    const headEnd = text.indexOf('\r\n\r\n', start)
    if (headEnd === -1) return undefined
    const head = text.slice(start, headEnd)
    if (/^content-disposition:.*\bfilename\*?=/im.test(head)) return null
    const end = text.indexOf(`\r\n--${boundary}`, headEnd + 2)
    if (end === -1) return undefined
    if (/^content-disposition:.*\bname="session_id"/im.test(head)) return Buffer.from(text.slice(headEnd + 4, end), 'latin1').toString()
    if (text.startsWith('--', end + 4 + boundary.length)) return null
    start = end + 2
  }
}

export interface FormOnItsWay {
  body: Transform
  /** Why it was not passed on as a whole. */
  refusal (): DomainError | null
  /** Reads away what is still coming, so that its sender hears the answer. */
  leave (): void
}

/** The form as it comes in, bounded by what may come in. Throws TooLarge by its declared length. */
export function formOnItsWay ({ raw, headers }: FastifyRequest, capBytes: number): FormOnItsWay {
  const mostBytes = capBytes + framingBytes
  if (Number(headers['content-length'] ?? 0) > mostBytes) throw tooLarge(capBytes)
  let sizeBytes = 0
  let refusal: DomainError | null = null
  const body = new Transform({
    transform (chunk: Buffer, _encoding, callback) {
      sizeBytes += chunk.length
      if (sizeBytes > mostBytes) refusal = tooLarge(capBytes)
      callback(refusal, chunk)
    }
  })
  const brokenOff = (): void => {
    if (raw.complete) return
    refusal ??= new Invalid('The form is malformed, or ended before it was complete')
    body.destroy(refusal)
  }
  raw.once('close', brokenOff)
  raw.pipe(body)
  return {
    body,
    refusal: () => refusal,
    leave () {
      raw.off('close', brokenOff)
      raw.unpipe(body)
      body.on('error', () => {})
      body.destroy()
      let leftBytes = 0
      raw.on('data', (chunk: Buffer) => {
        leftBytes += chunk.length
        if (leftBytes > 4 * capBytes) raw.destroy()
      })
      raw.resume()
    }
  }
}

/** A form that was read as a whole, its file on the disk. */
export interface ReadForm { sessionId: string, path: string | null, file: { path: string, name: string } }

/** The same form once more. */
export function formAgain ({ sessionId, path, file }: ReadForm): { type: string, body: Readable } {
  const boundary = `again-${crypto.randomUUID()}`
  const quoted = file.name.replaceAll(/[\r\n]/g, '_').replaceAll(/["\\]/g, '\\$&')
  const field = (name: string, value: string): string => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  async function * parts (): AsyncGenerator<Buffer> {
    yield Buffer.from(`${field('session_id', sessionId)}${path === null ? '' : field('path', path)}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${quoted}"\r\nContent-Type: application/octet-stream\r\n\r\n`)
    yield * createReadStream(file.path) as AsyncIterable<Buffer>
    yield Buffer.from(`\r\n--${boundary}--\r\n`)
  }
  return { type: `multipart/form-data; boundary=${boundary}`, body: Readable.from(parts(), { objectMode: false }) }
}
