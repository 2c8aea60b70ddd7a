// A program that speaks JSON-RPC over its standard input and output, as an MCP server (`mcp`) or as an agent (`acp`), and misbehaves as its
// second argument says (see program-faults.ts).
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [kind, fault] = process.argv.slice(2)
const write = (bytes) => process.stdout.write(bytes)
const say = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const pour = (stream, piece) => {
  const more = () => { while (stream.write(piece)); stream.once('drain', more) }
  more()
}
const repeat = (line) => pour(process.stdout, `${JSON.stringify({ jsonrpc: '2.0', ...line })}\n`.repeat(100))

const configOptions = [
  { type: 'select', id: 'mode', name: 'Mode', category: 'mode', currentValue: 'ask', options: [{ value: 'ask', name: 'Ask' }] }
]

const results = {
  mcp: {
    initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'peer', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'deed', description: 'Does it.', inputSchema: { type: 'object', properties: {} } }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
    ping: () => ({})
  },
  acp: {
    initialize: ({ protocolVersion }) => ({ protocolVersion, agentInfo: { name: 'peer', version: '1' }, agentCapabilities: {} }),
    'session/new': () => ({ sessionId: 's1', configOptions }),
    'session/set_config_option': () => ({ configOptions }),
    'session/prompt' ({ sessionId }) {
      const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'done' } }
      say({ method: 'session/update', params: { sessionId, update } })
      return { stopReason: 'end_turn' }
    }
  }
}[kind]
const isCall = (method) => method === 'tools/call' || method === 'session/prompt'
const note = kind === 'mcp'
  ? { method: 'notifications/message', params: { level: 'info', data: 'again' } }
  : { method: 'session/update', params: { sessionId: 's1', update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } } } }

/** Sent before a good answer. */
const before = {
  garbage: () => write('not json\n[]\n7\nnull\n{"jsonrpc":"2.0"}\n{"id":{},"result":1}\n{"half":\n'),
  'invalid-utf8': () => write(Buffer.from([0x22, 0xff, 0xfe, 0xc0, 0xed, 0xa0, 0x80, 0x22, 0x0a])),
  nul: () => write(Buffer.alloc(1024)),
  'deep-json': () => write(`{"jsonrpc":"2.0","method":"x","params":${'['.repeat(200_000)}${']'.repeat(200_000)}}\n`),
  'prototype-keys': () => write('{"jsonrpc":"2.0","method":"notifications/x","params":{"__proto__":{"a":1},"constructor":{"prototype":{"b":1}}},"__proto__":{"id":1}}\n')
}
/** Sent instead of a good answer. */
const instead = {
  silence: () => {},
  'exit-on-hello': () => process.exit(4),
  'half-frame': (id) => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"resu`),
  'close-in-frame': (id) => write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"resu`, () => process.exit(0)),
  'wrong-ids': (id, result) => { for (const other of [`${id}x`, -1, null, 1e300]) say({ id: other, result }) },
  'huge-line' () {
    let left = 100
    const more = () => { while (left-- > 0 && write('x'.repeat(1_048_576))); if (left > 0) process.stdout.once('drain', more) }
    more()
  },
  drip (id, result) {
    const bytes = [...JSON.stringify({ jsonrpc: '2.0', id, result })]
    setInterval(() => { if (bytes.length > 0) write(bytes.shift()) }, 1_000)
  },
  'wrong-types': (id) => say({ id, result: id % 2 === 0 ? 7 : null }),
  'odd-errors': (id) => say({ id, error: 'no', result: [] })
}
/** Sent instead of an answer to a call. */
const insteadOfCall = {
  'exit-in-call': () => process.exit(5),
  'ignores-cancel': () => {},
  'floods-notifications': () => repeat(note),
  'floods-requests': () => repeat({ id: 'again', method: kind === 'mcp' ? 'ping' : 'session/request_permission', params: {} })
}

switch (fault) {
  case 'exit': process.exit(9); break
  case 'forks':
    spawn(process.execPath, ['-e', 'setTimeout(() => {}, 600_000)'], { stdio: 'inherit', detached: true }).unref()
    process.exit(0)
    break
  case 'close-output': process.stdout.end(); break
  case 'floods-errors': pour(process.stderr, 'noise '.repeat(1_000)); break
  case 'ignores-cancel':
    process.on('SIGTERM', () => {})
    setInterval(() => {}, 1_000)
    break
  case 'stops': process.kill(process.pid, 'SIGSTOP')
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined || method === undefined) return
  if (results[method] === undefined) return say({ id, error: { code: -32_601, message: 'Method not found' } })
  const answer = isCall(method) ? insteadOfCall[fault] ?? instead[fault] : instead[fault]
  if (answer !== undefined) return answer(id, results[method](params ?? {}))
  before[fault]?.()
  const result = results[method](params ?? {})
  for (let times = fault === 'answers-twice' ? 2 : 1; times > 0; times--) say({ id, result })
}).on('close', () => { if (fault !== 'ignores-cancel') process.exit(0) })
