import { create } from 'content-disposition'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import rangeParser from 'range-parser'
import { Readable } from 'node:stream'
import { Forbidden } from '../../services/ground/errors.js'
import { contentType, isActive, mediaKind, portionOf, typeOf, type OpenedFile } from '../../services/workspace/files/index.js'

export interface SendOptions {
  /** Whether the browser shows the file, or saves it. */
  as: 'inline' | 'attachment'
  cacheControl?: string
}

/** Streams finished bytes in pieces: cached pieces are sent as they are, without a new copy of a megabyte for each answer. */
export class Pieces extends Readable {
  private sent = 0

  constructor (readonly pieces: readonly Buffer[]) {
    super()
  }

  override _read (): void {
    this.push(this.pieces[this.sent++] ?? null)
  }
}

/** Answers with finished JSON, whose pieces may be cached and sent again; its route sets `finishedBytes`. */
export async function sendPieces (reply: FastifyReply, pieces: readonly Buffer[], type = 'application/json; charset=utf-8'): Promise<void> {
  const [first, second] = pieces
  if (first !== undefined && second === undefined) await reply.type(type).send(first)
  else await reply.type(type).header('content-length', pieces.reduce((sum, { length }) => sum + length, 0)).send(new Pieces(pieces))
}

/** Answers with JSON that is finished text; its route sets `finishedBytes`. */
export async function sendFinished (reply: FastifyReply, json: string | Buffer): Promise<void> {
  await reply.type('application/json; charset=utf-8').send(json)
}

/** Answers that nothing has changed since the tag that the client sent (304). */
export async function sendUnchanged (reply: FastifyReply): Promise<void> {
  await reply.code(304).removeHeader('content-type').send('')
}

/** Answers with all bytes at once, and with their length. */
export async function sendBytes (reply: FastifyReply, type: string, bytes: Buffer): Promise<void> {
  await reply.type(type).send(bytes)
}

export async function sendStream (reply: FastifyReply, stream: Readable): Promise<void> {
  await reply.send(stream)
}

/** Destinations of requests for content that a page would run, apply or embed as its own. */
const codeDestinations = new Set(['script', 'worker', 'sharedworker', 'serviceworker', 'audioworklet', 'paintworklet', 'style', 'xslt', 'json',
  'object', 'embed', 'applet', 'manifest', 'report', 'webidentity'])

/** Pages of conversations contain texts from others: they load nothing, run nothing, and cannot be embedded. */
export const pagePolicy = "default-src 'none'; font-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

const framing = "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
/** Files that may contain scripts become documents without an origin, which reach only their own content. */
const sandboxed = `sandbox; default-src 'none'; img-src data:; media-src data:; font-src data:; style-src 'unsafe-inline'; ${framing}`
/** Images, audio and video are documents that load themselves. */
const harmless = `sandbox; default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; ${framing}`
/** For PDF files: the viewers of browsers do not work in a sandbox. */
const portable = `default-src 'none'; object-src 'self'; img-src 'self'; style-src 'unsafe-inline'; ${framing}`

/** Matches control characters, characters that change the direction of text, and halves of characters. */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const deceiving = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufffe\uffff]|\p{Surrogate}/gu

/** Refuses requests that would make a file of a workspace code of a page, least of all of ours. Throws Forbidden. */
export async function refuseAsCode (request: FastifyRequest): Promise<void> {
  const destination = request.headers['sec-fetch-dest']
  if (typeof destination === 'string' && codeDestinations.has(destination.toLowerCase())) {
    throw new Forbidden('Files of a workspace cannot be used as part of a page')
  }
}

