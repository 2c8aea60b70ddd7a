import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { request } from 'node:http'
import { join } from 'node:path'
import { existsSync } from 'node:fs'
import t from '#test'
import { start, type TestLike, type TestService } from '../support/app.js'
import { startChat } from '../support/chat.js'

interface Called { text: string, isError: boolean, value: any } // eslint-disable-line @typescript-eslint/no-explicit-any -- what a tool answers is what a test looks into

const eras = ['legacy', 'auto'] as const

async function connect (t: TestLike, service: TestService, mode: typeof eras[number] = 'auto', headers: Record<string, string> = {}): Promise<Client> {
  const client = new Client({ name: 'somebody', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } }))
  t.teardown(async () => await client.close())
  return client
}

async function call (client: Client, name: string, input: Record<string, unknown> = {}, onprogress?: (line: string) => void): Promise<Called> {
  const result = await client.callTool({ name, arguments: input }, onprogress === undefined ? {} : { onprogress: ({ message }) => onprogress(message ?? '') })
  const [{ text = '' } = {}] = result.content as Array<{ text?: string }>
  return { text, isError: result.isError === true, value: result.structuredContent }
}

for (const mode of eras) {
  t.test(`a client finds a chat, reads it and goes on with it (${mode})`, async (t) => {
    const service = await start(t)
    const client = await connect(t, service, mode)
    t.same((await client.listTools()).tools.map(({ name }) => name), ['list_sessions', 'search_sessions', 'read_session', 'list_prompts', 'start_turn', 'wait_for_turn', 'cancel_turn', 'answer_approval', 'answer_question'])

    const begun = await call(client, 'start_turn', { message: 'todo buy milk; call home' })
    t.match(begun.value, { state: 'ended', ended: 'completed', answer: /milk/ })
    t.same(JSON.parse(begun.text), begun.value)
    const { session_id: sessionId } = begun.value
    t.match((await call(client, 'list_sessions')).value, { sessions: [{ session_id: sessionId, state: 'idle', message_count: 4 }], next_cursor: null })
    t.match((await call(client, 'search_sessions', { query: 'call home' })).value.sessions, [{ session_id: sessionId }])
    const read = await call(client, 'read_session', { session_id: sessionId })
    t.match(read.value.messages, [{ index: 0, role: 'user', text: 'todo buy milk; call home' }, { role: 'assistant', calls: ['todo'] }, { index: 3, role: 'assistant' }])
    t.equal((await call(client, 'read_session', { session_id: sessionId, tool_results: true })).value.messages.length, 4)
    t.match((await call(client, 'read_session', { session_id: sessionId, limit: 1 })).value, { first_index: 3, messages: { length: 1 } })
    t.match((await call(client, 'start_turn', { session_id: sessionId, message: 'help' })).value, { session_id: sessionId, state: 'ended' })
  })
}

t.test('what the agent asks is seen and answered, and only then done', async (t) => {
  const service = await start(t)
  const client = await connect(t, service)
  const steps: string[] = []
  const asked = await call(client, 'start_turn', { message: 'write a.txt: hello' }, (line) => steps.push(line))
  t.match(asked.value, { state: 'waiting', waits_for: [{ approval_id: String, file: 'a.txt', diff: /\+hello/ }] })
  t.match(steps, [/^write_file: /])
  t.notOk(existsSync(join(service.workspace, 'a.txt')))
  const { session_id: sessionId, waits_for: [{ approval_id: approvalId }] } = asked.value
  t.match((await call(client, 'list_prompts')).value.prompts, [{ type: 'approval', approval_id: approvalId }])
  t.match(await call(client, 'answer_approval', { session_id: sessionId, approval_id: approvalId, choice: 'always' }), { isError: true }, 'for good is not for a program to say')
  t.match((await call(client, 'wait_for_turn', { session_id: sessionId, wait_seconds: 0 })).value, { state: 'waiting' })
  t.match((await call(client, 'answer_approval', { session_id: sessionId, approval_id: approvalId, choice: 'once' })).value, { answered: true })
  t.match((await call(client, 'wait_for_turn', { session_id: sessionId })).value, { state: 'ended', ended: 'completed' })
  t.ok(existsSync(join(service.workspace, 'a.txt')))
  t.match((await call(client, 'answer_approval', { session_id: sessionId, approval_id: approvalId, choice: 'once' })).value, { answered: false }, 'it is over')

  const question = await call(client, 'start_turn', { session_id: sessionId, message: 'ask me Which colour? red|green' })
  const { waits_for: [{ clarify_id: clarifyId }] } = question.value
  t.match((await call(client, 'answer_question', { session_id: sessionId, clarify_id: clarifyId, response: 'green' })).value, { answered: true })
  t.match((await call(client, 'wait_for_turn', { session_id: sessionId })).value, { state: 'ended', answer: /green/ })
})

t.test('a turn that waits for a limit to pass says until when', async (t) => {
  const service = await startChat(t)
  const client = await connect(t, service)
  const model = service.model([{ refuse: 429, error: 'Too many', headers: { 'retry-after': '3600' } }])
  const sessionId = await service.newSession({ model, model_provider: 'openai' })
  const { value } = await call(client, 'start_turn', { session_id: sessionId, message: 'Go', wait_seconds: 30 })
  t.match(value, { session_id: sessionId, state: 'parked', resumes_at: /^20\d\d-.*Z$/ })
  t.match((await call(client, 'wait_for_turn', { session_id: sessionId })).value, { state: 'parked' })
})

