import { type ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { drained } from './drained.js'

/** A request to be answered with a fault. */
export interface Faulty {
  response: ServerResponse
  /** Number of the request for this fault, from 1. */
  attempt: number
  /** Whether the request follows a tool's result. */
  afterTool: boolean
}

export interface Fault {
  name: string
  /** The answer never ends, or the turn waits for its limit: the turn is cancelled, which must work at once. */
  endless?: boolean
  /** The only last frame that is allowed; default: any. */
  ends?: 'stream_end' | 'apperror'
  /** Text that was shown of an incomplete answer, and must be in the transcript. */
  keeps?: string
  /** So large that it runs alone. */
  large?: boolean
  short?: boolean
  play (request: Faulty): Promise<void> | void
}

const chunk = (delta: unknown, reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: reason }] })}\n\n`
const text = (content: string): string => chunk({ content })
const call = (index: number, id: string, name: string, args: string): string =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
const finish = (reason = 'stop'): string => `${chunk({}, reason)}data: [DONE]\n\n`
const open = (
  response: ServerResponse, headers: Record<string, string> = {}
): void => { response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }) }
const whole = ({ response }: Faulty, body: string): void => { open(response); response.end(body) }
const refuse = (status: number, headers: Record<string, string> = {}) => ({ response }: Faulty): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end('{"error":{"message":"No.","type":"server_error","code":"x"}}')
}
const limited = (retryAfter: Record<string, string>) =>
  (request: Faulty): void => request.attempt === 1 ? refuse(429, retryAfter)(request) : whole(request, text('There.') + finish())

async function cutAfter ({ response }: Faulty, body: string): Promise<void> {
  open(response)
  response.write(body)
  await delay(10)
  response.destroy()
}

/** Writes only as fast as it is read, and at most `pieces`. */
async function pour ({ response }: Faulty, piece: string, pieces: number): Promise<void> {
  for (let sent = 0; sent < pieces && !response.destroyed; sent++) {
    if (!response.write(piece)) await drained(response)
  }
}

/** Writes bytes to the connection itself, bypassing HTTP. */
function raw ({ response }: Faulty, bytes: Buffer | string): void {
  response.socket?.write(bytes)
  response.socket?.end()
}

const mib = 1024 * 1024
const nested = '['.repeat(100_000)

/** Faults of model endpoints on a bad day. */
export const faults: Fault[] = [
  { name: '429', endless: true, play: refuse(429, { 'retry-after': '0' }) },
  { name: '429-seconds', ends: 'stream_end', play: limited({ 'retry-after': '1' }) },
  { name: '429-hour', endless: true, play: refuse(429, { 'retry-after': '3600' }) },
  {
    name: '429-date',
    play: ({ response, ...rest }) => limited({ 'retry-after': new Date(Date.now() + 1_000).toUTCString() })({ response, ...rest })
  },
  { name: '429-past', ends: 'stream_end', play: limited({ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }) },
  { name: '429-negative', ends: 'stream_end', play: limited({ 'retry-after': '-5' }) },
  { name: '429-nonsense', ends: 'stream_end', play: limited({ 'retry-after': 'soon' }) },
  { name: '429-endless', play: limited({ 'retry-after': '9'.repeat(400) }) },
  { name: '429-ms', ends: 'stream_end', play: limited({ 'retry-after-ms': '50' }) },
  { name: '401', short: true, ends: 'apperror', play: refuse(401) },
  { name: '404', ends: 'apperror', play: refuse(404) },
  { name: '500', ends: 'apperror', play: refuse(500) },
  {
    name: '503-once', ends: 'stream_end',
    play: (request) => request.attempt === 1 ? refuse(503)(request) : whole(request, text('There.') + finish())
  },
  { name: 'cut-before-headers', ends: 'apperror', play: ({ response }) => { response.socket?.destroy() } },
  {
    name: 'cut-reasoning', ends: 'apperror', keeps: 'I think about',
    play: (request) => cutAfter(request, chunk({ reasoning_content: 'I think about' }))
  },
  {
    name: 'cut-text', ends: 'apperror', keeps: 'in the middle',
    play: (request) => cutAfter(request, text('This breaks off in') + text(' the middle'))
  },
  {
    name: 'cut-text-once', ends: 'stream_end', short: true,
    play: (request) => request.attempt === 1 ? cutAfter(request, text('Half a')) : whole(request, text('A whole answer.') + finish())
  },
  {
    name: 'cut-text-then-500', ends: 'apperror', keeps: 'Shown once',
    play: (request) => request.attempt === 1 ? cutAfter(request, text('Shown once')) : refuse(500)(request)
  },
  {
    name: 'cut-text-then-401', ends: 'apperror', keeps: 'Shown once',
    play: (request) => request.attempt === 1 ? cutAfter(request, text('Shown once')) : refuse(401)(request)
  },
  {
    name: 'cut-tool', ends: 'apperror', keeps: 'I read. ',
    play: (request) => cutAfter(request, text('I read. ') + call(0, 'a', 'read_file', '{"pa'))
  },
  { name: 'end-without-finish', ends: 'apperror', play: (request) => whole(request, text('And then')) },
  { name: 'silence', endless: true, short: true, play: () => {} },
  { name: 'headers-then-silence', endless: true, play: ({ response }) => { open(response); response.flushHeaders() } },
  { name: 'words-then-silence', endless: true, short: true, play: ({ response }) => { open(response); response.write(text('Well')) } },
  {
    name: 'comments', endless: true,
    async play ({ response }) {
      open(response)
      while (!response.destroyed) {
        response.write(': still there\n\n')
        await delay(1_000)
      }
    }
  },
  { name: 'empty', ends: 'apperror', play: (request) => whole(request, finish()) },
  { name: 'nothing', ends: 'apperror', play: ({ response }) => { open(response); response.end() } },
  { name: 'garbage', ends: 'apperror', short: true, play: (request) => whole(request, 'data: {{{ no json\n\n') },
  {
    name: 'binary', ends: 'apperror', play: ({
      response
    }) => { open(response); response.end(Buffer.from(Array.from({ length: 65_536 }, (_, index) => (index * 7919) % 256))) }
  },
  { name: 'deep-json', ends: 'apperror', play: (request) => whole(request, `data: ${nested}\n\n`) },
  {
    name: 'deep-arguments', play: (request) =>
      whole(request, request.afterTool ? text('There.') + finish() : call(0, 'a', 'read_file', `{"path":${nested}`) + finish('tool_calls'))
  },
  {
    name: 'html', ends: 'apperror', short: true, play: ({
      response
    }) => { response.writeHead(200, { 'content-type': 'text/html' }); response.end('<html>Sign in to the hotel network</html>') }
  },
  {
    // Some servers do not stream: their answer is accepted as it is.
    name: 'plain-json', keeps: 'all at once', play: ({ response }) => {
      response.writeHead(200, {
        'content-type': 'application/json'
      }); response.end('{"choices":[{"index":0,"message":{"role":"assistant","content":"all at once"},"finish_reason":"stop"}]}')
    }
  },
  {
    name: 'error-inside', ends: 'apperror', keeps: 'So',
    play: (request) => whole(request, `${text('So')}data: {"error":{"message":"overloaded","type":"server_error","code":500}}\n\n`)
  },
  {
    name: 'false-gzip', ends: 'apperror',
    play: ({ response }) => { open(response, { 'content-encoding': 'gzip' }); response.end('this is not gzip') }
  },
  {
    name: 'false-length', ends: 'apperror', play: ({
      response
    }) => { open(response, { 'content-length': '5000' }); response.write(text('Short')); setTimeout(() => response.destroy(), 20) }
  },
  {
    name: 'redirect-loop', ends: 'apperror', short: true,
    play: ({ response }) => { response.writeHead(307, { location: '/v1/chat/completions' }); response.end() }
  },
  {
    name: 'redirect-nowhere', ends: 'apperror',
    play: ({ response }) => { response.writeHead(307, { location: 'http://127.0.0.1:9/v1' }); response.end() }
  },
  { name: 'tls', ends: 'apperror', play: (request) => raw(request, Buffer.from('160303007a0200007603036f', 'hex')) },
  {
    name: 'many-headers', ends: 'apperror',
    play: (request) => raw(request, `HTTP/1.1 200 OK\r\n${'x-filler: 0123456789\r\n'.repeat(10_000)}\r\n`)
  },
  {
    name: 'broken-chunks', ends: 'apperror', play: (request) =>
      raw(request, 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nnonsense\r\n')
  },
  { name: 'after-done', ends: 'stream_end', play: (request) => whole(request, text('There.') + finish() + text(' And more.')) },
  { name: 'cut-short', ends: 'stream_end', play: (request) => whole(request, text('As long as it') + finish('length')) },
  {
    name: 'odd-characters', ends: 'stream_end', short: true, play: (request) =>
      whole(request, text('a\0b') +
      'data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\ndata: {"choices":[{"index":0,"delta":{"content":"\\ude00 \\udc00"}}]}\n\n' +
      finish())
  },
  { name: 'drip', ends: 'stream_end', play: drip },
  {
    name: 'bad-arguments', play: (request) =>
      whole(request, request.afterTool ? text('There.') + finish() : call(0, 'a', 'read_file', '{"path": "notes') + finish('tool_calls'))
  },
  {
    name: 'unknown-tool', play: (request) =>
      whole(request, request.afterTool ? text('There.') + finish() : call(0, 'a', 'no_such_tool', '{}') + finish('tool_calls'))
  },
  {
    name: 'same-ids', short: true, play: (request) => whole(request, request.afterTool
      ? text('There.') + finish()
      : [0, 1, 2].map((index) => call(index, 'same', 'read_file', '{"path":"notes.txt"}')).join('') + finish('tool_calls'))
  },
  {
    name: 'tool-storm', play: (request) => whole(request, request.afterTool
      ? text('There.') + finish()
      : Array.from({ length: 300 }, (_, index) =>
        call(index, `c${index}`, 'read_file', '{"path":"notes.txt"}')).join('') + finish('tool_calls'))
  },
  {
    name: 'tools-for-ever',
    play: (request) => whole(request, call(0, `c${request.attempt}`, 'read_file', '{"path":"notes.txt"}') + finish('tool_calls'))
  },
  {
    name: 'huge-arguments', large: true, play: (request) => whole(request, request.afterTool
      ? text('There.') + finish()
      : call(0, 'a', 'read_file', JSON.stringify({ path: 'x'.repeat(5 * mib) })) + finish('tool_calls'))
  },
  { name: 'huge-delta', large: true, play: (request) => whole(request, text('y'.repeat(5 * mib)) + finish()) },
  {
    name: 'huge-line', large: true,
    play: async (request) => { open(request.response); await pour(request, 'z'.repeat(64 * 1024), 512); request.response.end() }
  },
  {
    name: 'huge-reasoning', large: true, play: async (request) => {
      open(
        request.response
      ); await pour(request, chunk({ reasoning_content: 'r'.repeat(16 * 1024) }), 2_048); request.response.end(finish())
    }
  },
  {
    name: 'huge-answer', large: true, play: async (request) => {
      open(
        request.response
      ); await pour(request, text('w'.repeat(16 * 1024)), 4_096); request.response.end(finish())
    }
  },
  {
    name: 'million-deltas', large: true,
    play: async (request) => { open(request.response); await pour(request, text('w ').repeat(100), 2_000); request.response.end(finish()) }
  }
]

/** Sends an answer one byte at a time. */
async function drip ({ response }: Faulty): Promise<void> {
  open(response)
  for (const byte of Buffer.from(text('drip') + text(' drop') + finish())) {
    if (response.destroyed) return
    response.write(Buffer.from([byte]))
    await delay(2)
  }
  response.end()
}
