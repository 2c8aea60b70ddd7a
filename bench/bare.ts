import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { openDatabase } from '../services/ground/database/index.js'

// The baseline of the rows: node:http and better-sqlite3 without a framework, on a seeded database of its own.

const db = openDatabase({ file: process.argv[2]! })
const long = process.argv[3]!
const stored = new Map<string, Buffer>()
const rows = db.sqlite.prepare('select * from sessions where message_count > 0 order by last_message_at desc')
const messages = db.sqlite.prepare<[string, number], Record<string, unknown>>(
  'select position, role, message_id, body from messages where session_id = ? and position >= ? order by position'
)
const insert = db.sqlite.prepare(
  "insert into sessions (id, profile, workspace, created_at, updated_at) values (lower(hex(randomblob(6))), 'default', '/tmp', 0, 0)"
)

function transcript (from: number): string {
  return JSON.stringify({
    messages: messages.all(long, from).map((row) => ({ ...row, body: JSON.parse(row['body'] as string) as unknown }))
  })
}

function write (level: 'FULL' | 'NORMAL'): string {
  db.sqlite.pragma(`synchronous = ${level}`)
  insert.run()
  return '{}'
}

const routes: Record<string, () => string> = {
  '/list': () => JSON.stringify({ sessions: rows.all() }),
  '/whole': () => transcript(0),
  '/last': () => transcript(1950),
  '/insert': () => write('NORMAL'),
  '/insert-synced': () => write('FULL')
}

const server = createServer((request, response) => {
  const path = request.url ?? '/'
  if (request.method === 'PUT') {
    void store(path, request, response)
    return
  }
  const bytes = stored.get(path)
  const encoding: Record<string, string> = path.endsWith('.gz') ? { 'content-encoding': 'gzip' } : {}
  if (bytes !== undefined) return respond(response, bytes, encoding)
  // The answer is sent only after the body was read.
  request.resume().on('end', () => respond(response, Buffer.from(routes[path]?.() ?? '{}')))
})
server.listen(0, '127.0.0.1', () => process.send!({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }))
process.on('disconnect', () => process.exit(0))

/** `PUT /name` stores bytes that `GET /name` serves. */
async function store (path: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  stored.set(path, Buffer.concat(chunks))
  response.end('{}')
}

function respond (response: ServerResponse, bytes: Buffer, headers: Record<string, string> = {}): void {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length, ...headers })
  response.end(bytes)
}
