import { createHash } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { type Socket } from 'node:net'
import { type TestLike } from './app.js'
import { listening } from './listening.js'

/** A client's request: its connection, and its two messages. */
export interface VoiceCall { url: URL, headers: IncomingHttpHeaders, messages: string[] }

export interface VoiceEndpoint {
  /** Its address. */
  address: string
  calls: VoiceCall[]
  /** Returns the number of open connections. */
  open: () => number
  /** Handles every further call, once both messages have arrived. */
  answer: (connection: VoiceConnection, call: VoiceCall) => void
  /** Status with which it refuses the upgrade to a WebSocket; null: it accepts. */
  refusal: number | null
}

export interface VoiceConnection {
  text (message: string): void
  /** Sends audio bytes, with the headers of such a message. */
  sound (bytes: Buffer): void
  binary (message: Buffer): void
  /** Sends bytes as they are; they may not form a frame. */
  raw (bytes: Buffer): void
  /** Ends the connection without a close frame. */
  cut (): void
}

const accepted = (key: string): string => createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')

/** Starts a WebSocket server (RFC 6455, as far as needed here) that speaks as the test says. */
export async function startVoiceEndpoint (t: TestLike, answer: VoiceEndpoint['answer']): Promise<VoiceEndpoint> {
  const sockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(404).end())
  server.on('upgrade', (request, socket: Socket) => {
    const call: VoiceCall = { url: new URL(request.url!, 'ws://voice'), headers: request.headers, messages: [] }
    endpoint.calls.push(call)
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('end', () => socket.end()).on('error', () => {})
    if (endpoint.refusal !== null) return socket.end(`HTTP/1.1 ${endpoint.refusal} No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accepted(request.headers['sec-websocket-key']!)}\r\n\r\n`)
    let rest: Buffer = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      for (let taken = unmasked(rest); taken !== null; taken = unmasked(rest)) {
        rest = taken.rest
        if (taken.opcode === 1 && call.messages.push(taken.payload.toString()) === 2) endpoint.answer(connection(socket), call)
      }
    })
  })
  const port = await listening(t, server)
  const endpoint: VoiceEndpoint = { address: `ws://127.0.0.1:${port}/read-aloud`, calls: [], open: () => sockets.size, answer, refusal: null }
  return endpoint
}

function connection (socket: Socket): VoiceConnection {
  const send = (opcode: number, payload: Buffer): void => {
    const head = payload.length < 126 ? Buffer.from([0x80 | opcode, payload.length]) : Buffer.from([0x80 | opcode, 126, payload.length >> 8, payload.length & 0xff])
    socket.write(Buffer.concat([head, payload]))
  }
  return {
    text: (message) => send(1, Buffer.from(message)),
    binary: (message) => send(2, message),
    sound (bytes) {
      const headers = Buffer.from('X-RequestId:1\r\nContent-Type:audio/mpeg\r\nX-StreamId:2\r\nPath:audio\r\n')
      send(2, Buffer.concat([Buffer.from([headers.length >> 8, headers.length & 0xff]), headers, bytes]))
    },
    raw: (bytes) => { socket.write(bytes) },
    cut: () => { socket.destroy() }
  }
}

/** Returns the first frame that a client has sent, and what follows it. */
function unmasked (bytes: Buffer): { opcode: number, payload: Buffer, rest: Buffer } | null {
  if (bytes.length < 2) return null
  const short = bytes[1]! & 0x7f
  const start = short === 127 ? 10 : short === 126 ? 4 : 2
  if (bytes.length < start + 4) return null
  const length = short === 127 ? Number(bytes.readBigUInt64BE(2)) : short === 126 ? bytes.readUInt16BE(2) : short
  if (bytes.length < start + 4 + length) return null
  const payload = Buffer.from(bytes.subarray(start + 4, start + 4 + length))
  for (let at = 0; at < length; at++) payload[at]! ^= bytes[start + at % 4]!
  return { opcode: bytes[0]! & 0x0f, payload, rest: bytes.subarray(start + 4 + length) }
}
