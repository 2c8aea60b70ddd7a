import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'

/** What is sent over the socket, byte by byte: no client library would send most of it. */
export interface Sent {
  method: string
  /** Path and query, as sent. */
  target: string
  headers: Array<[name: string, value: string]>
  body: Buffer | null
  /** How the end of the body is marked; `short` and `long` lie about its length, `pieces` sends it in small parts. */
  framing: 'length' | 'pieces' | 'chunked' | 'bad chunks' | 'both' | 'short' | 'long' | 'none'
}

export interface Answer {
  status: number
  headers: ReadonlyMap<string, string>
  /** Decompressed. */
  body: Buffer
  tookMs: number
}

export type Outcome = Answer | 'closed' | 'hung'

/** Event streams are dropped after this; nothing else may take as long as `hangMs`. */
const streamMs = 120
const hangMs = 30_000
/** An incomplete request need not be answered. */
const unfinishedMs = 300
const mostBytes = 32 * 1024 * 1024

/** Sends a request on a connection of its own and waits for its answer. */
export async function exchange (port: number, sent: Sent): Promise<Outcome> {
  const beganMs = performance.now()
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    const reader = createReader(sent.method)
    let timer: NodeJS.Timeout
    const finish = (outcome: Outcome): void => {
      clearTimeout(timer)
      socket.destroy()
      resolve(outcome)
    }
    const answered = (): Outcome => {
      const answer = reader.answer()
      return answer === null ? 'closed' : { ...answer, tookMs: performance.now() - beganMs }
    }
    const isUnfinished = sent.framing === 'long' || sent.framing === 'bad chunks' || (sent.framing === 'none' && sent.body !== null)
    timer = setTimeout(() => finish(isUnfinished ? answered() : 'hung'), isUnfinished ? unfinishedMs : hangMs)
    socket.on('data', (bytes) => {
      reader.push(bytes)
      if (reader.isOver() || reader.size() > mostBytes) finish(answered())
      else if (reader.isStream()) {
        clearTimeout(timer)
        timer = setTimeout(() => finish(answered()), streamMs)
      }
    })
    socket.on('close', () => finish(answered()))
    socket.on('error', () => finish(answered()))
    const [head, ...pieces] = bytesOf(sent)
    socket.write(head ?? '')
    for (const piece of pieces) socket.write(piece)
  })
}

/** Returns the request as it is written to the socket, piece by piece. */
function bytesOf ({ method, target, headers, body, framing }: Sent): Buffer[] {
  const framed: Array<[string, string]> = body === null || framing === 'none' ? [] : framingHeaders(body, framing)
  const lines = [`${method} ${target} HTTP/1.1`, ...[...headers, ...framed].map(([name, value]) => `${name}: ${value}`), '', '']
  const head = Buffer.from(lines.join('\r\n'), 'latin1')
  if (body === null) return [head]
  if (framing === 'pieces') return [head, ...Array.from({ length: 4 }, (_, index) => body.subarray(index * body.length / 4, (index + 1) * body.length / 4))]
  if (framing === 'bad chunks') return [head, Buffer.from('zz\r\n'), body]
  if (framing !== 'chunked' && framing !== 'both') return [Buffer.concat([head, body])]
  const chunks = body.length === 0 ? [] : [Buffer.from(`${body.length.toString(16)};a=b\r\n`), body, Buffer.from('\r\n')]
  return [head, ...chunks, Buffer.from('0\r\nX-Trailer: a\r\n\r\n')]
}

function framingHeaders (body: Buffer, framing: Sent['framing']): Array<[string, string]> {
  const length = (bytes: number): [string, string] => ['Content-Length', String(bytes)]
  if (framing === 'short') return [length(Math.floor(body.length / 2))]
  if (framing === 'long') return [length(body.length + 10)]
  if (framing === 'both') return [length(body.length), ['Transfer-Encoding', 'chunked']]
  return framing === 'chunked' || framing === 'bad chunks' ? [['Transfer-Encoding', 'chunked']] : [length(body.length)]
}

/** Reads one answer; interim answers before it (100, 103) are skipped. */
function createReader (method: string) {
  const pieces: Buffer[] = []
  let size = 0
  let head: { status: number, headers: Map<string, string>, from: number } | null = null
  const all = (): Buffer => {
    const whole = Buffer.concat(pieces)
    pieces.splice(0, pieces.length, whole)
    return whole
  }
  const isBare = (status: number): boolean => method === 'HEAD' || status === 204 || status === 304
  const lengthOf = (headers: Map<string, string>): number | null => headers.has('content-length') ? Number(headers.get('content-length')) : null
  return {
    size: () => size,
    push (bytes: Buffer): void {
      pieces.push(bytes)
      size += bytes.length
      while (head === null) {
        const bytes = all()
        const end = bytes.indexOf('\r\n\r\n')
        if (end < 0) return
        const parsed = parseHead(bytes.subarray(0, end).toString('latin1'))
        if (parsed.status >= 200) head = { ...parsed, from: end + 4 }
        else pieces.splice(0, pieces.length, bytes.subarray(end + 4))
      }
    },
    isStream: () => head?.headers.get('content-type')?.startsWith('text/event-stream') === true,
    isOver (): boolean {
      if (head === null) return false
      if (isBare(head.status)) return true
      const length = lengthOf(head.headers)
      if (length !== null) return size >= head.from + length
      const last = pieces.at(-1)
      return last !== undefined && head.headers.get('transfer-encoding') === 'chunked' && last.subarray(-5).equals(Buffer.from('0\r\n\r\n'))
    },
    answer (): Omit<Answer, 'tookMs'> | null {
      if (head === null) return null
      const { status, headers, from } = head
      const rest = all().subarray(from)
      const body = headers.get('transfer-encoding') === 'chunked' ? unchunked(rest) : rest.subarray(0, lengthOf(headers) ?? rest.length)
      return { status, headers, body: isBare(status) ? Buffer.alloc(0) : decompressed(body, headers.get('content-encoding')) }
    }
  }
}

function parseHead (text: string): { status: number, headers: Map<string, string> } {
  const [first = '', ...lines] = text.split('\r\n')
  const headers = new Map(lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]))
  return { status: Number(first.split(' ')[1]), headers }
}

function unchunked (bytes: Buffer): Buffer {
  const pieces: Buffer[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n', at)
    const length = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16)
    if (end < 0 || !(length > 0)) break
    pieces.push(bytes.subarray(end + 2, end + 2 + length))
    at = end + 4 + length
  }
  return Buffer.concat(pieces)
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = { gzip: gunzipSync, br: brotliDecompressSync, deflate: inflateSync }

/** Returns the bytes unchanged if they were cut off, or do not have the encoding that their header names. */
function decompressed (bytes: Buffer, encoding: string | undefined): Buffer {
  try {
    return decoders[encoding ?? '']?.(bytes) ?? bytes
  } catch {
    return bytes
  }
}