/** Returns the header for a file name (RFC 6266), including a form that every client understands. */
export function disposition (as: SendOptions['as'], name: string): string {
  const clean = name.replaceAll(deceiving, '_')
  const plain = clean.replaceAll(/[^\u0020-\u007e]+/g, '_').replaceAll(/["\\%]/g, '_')
  return create(clean, { type: as, fallback: plain }).replace(/; filename=([^";]+)(?=;|$)/, '; filename="$1"')
}

/** Returns headers that keep a file of a workspace from becoming part of a page. */
const headersOf = (path: string, type: string, as: SendOptions['as']): Record<string, string> => ({
  'Content-Type': contentType(type),
  'Content-Disposition': disposition(as, path.slice(path.lastIndexOf('/') + 1)),
  'Content-Security-Policy': isActive(type) ? sandboxed : mediaKind(type) === 'pdf' ? portable : harmless,
  'X-Frame-Options': 'SAMEORIGIN',
  'Cross-Origin-Resource-Policy': 'same-origin'
})

/** Answers with the content of a file that is in no folder any more. A file that could run or load something is saved, not shown. */
export async function sendContents (reply: FastifyReply, path: string, contents: Buffer): Promise<void> {
  const type = typeOf(path)
  reply.headers({ ...headersOf(path, type, isActive(type) ? 'attachment' : 'inline'), 'Cache-Control': 'private, no-cache' })
  await reply.send(contents)
}

/** Answers with text from a file of a workspace, which never becomes part of a page. */
export async function sendText (reply: FastifyReply, text: string): Promise<FastifyReply> {
  const type = 'text/plain'
  return await reply.headers({ ...headersOf('text.txt', type, 'inline'), 'Cache-Control': 'private, no-cache' }).send(text)
}

/**
 * Answers with an opened file, and closes it: with all of it, one range (RFC 9110), or 304. HEAD gets the same answer without a body.
 */
export async function sendOpened (
  request: FastifyRequest, reply: FastifyReply, opened: OpenedFile, { as, cacheControl = 'private, no-cache' }: SendOptions
): Promise<FastifyReply> {
  const { handle, stats, real } = opened
  let sending = false
  try {
    const sizeBytes = Number(stats.size)
    const type = typeOf(real)
    const modified = new Date(Number(stats.mtimeMs)).toUTCString()
    const etag = `"${[stats.dev, stats.ino, stats.size, stats.mtimeNs].map((part) => part.toString(36)).join('-')}"`
    reply.headers({
      ...headersOf(real, type, as),
      'Cache-Control': cacheControl,
      'Accept-Ranges': 'bytes',
      'Last-Modified': modified,
      ETag: etag
    })
    if (isUnchanged(request, etag, Number(stats.mtimeMs))) return await reply.code(304).removeHeader('content-type').send('')
    const range = wantedRange(request, sizeBytes, etag, modified)
    if (range === 'unsatisfiable') return await refuseRange(reply, sizeBytes)
    const { start, end } = range ?? { start: 0, end: sizeBytes - 1 }
    if (range !== null) reply.code(206).header('Content-Range', `bytes ${start}-${end}/${sizeBytes}`)
    reply.header('Content-Length', end - start + 1)
    // Without a stream to send, the length of an empty body would replace that of the file.
    if (request.method === 'HEAD') return await reply.send(Readable.from([]))
    sending = true
    return await reply.send(portionOf(handle, { start, sizeBytes: end - start + 1 }))
  } finally {
    if (!sending) await handle.close()
  }
}

async function refuseRange (reply: FastifyReply, sizeBytes: number): Promise<FastifyReply> {
  for (const name of ['etag', 'last-modified', 'content-disposition']) reply.removeHeader(name)
  return await reply.code(416).type('application/json; charset=utf-8').header('Content-Range', `bytes */${sizeBytes}`).send({
    error: 'The file has no such bytes'
  })
}

/** Returns whether an `If-None-Match` names the tag, by weak comparison, as that header requires. */
export function namesTag (header: string | undefined, etag: string): boolean {
  const bare = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header !== undefined && (header.trim() === '*' || header.split(',').some((tag) => bare(tag) === bare(etag)))
}

function isUnchanged ({ headers }: FastifyRequest, etag: string, modifiedMs: number): boolean {
  if (headers['if-none-match'] !== undefined) return namesTag(headers['if-none-match'], etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  return !Number.isNaN(since) && Math.floor(modifiedMs / 1_000) * 1_000 <= since
}

/** Returns the requested range; null for the whole file: no range, several, a malformed one, or one of another version of the file. */
function wantedRange (
  { headers, method }: FastifyRequest, sizeBytes: number, etag: string, modified: string
): { start: number, end: number } | 'unsatisfiable' | null {
  const { range, 'if-range': condition } = headers
  if (range === undefined || method !== 'GET') return null
  if (condition !== undefined && condition !== etag && condition !== modified) return null
  // A suffix that is longer than the file means the whole file.
  const suffix = /^bytes=\s*-(\d+)\s*$/.exec(range)?.[1]
  if (suffix !== undefined && Number(suffix) > sizeBytes && sizeBytes > 0) return { start: 0, end: sizeBytes - 1 }
  const ranges = rangeParser(sizeBytes, range)
  if (ranges === -1) return /^bytes=/.test(range) ? 'unsatisfiable' : null
  if (ranges === -2 || ranges.type !== 'bytes' || range.includes(',')) return null
  return ranges[0] ?? null
}