t.test('a turn goes on when nobody waits for it any more, and can be stopped', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 20 })
  const client = await connect(t, service)
  const begun = await call(client, 'start_turn', { message: 'slow 4000', wait_seconds: 0 })
  t.match(begun.value, { state: 'running' })
  const { session_id: sessionId } = begun.value
  const gone = new AbortController()
  const waiting = client.callTool({ name: 'wait_for_turn', arguments: { session_id: sessionId, wait_seconds: 600 } }, { signal: gone.signal })
  gone.abort()
  await t.rejects(waiting)
  t.match((await call(client, 'list_sessions')).value.sessions, [{ session_id: sessionId, state: 'running' }])
  t.match(await call(client, 'start_turn', { session_id: sessionId, message: 'help' }), { isError: true, text: /./ })
  const second = await connect(t, service)
  const watched = call(second, 'wait_for_turn', { session_id: sessionId, wait_seconds: 600 })
  t.match((await call(client, 'cancel_turn', { session_id: sessionId })).value, { cancelled: true })
  t.match((await watched).value, { state: 'ended', ended: 'interrupted-by-user' })
  t.match((await call(client, 'cancel_turn', { session_id: sessionId })).value, { cancelled: false })
})

t.test('what is wrong is said in words, and never ends the service', async (t) => {
  const service = await start(t)
  const client = await connect(t, service)
  t.match(await call(client, 'read_session', { session_id: 'nobody' }), { isError: true, text: 'Session not found' })
  t.match(await call(client, 'start_turn', { message: 'help', workspace: '/no/such/folder' }), { isError: true, text: /folder/ })
  t.match(await call(client, 'wait_for_turn', { session_id: await service.newSession() }), { isError: true, text: 'This chat has no turn yet' })
  t.match(await call(client, 'read_session', { session_id: 5, limit: 'many' }), { isError: true })
  t.match(await call(client, 'list_sessions', { cursor: 'nonsense' }), { isError: true })
  for (const body of ['{', '[]', '[1]', '{}', '"text"', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":null}}', '{"jsonrpc":"2.0","id":1,"method":5}']) {
    const answer = await service.post('/mcp', body, { accept: 'application/json, text/event-stream' })
    t.ok(answer.status < 500, `${body}: ${answer.status}`)
    t.notMatch(answer.text, /\/work|node_modules| at /)
  }
  t.equal((await service.post('/mcp', '{}', { origin: 'https://elsewhere.example' })).status, 403, 'no page of another site')
  t.equal((await service.get('/mcp')).status, 405)
})

t.test('behind a password nobody gets in without it', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.equal((await service.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status, 401)
})

t.test('a token has the tools of its scope and no others, chooses among the folders of the list, and ends with what it waits for', async (t) => {
  const service = await start(t, { demoWordsPerSecond: 20 })
  const [reads, talks, answers] = [['list_sessions', 'search_sessions', 'read_session', 'list_prompts'], ['start_turn', 'wait_for_turn', 'cancel_turn'], ['answer_approval', 'answer_question']]
  const rows = [['read', reads], ['chat', [...reads, ...talks]], ['approve', [...reads, ...talks, ...answers]], ['admin', [...reads, ...talks, ...answers]]] as const
  const sessionId = await service.newSession()
  for (const [scope, tools] of rows) {
    const made = await service.post('/api/auth/tokens/create', { name: scope, scope })
    const client = await connect(t, service, 'auto', { authorization: `Bearer ${made.body.token as string}` })
    t.same((await client.listTools()).tools.map(({ name }) => name), tools, scope)
    const inputs = { start_turn: { session_id: sessionId, message: 'help', wait_seconds: 0 }, wait_for_turn: { session_id: sessionId }, cancel_turn: { session_id: sessionId }, answer_approval: { session_id: sessionId, approval_id: 'x', choice: 'once' }, answer_question: { session_id: sessionId, clarify_id: 'x', response: 'x' } }
    for (const [name, input] of Object.entries(inputs)) if (!(tools as string[]).includes(name)) await t.rejects(client.callTool({ name, arguments: input }), { message: /not found/ }, `${scope} ${name}`)
    if (scope !== 'chat') continue
    t.match(await call(client, 'start_turn', { message: 'help', workspace: service.folder }), { isError: true, text: /folders that GET/ })
    const begun = await call(client, 'start_turn', { message: 'slow 4000', wait_seconds: 0 })
    const waits = t.rejects(client.callTool({ name: 'wait_for_turn', arguments: { session_id: begun.value.session_id, wait_seconds: 600 } }, { timeout: 600_000 }))
    await service.post('/api/auth/tokens/revoke', { id: made.body.device.id })
    await waits
    await service.post('/api/chat/cancel', { stream_id: begun.value.turn_id })
  }
  t.equal((await service.session(sessionId)).messages.length, 0)
})

t.test('whatever a request is addressed to, it is answered in the protocol', async (t) => {
  const { url } = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse', SVC_WEBUI_TRUSTED_PROXIES: '127.0.0.1' } })
  const { headers } = await fetch(`${url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password: 'correct horse' }) })
  const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
  for (const [path, host] of [['/mcp', 'no host'], ['/mcp', '[:'], ['/mcp', ''], ['http://127.0.0.1/mcp', '127.0.0.1']] as const) {
    const status = await new Promise((resolve, reject) => {
      const sent = request(url, { path, method: 'POST', headers: { cookie, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-forwarded-host': host } }, (answer) => {
        answer.resume()
        resolve(answer.statusCode)
      })
      sent.on('error', reject)
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
    })
    t.equal(status, 200, `${path} at ${host}`)
  }
})
