import { createMcpHandler, fromJsonSchema, McpServer } from '@modelcontextprotocol/server'
import { createServer } from 'node:http'
import t, { type Test } from '#test'
import { eventually } from '../support/chat.js'
import { listening } from '../support/listening.js'
import { called } from '../support/mcp/calls.js'
import { startWith, type McpService } from '../support/mcp/servers.js'

/** What a server reports about a task, one message after the other. */
type Said = Record<string, unknown> | 'hang' | 'gone'
interface Hostile { url: string, asked: string[], updates: string[], say: (...said: Said[]) => void, push: (notice: Record<string, unknown>) => void, listeners: () => number }

const anything = { params: fromJsonSchema<Record<string, unknown>>({ type: 'object' }) }
const noInput = fromJsonSchema<Record<string, unknown>>({ type: 'object' })

/** Starts a server that answers each call with a task, and reports the given messages about it, the last one for ever. */
async function hostileTasks (t: Test): Promise<Hostile> {
  const asked: string[] = []
  const updates: string[] = []
  let script: Said[] = []
  const listeners = new Set<(message: object) => void>()
  const next = async (): Promise<Record<string, unknown>> => {
    const said = script.length > 1 ? script.shift()! : script[0] ?? {}
    if (said === 'hang') await new Promise(() => {})
    if (said === 'gone') web.closeAllConnections()
    return typeof said === 'string' ? {} : { taskId: 'task-1', status: 'working', pollIntervalMs: 1, ...said }
  }
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: 'hostile', version: '1' })
    server.server.registerCapabilities({ extensions: { 'io.modelcontextprotocol/tasks': {} } })
    server.registerTool('work', { description: 'Works', inputSchema: noInput }, async () =>
      ({ content: [], resultType: 'task', ...await next() }) as never)
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      server.server.setRequestHandler(method, anything, async (params) => {
        asked.push(`${method} ${String(params['taskId'])}`)
        return method === 'tasks/get' ? await next() : {}
      })
    }
    return server
  })
  const web = createServer((request, response) => {
    const pieces: Buffer[] = []
    request.on('data', (piece: Buffer) => pieces.push(piece)).on('end', () => {
      // The library reads the request in its own way, and serves no one who listens for tasks.
      const [, answers] = /"inputResponses":\{"(\w+)"/.exec(Buffer.concat(pieces).toString()) ?? []
      const [, taskIds] = /"taskIds":(\["[^\]]+\])/.exec(Buffer.concat(pieces).toString()) ?? []
      if (taskIds !== undefined) {
        const { id } = JSON.parse(Buffer.concat(pieces).toString()) as { id: string }
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        const tell = (message: { method: string, params: object }): void => {
          response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message, params: { ...message.params, _meta: { 'io.modelcontextprotocol/subscriptionId': id } } })}\n\n`)
        }
        tell({ method: 'notifications/subscriptions/acknowledged', params: { notifications: { taskIds: JSON.parse(taskIds) as string[] } } })
        const listener = (params: object): void => tell({ method: 'notifications/tasks', params })
        listeners.add(listener)
        response.once('close', () => listeners.delete(listener))
        return
      }
      if (answers !== undefined) updates.push(answers)
      void (async () => {
        const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
        const answer = await handler.fetch(new Request('http://127.0.0.1/', { method: request.method ?? 'POST', headers, ...(pieces.length > 0 && { body: Buffer.concat(pieces) }) }))
        response.writeHead(answer.status, [...answer.headers].flat())
        response.end(Buffer.from(await answer.arrayBuffer()))
      })().catch(() => response.destroy())
    })
  })
  const port = await listening(t, web)
  return { url: `http://127.0.0.1:${port}/`, asked, updates, say: (...said) => { script = said }, push: (notice) => { for (const tell of listeners) tell({ taskId: 'task-1', ...notice }) }, listeners: () => listeners.size }
}

async function with1 (t: Test, timeout = 1): Promise<{ service: McpService, far: Hostile, work: () => Promise<string> }> {
  const far = await hostileTasks(t)
  const service = await startWith(t, { mcp_servers: { h: { url: far.url, timeout } }, approvals: { allow: ['mcp:h:*'] } })
  return { service, far, work: async () => (await called(service, 'mcp__h__work', {})).result }
}

t.test('whatever a server says of a task, the call ends in words, and tells of a task that may go on', async (t) => {
  const { far, work } = await with1(t)
  const said: Record<string, [Said[], RegExp]> = {
    'a result': [[{}, { status: 'completed', result: { content: [{ type: 'text', text: 'Here.' }] } }], /^Here\.$/],
    'no result': [[{}, { status: 'completed' }], /what it answered is no result of a tool/],
    'a result of another form': [[{}, { status: 'completed', result: { content: 'x'.repeat(100) } }], /what it answered is no result of a tool/],
    'a long result': [[{}, { status: 'completed', result: { content: [{ type: 'text', text: 'x'.repeat(2_000_000) }] } }], /^x{1000}[^]{0,70000}x$/],
    'a status that nobody knows': [[{ status: 'resting' }], /as its task "task-1", which survives/],
    'a pause without end': [[{ pollIntervalMs: 1e308 }], /as its task "task-1", which survives/],
    'no pause': [[{ pollIntervalMs: 0 }, { status: 'failed', error: { message: 'No\u202e luck' } }], /It failed\. No\\u\{202e\} luck/],
    'an end, and then none': [[{ status: 'cancelled', statusMessage: 'Enough' }, {}], /It stopped this itself\. Enough/],
    'another task': [[{}, { taskId: 'task-2' }], /another task than it was asked after/],
    'an id that is none': [[{ taskId: '' }], /cannot be asked after/],
    'an id without end': [[{ taskId: 'x'.repeat(501) }], /cannot be asked after/],
    'a question that has no name': [[{ status: 'input_required', inputRequests: { a: 5 } }], /asks for something that it is not answered here/],
    'eleven questions': [[{ status: 'input_required', inputRequests: Object.fromEntries(Array.from({ length: 11 }, (_, at) => [`q${at}`, {}])) }], /11 things at once/],
    silence: [[{}, 'hang'], /did not answer within 1 s[^]*may go on with this as its task "task-1"/],
    'a broken connection': [[{}, 'gone'], /cannot be used[^]*may go on with this as its task "task-1"/]
  }
  for (const [what, [script, expected]] of Object.entries(said)) {
    far.say(...script)
    t.match(await work(), expected, what)
  }
})

t.test('a call that is given up stops its task; what nobody waits for any more goes on', async (t) => {
  const { far, work } = await with1(t)
  far.say({ status: 'input_required', inputRequests: { a: { method: 'tools/list' } } })
  await work()
  await eventually('its end', () => far.asked.includes('tasks/cancel task-1'))
  far.asked.length = 0
  far.say({})
  await work()
  t.notOk(far.asked.some((line) => line.startsWith('tasks/cancel')))
})

t.test('a server that asks for ever is given up, and each answer reaches the question of its name', async (t) => {
  const { service, far } = await with1(t)
  const form = (message: string) => ({ method: 'elicitation/create', params: { message, requestedSchema: { type: 'object', properties: {} } } })
  // Parsed from JSON, because the same key in an object literal would have another meaning.
  const asking = (key: string): Said => ({ status: 'input_required', inputRequests: JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(form(key))}}`) })
  far.say(...['__proto__', 'constructor', ...Array.from({ length: 20 }, (_, at) => `q${at}`)].map(asking))
  const sessionId = await service.newSession()
  const model = service.model([{ tool: 'mcp__h__work', args: {} }], [{ text: 'Done.' }])
  const reader = await service.watch(await service.send(sessionId, 'Do it', { model }))
  const seen = new Set<string>()
  while (!reader.frames.some(({ event }) => event === 'stream_end')) {
    const { pending } = (await service.get(`/api/clarify/pending?session_id=${sessionId}`)).body
    if (pending === null || seen.has(pending.clarify_id)) continue
    seen.add(pending.clarify_id)
    await service.post('/api/clarify/respond', { session_id: sessionId, clarify_id: pending.clarify_id, response: 'Yes' })
  }
  t.equal(seen.size, 10)
  t.same(far.updates, ['__proto__', 'constructor', ...Array.from({ length: 8 }, (_, at) => `q${at}`)])
})

t.test('what a server tells of a task is taken at once; what is no task only has it asked', async (t) => {
  const { service, far, work } = await with1(t, 600)
  const slow = { pollIntervalMs: 1e308 }
  const result = { content: [{ type: 'text', text: 'Told.' }] }
  far.say(slow)
  const told = work()
  await eventually('whoever listens', () => far.listeners() === 1)
  far.push({ taskId: 'task-2', status: 'completed', result: { content: [{ type: 'text', text: 'Of another.' }] } })
  far.push({ status: 'working', ...slow })
  far.push({ status: 'completed', result })
  t.equal(await told, 'Told.')
  t.same(far.asked, [], 'nobody had to ask')
  await eventually('nobody listens', () => far.listeners() === 0)

  for (const half of [{ status: 'completed' }, { status: 7 }, { status: 'input_required' }]) {
    far.say(slow, { status: 'completed', result: { content: [{ type: 'text', text: 'Asked.' }] } })
    const asked = work()
    await eventually('whoever listens', () => far.listeners() === 1)
    far.push(half)
    t.equal(await asked, 'Asked.', JSON.stringify(half))
    await eventually('nobody listens', () => far.listeners() === 0)
  }
  t.equal(far.asked.length, 3)
  await service.stop()
})
