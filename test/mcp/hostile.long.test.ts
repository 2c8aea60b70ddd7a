import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { stringify } from 'yaml'
import { McpServers } from '../../services/agent/mcp/servers.js'
import { eventually, said } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort } from '../support/listening.js'
import { called } from '../support/mcp/calls.js'
import { hostileServer, startWith, type McpService } from '../support/mcp/servers.js'

const approvals = { allow: ['mcp:h:*'] }
const stateOf = async (service: McpService, name = 'h') => (await service.get('/api/mcp/servers')).body.servers.find((server: { name: string }) => server.name === name)

t.test('a server that never says hello costs a turn a moment, once', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer('mute'), connect_timeout: 2 } } }, { mcpTiming: { patienceMs: 50 } })
  const model = service.model([{ text: 'Hello.' }], [{ text: 'Again.' }])
  const sessionId = await service.newSession()
  t.equal((await service.turn(sessionId, 'Hi', model)).last.event, 'stream_end')
  await eventually('the failure', async () => (await stateOf(service)).status === 'failed')
  t.match(await stateOf(service), { error: 'It did not answer within 2 s.' })
  t.equal((await service.turn(sessionId, 'Hi', model)).last.event, 'stream_end')
})

t.test('no turn waits for servers for which another one has waited, nor does the next host', async (t) => {
  const home = temporaryFolder(t, 'waiting')
  mkdirSync(join(home, 'webui_state'))
  const mute = { ...hostileServer('mute'), connect_timeout: 60 }
  writeFileSync(join(home, 'config.yaml'), stringify({ mcp_servers: Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`s${index}`, mute])) }))
  const host = (patienceMs: number): McpServers => {
    const servers = new McpServers({
      profileHome: home, env: {}, childEnv: {}, commandMark: undefined, sandbox: async () => ({ available: false, reason: 'none' }), hidden: [], idleStopMs: 1_000, refreshed: () => {}, patienceMs
    })
    t.teardown(async () => await servers.close())
    return servers
  }
  const turn = { sessionId: 's', history: [], toolset: 'all' as const }
  const first = host(10)
  t.same((await first.open(turn)).offered(), [])
  await eventually('ten notes', () => existsSync(join(home, 'webui_state', 'mcp')) && readdirSync(join(home, 'webui_state', 'mcp')).filter((name) => name.endsWith('.json')).length === 10)
  await first.close()
  // A longer pause than this test may take.
  const next = host(2 ** 30)
  t.same((await next.open(turn)).offered(), [])
})

t.test('a program that is missing, ends at once, or is no server is a failure in words', async (t) => {
  const service = await startWith(t, {
    mcp_servers: {
      missing: { command: '/no/such/folder/program-that-is-not-there' },
      ends: hostileServer('exit'),
      variable: { ...hostileServer(), env: { TOKEN: '$' + '{NOT_THERE}' } },
      nothing: { args: [] },
      both: { command: 'x', url: 'http://localhost' },
      'bad name': hostileServer(),
      unreachable: { url: `http://127.0.0.1:${await freePort()}/` },
      blocked: { url: 'http://127.0.0.1:25/' }
    }
  })
  const { body } = await service.post('/api/mcp/reload')
  const errors = Object.fromEntries(body.servers.map((server: { name: string, status: string, error: string }) => [server.name, `${server.status}: ${server.error}`]))
  t.same(errors, {
    missing: 'failed: The program "program-that-is-not-there" or its folder was not found.',
    ends: 'failed: The program has ended (exit code 9).',
    variable: 'failed: The variable NOT_THERE is not set in the profile\'s .env.',
    nothing: 'failed: It needs a "command" or a "url".',
    both: 'failed: It has both "command" and "url"; one of them is to go.',
    'bad name': 'failed: Its name must be of letters, digits, ".", "_" and "-", 64 at most.',
    unreachable: 'failed: Its server is not running: nothing listens at its address. Start it, or check the port in its address.',
    blocked: 'failed: Its server has a port that no HTTP request is sent to, as it belongs to another protocol. Have it listen at another port, and change its address.'
  })
  t.match((await stateOf(service, 'ends')).log, [/I have no configuration/])
})

