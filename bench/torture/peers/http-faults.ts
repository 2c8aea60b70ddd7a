import { type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { drained } from '../drained.js'

/** A way in which a server misbehaves on a connection after a request has arrived. */
export interface HttpFault {
  name: string
  does: string
  /** It never ends: the client must give up, or be able to. */
  endless?: true
  /** A model that does this is at its limit: a turn waits for the end of it until somebody cancels it. */
  limited?: true
  /** Its answer is good for a client that only checks the status, such as a sender of webhooks. */
  taken?: true
  /** Tries TLS with a server without TLS. */
  secure?: true
  play (socket: Socket): Promise<void> | void
}

const mib = 1_048_576
const json = (body: string | Buffer, { status = '200 OK', headers = '' } = {}): Buffer => Buffer.concat([
  Buffer.from(`HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n${headers}\r\n`),
  Buffer.from(body)
])
const say = (bytes: string | Buffer) => (socket: Socket): void => { socket.write(bytes) }
const sayAndEnd = (bytes: string | Buffer) => (socket: Socket): void => { socket.end(bytes) }
const refuse = (status: string, retryAfter?: string) => sayAndEnd(json('{"error":{"message":"No."}}', {
  status, headers: retryAfter === undefined ? 'connection: close\r\n' : `connection: close\r\nretry-after: ${retryAfter}\r\n`
}))

/** Writes as fast as it is read, up to an amount that no client should read. */
const pour = (head: string, piece: string) => async (socket: Socket): Promise<void> => {
  socket.write(head)
  for (let sent = 0; sent < 300 * mib && !socket.destroyed; sent += piece.length) {
    if (!socket.write(piece)) await drained(socket)
  }
  socket.end()
}

const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
const unbounded = `${head}connection: close\r\n\r\n`
const deep = '['.repeat(200_000)
const proto = '{"__proto__":{"text":"x","isAdmin":true},"constructor":{"prototype":{"polluted":true}},"text":"ok","choices":[]}'

// Made before anything is measured, because it takes seconds.
const bomb = json(gzipSync(Buffer.alloc(300 * mib), { level: 1 }), { headers: 'content-encoding: gzip\r\n' })

export const httpFaults: HttpFault[] = [
  { name: 'silence', does: 'takes the request and never answers', endless: true, play: () => {} },
  { name: 'half-status', does: 'sends half a status line', endless: true, play: say('HTTP/1.') },
  { name: 'half-headers', does: 'sends half a header', endless: true, play: say('HTTP/1.1 200 OK\r\ncontent-ty') },
  { name: 'endless-headers', does: 'never ends its headers', play: pour('HTTP/1.1 200 OK\r\n', 'x-filler: 0123456789\r\n'.repeat(100)) },
  { name: 'endless-body', does: 'never ends its body', taken: true, play: pour(unbounded, 'x'.repeat(65_536)) },
  { name: 'endless-events', does: 'never ends its events', taken: true, play: pour('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n', ': still here\n\n'.repeat(4_000)) },
  { name: 'endless-continues', does: 'answers 100 again and again', play: pour('', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1_000)) },
  { name: 'long-length', does: 'promises more bytes than it sends', taken: true, play: sayAndEnd(`${head}content-length: 5000\r\n\r\n{"text":`) },
  { name: 'short-length', does: 'sends more bytes than it promised', taken: true, play: sayAndEnd(`${head}content-length: 2\r\n\r\n{}{"text":"more"}`) },
  { name: 'negative-length', does: 'promises fewer than no bytes', play: sayAndEnd(`${head}content-length: -5\r\n\r\n{}`) },
  { name: 'two-lengths', does: 'promises two lengths', play: sayAndEnd(`${head}content-length: 2\r\ncontent-length: 9\r\n\r\n{}`) },
  { name: 'broken-chunks', does: 'sends chunks of no size', taken: true, play: sayAndEnd(`${head}transfer-encoding: chunked\r\n\r\nzz\r\nnonsense\r\n`) },
  {
    name: 'drip', does: 'sends one byte a second', endless: true, async play (socket) {
      for (const byte of `${unbounded}{"text":"slow"}`) {
        if (socket.destroyed) return
        socket.write(byte)
        await delay(1_000)
      }
    }
  },
  { name: 'close', does: 'closes at once', play: (socket) => { socket.end() } },
  { name: 'reset', does: 'resets the connection', play: (socket) => { socket.resetAndDestroy() } },
  { name: 'close-in-headers', does: 'closes in the middle of its headers', play: sayAndEnd(head) },
  { name: 'close-in-body', does: 'closes in the middle of its body', taken: true, play: sayAndEnd(`${head}transfer-encoding: chunked\r\n\r\n8\r\n{"te`) },
  { name: 'redirect-self', does: 'redirects to itself', play: refuse('302 Found\r\nlocation: ?again') },
  { name: 'redirect-loopback', does: 'redirects to a closed port of 127.0.0.1', play: refuse('307 Temporary Redirect\r\nlocation: http://127.0.0.1:9/') },
  { name: 'redirect-metadata', does: "redirects to a cloud's metadata", play: refuse('307 Temporary Redirect\r\nlocation: http://169.254.169.254/') },
  { name: '401', does: 'answers 401', play: refuse('401 Unauthorized') },
  { name: '403', does: 'answers 403 with a negative Retry-After', play: refuse('403 Forbidden', '-1') },
  { name: '429', does: 'answers 429 with an endless Retry-After', limited: true, play: refuse('429 Too Many Requests', '9'.repeat(400)) },
  { name: '500', does: 'answers 500 with a Retry-After of 1970', play: refuse('500 Internal Server Error', 'Thu, 01 Jan 1970 00:00:00 GMT') },
  { name: '503', does: 'answers 503 with a Retry-After of words', play: refuse('503 Service Unavailable', 'soon, I hope') },
  { name: '599', does: 'answers a status that nobody knows', play: refuse('599 What') },
  { name: '999', does: 'answers a status that there is none', play: refuse('999 What') },
  { name: 'switch', does: 'switches to another protocol unasked', play: sayAndEnd('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\nx') },
  { name: 'tls', does: 'answers with bytes of TLS', play: sayAndEnd(Buffer.from('160303007a0200007603036f', 'hex')) },
  { name: 'no-tls', does: 'speaks no TLS where that is wanted', secure: true, play: sayAndEnd(json('{}')) },
  { name: 'invalid-utf8', does: 'sends bytes that are no UTF-8', taken: true, play: sayAndEnd(json(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0xc0, 0x22, 0x3a, 0xed, 0xa0, 0x80, 0x7d]))) },
  { name: 'nul', does: 'sends NUL bytes', taken: true, play: sayAndEnd(json(Buffer.alloc(4_096))) },
  { name: 'deep-json', does: 'sends JSON of 200,000 levels', taken: true, play: sayAndEnd(json(deep)) },
  { name: 'prototype-keys', does: 'sends the keys __proto__ and constructor', taken: true, play: sayAndEnd(json(proto)) },
  { name: 'false-gzip', does: 'calls text gzip', taken: true, play: sayAndEnd(json('not gzip', { headers: 'content-encoding: gzip\r\n' })) },
  {
    name: 'gzip-bomb', does: 'sends 300 MB in 300 kB', taken: true,
    play: (socket) => { socket.end(bomb) }
  },
  { name: 'huge-line', does: 'sends a line of 100 MB', taken: true, play: pour(`${head}content-length: ${100 * mib}\r\n\r\n`, '"'.padEnd(65_536, 'y')) },
  { name: 'another-type', does: 'sends a picture', taken: true, play: sayAndEnd('HTTP/1.1 200 OK\r\ncontent-type: image/png\r\ncontent-length: 4\r\n\r\n\x89PNG') },
  { name: 'nothing', does: 'answers 204', taken: true, play: sayAndEnd('HTTP/1.1 204 No Content\r\n\r\n') },
  { name: 'answers-twice', does: 'sends a second answer unasked', taken: true, play: sayAndEnd(Buffer.concat([json('{}'), json('{"text":"twice"}')])) }
]