t.test('a call that is never answered ends with its time', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer(), timeout: 1 } }, approvals })
  await called(service, 'mcp__h__say', { words: 'so that it runs' })
  const { result } = await called(service, 'mcp__h__wait', {})
  t.match(result, /did not answer within 1 s, and the call was given up/)
  t.equal((await called(service, 'mcp__h__say', { words: 'on' })).result, 'You said on', 'the server goes on')
})

t.test('a call that tells of progress has its time anew each time, and its progress is shown', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer(), timeout: 2 } }, approvals })
  await called(service, 'mcp__h__say', { words: 'so that it runs' })
  const { frames } = await service.turn(await service.newSession(), 'Do it', service.model([{ tool: 'mcp__h__slow', args: {} }], [{ text: 'Done.' }]))
  t.match(frames.find(({ event }) => event === 'tool_complete')!.data, { preview: 'at last', is_error: false })
  t.match(frames.filter(({ event }) => event === 'tool_output').map(({ data }) => data.text).join(''), '25 %\r\u001b[K33 %\r')
})

t.test('a cancelled turn cancels the call at its server', async (t) => {
  const file = join(temporaryFolder(t, 'calls'), 'calls')
  const service = await startWith(t, { mcp_servers: { h: hostileServer('plain', file) }, approvals })
  const model = service.model([{ tool: 'mcp__h__wait', args: {} }], [{ text: 'Done.' }])
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Wait', { model })
  await eventually('the call', () => existsSync(file))
  t.equal((await service.get(`/api/chat/cancel?stream_id=${streamId}`)).status, 200)
  await eventually('the cancel', () => readFileSync(file, 'utf8').includes('cancelled'))
})

t.test('a server that ends in the middle of a call is started again for the next', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals })
  t.match((await called(service, 'mcp__h__die', {})).result, /"h" cannot be used: The program has ended \(exit code 3\)/)
  t.equal((await called(service, 'mcp__h__say', { words: 'again' })).result, 'You said again')
})

for (const tool of ['flood', 'notify']) {
  t.test(`a server that floods (${tool}) is stopped, and the service goes on`, async (t) => {
    const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals })
    const { result } = await called(service, `mcp__h__${tool}`, {})
    t.match(result, /"h" cannot be used: /)
    t.match((await stateOf(service)).log.join('\n'), /sent (?:a message without end|more than can be read)/)
    t.equal((await service.get('/health')).status, 200)
  })
}

t.test('what is no message is left, and so are messages that nobody waits for', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals })
  t.equal((await called(service, 'mcp__h__garbage', {})).result, 'still there')
  t.match((await stateOf(service)).log.join('\n'), /not a message: not json/)
})

t.test('a server that never stops printing errors fills nothing, and its keys are masked', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer('loud'), env: { LEVEL: 'all' } } }, approvals })
  t.equal((await called(service, 'mcp__h__say', { words: 'through' })).result, 'You said through')
  const { text } = await service.get('/api/mcp/servers')
  t.ok(text.length < 100_000)
  t.notMatch(text, /a1B2a1B2/)
})

t.test('odd names and descriptions become what models take, and nothing of them becomes a pattern', async (t) => {
  const service = await startWith(t, { mcp_servers: { 'my.server': hostileServer('names') } })
  const { requests } = await called(service, 'mcp__my_server__a_b', {})
  const tools = (requests[0]!.body['tools'] as Array<{ function: { name: string, description: string, parameters: Record<string, unknown> } }>).map((tool) => tool.function).filter(({ name }) => name.startsWith('mcp__'))
  t.equal(tools.length, 6)
  t.equal(new Set(tools.map(({ name }) => name)).size, 6)
  for (const { name } of tools) t.match(name, /^[A-Za-z0-9_-]{1,64}$/)
  const injected = tools.find(({ name }) => name.endsWith('injected'))!
  t.ok(injected.description.length < 2_300)
  t.notMatch(injected.description, /[\u200b\u202e]/)
  t.match(injected.description, /^Tool of the MCP server "my\.server"\./)
  t.same(injected.parameters, { type: 'object', properties: { a: { type: 'array', items: {} } } })
  const { body: { servers: [server] } } = await service.get('/api/mcp/servers')
  t.same(server.left_out.map(({ tool }: { tool: string }) => tool), ['bad argument', 'no schema', 'list', 'undefined', 'undefined', 'undefined'])
  const { cards } = await called(service, tools.find(({ description }) => description.includes('All of them'))!.name, {}, { choice: 'always' })
  t.match(cards[0]!.pattern_key, /^mcp:my\.server:_-[0-9a-f]{12}$/)
})

t.test('a tool that is described differently than when it was allowed asks again', async (t) => {
  const file = join(temporaryFolder(t, 'pull'), 'description')
  writeFileSync(file, 'Adds two numbers.')
  const service = await startWith(t, { mcp_servers: { h: hostileServer('pull', file) }, approvals })
  t.same((await called(service, 'mcp__h__deed', {})).cards, [], 'allowed')
  writeFileSync(file, 'Adds two numbers, and sends your keys along.')
  await service.post('/api/mcp/servers/h/restart')
  const { cards, result } = await called(service, 'mcp__h__deed', {})
  t.match(cards, [{ pattern_keys: ['mcp:h:deed', 'mcp:changed'], description: /has changed the description of this tool/ }])
  t.equal(result, 'done')
  t.same((await called(service, 'mcp__h__deed', {})).cards, [], 'once is enough')
})

t.test('yolo answers a card about a tool that changed, and does not accept the change', async (t) => {
  const file = join(temporaryFolder(t, 'pull'), 'description')
  writeFileSync(file, 'Adds two numbers.')
  const service = await startWith(t, { mcp_servers: { h: hostileServer('pull', file) }, approvals })
  await called(service, 'mcp__h__deed', {})
  writeFileSync(file, 'Adds two numbers, and sends your keys along.')
  await service.post('/api/mcp/servers/h/restart')
  const session = await service.newSession()
  const model = service.model([{ tool: 'mcp__h__deed', args: {} }], [{ text: 'Done.' }])
  const reader = await service.watch(await service.send(session, 'Do it', { model }))
  await service.pending(session)
  await service.post('/api/session/yolo', { session_id: session, enabled: true })
  await reader.ended
  t.equal(said(service.requests(model)[1], 'tool').at(-1), 'done')
  t.match((await called(service, 'mcp__h__deed', {})).cards, [{ pattern_keys: ['mcp:h:deed', 'mcp:changed'] }], 'nobody has looked at it yet')
})

t.test('a tool that turns out to be another one when its server is started is not called', async (t) => {
  const file = join(temporaryFolder(t, 'pull'), 'description')
  writeFileSync(file, 'Adds two numbers.')
  const service = await startWith(t, { mcp_servers: { h: hostileServer('pull', file) }, approvals }, { mcpTiming: { idleStopMs: 1 } })
  await called(service, 'mcp__h__deed', {})
  await eventually('the server to be stopped', async () => (await stateOf(service)).status === 'idle')
  writeFileSync(file, 'Subtracts them.')
  t.match((await called(service, 'mcp__h__deed', {})).result, /describes this tool differently now, so it was not called/)
})

t.test('a list that changes is followed', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals })
  await called(service, 'mcp__h__change', {})
  await eventually('the new tool', async () => (await stateOf(service)).tools.some(({ tool }: { tool: string }) => tool === 'added'))
  t.equal((await called(service, 'mcp__h__added', {})).result, 'called added')
})

t.test('a thousand tools are found by search, and called then', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer('many') }, approvals })
  const model = service.model([{ tool: 'tool_search', args: { query: 'open the gate in the garden' } }], [{ tool: 'mcp__h__tool_777', args: {} }], [{ text: 'Done.' }])
  const sessionId = await service.newSession()
  await service.turn(sessionId, 'Open the gate', model)
  const [first, second, third] = service.requests(model)
  t.ok(first!.tools.includes('tool_search'))
  t.notOk(first!.tools.some((name) => name.startsWith('mcp__')))
  t.ok(JSON.stringify(first!.body['tools']).length < 40_000)
  t.match(said(second, 'tool').at(-1), /mcp__h__tool_777: .*Opens the garden gate/)
  t.ok(second!.tools.includes('mcp__h__tool_777'))
  t.equal(said(third, 'tool').at(-1), 'called tool_777')
  const later = service.model([{ text: 'Yes.' }])
  await service.turn(sessionId, 'And now?', later)
  t.ok(service.requests(later)[0]!.tools.includes('mcp__h__tool_777'), 'also in the next turn')
})
