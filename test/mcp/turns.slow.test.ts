import t from '#test'
import { eventually, said } from '../support/chat.js'
import { called } from '../support/mcp/calls.js'
import { everythingServer, hostileServer, startWith } from '../support/mcp/servers.js'

t.test('tools of a server over standard input and output: a call asks, and answers the model', async (t) => {
  const service = await startWith(t, { mcp_servers: { every: everythingServer } })
  const { cards, requests, result } = await called(service, 'mcp__every__echo', { message: 'hello there' })
  t.ok(requests[0]?.tools.includes('mcp__every__echo'), 'on offer in the first step already')
  t.equal(cards.length, 1)
  t.match(cards[0], { pattern_key: 'mcp:every:echo', description: /"echo" from the MCP server "every"/, content: '{\n  "message": "hello there"\n}' })
  t.match(result, /Echo: hello there/)
  const { body } = await service.get('/api/mcp/servers')
  t.match(body.servers, [{ name: 'every', transport: 'stdio', status: 'ready', error: null, command: process.execPath }])
  t.ok(body.servers[0].tools_count > 5)
  t.ok((await service.get('/api/mcp/tools')).body.tools.some((tool: { name: string }) => tool.name === 'mcp__every__echo'))
})

t.test('wrong arguments come back to the model, without a card', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() } })
  const { cards, result } = await called(service, 'mcp__h__say', { words: 7 })
  t.same(cards, [])
  t.match(result, /does not fit the tool: "words" must be string/)
})

t.test('a grant for the session holds for it; a denial is told', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() } })
  const first = await called(service, 'mcp__h__say', { words: 'one' }, { choice: 'session' })
  t.equal(first.cards.length, 1)
  const second = await called(service, 'mcp__h__say', { words: 'two' }, { sessionId: first.session })
  t.same([second.cards.length, second.result], [0, 'You said two'])
  const other = await called(service, 'mcp__h__say', { words: 'three' }, { choice: 'deny' })
  t.equal(other.cards.length, 1)
  t.match(other.result, /denied/)
})

t.test('a grant for good is written down by its key', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() } })
  await called(service, 'mcp__h__say', { words: 'one' }, { choice: 'always' })
  t.same(service.app.profiles.settings('default').config['approvals'], { allow: ['mcp:h:say'] })
  const { cards } = await called(service, 'mcp__h__say', { words: 'two' })
  t.equal(cards.length, 0)
})

t.test('the operator can allow and deny servers and tools', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals: { allow: ['mcp:h:*'], deny: ['mcp:h:fail'] } })
  t.same((await called(service, 'mcp__h__say', { words: 'a' })).cards, [])
  const { cards, result } = await called(service, 'mcp__h__fail', {})
  t.same(cards, [])
  t.match(result, /the operator's rules do not allow this \(mcp:h:fail\)/)
})

t.test('only tools that are selected are offered', { long: true }, async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer(), tools: { include: ['say', 'fail'], exclude: ['fail'] } }, off: { ...hostileServer(), enabled: false } } })
  const { requests } = await called(service, 'mcp__h__say', { words: 'a' })
  t.same(requests[0]?.tools.filter((name) => name.startsWith('mcp')), ['mcp__h__say'])
  t.match((await service.get('/api/mcp/servers')).body.servers, [{ name: 'h' }, { name: 'off', status: 'disabled', enabled: false, tools_count: 0 }])
})

t.test('errors, images and long results reach the model as what they are', { long: true }, async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals: { allow: ['mcp:h:*'] } })
  t.match((await called(service, 'mcp__h__fail', {})).result, /It did not work/)
  const huge = await called(service, 'mcp__h__huge', {})
  t.ok(huge.result.length < 70_000)
  t.match(huge.result, /characters left out/)
  const { requests, result } = await called(service, 'mcp__h__picture', {})
  t.match(result, /Look:\n\[Image \(image\/png/)
  t.match(JSON.stringify(requests[1]?.messages.at(-1)), /image_url.*data:image\/png;base64/)
})

t.test('a server may ask the user one thing in a simple form', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals: { allow: ['mcp:h:*'] } })
  const model = service.model([{ tool: 'mcp__h__ask', args: {} }], [{ text: 'Done.' }])
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Ask', { model })
  const pending = await service.pending(sessionId, 'clarify')
  t.match(pending, { question: /The MCP server "h" asks: Which one\?/, choices_offered: ['left', 'right', 'Decline'] })
  await service.post('/api/clarify/respond', { session_id: sessionId, clarify_id: pending.clarify_id, response: 'right' })
  await (await service.watch(streamId)).ended
  t.match(said(service.requests(model)[1], 'tool').at(-1), /They said \{"action":"accept","content":\{"which":"right"\}\}/)
})

t.test('where nobody is there to be asked, a call is refused unless it is granted', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer() }, approvals: { allow: ['mcp:h:fail'] } })
  const model = service.model([{ tool: 'mcp__h__say', args: { words: 'a' } }, { tool: 'mcp__h__fail', args: {} }], [{ text: 'Done.' }])
  const sessionId = await service.newSession({ model })
  t.equal((await service.post('/api/background', { session_id: sessionId, prompt: 'Do it' })).status, 200)
  const request = await eventually('the second step', () => service.requests(model)[1])
  t.match(said(request, 'tool'), [/needs the user's approval \(mcp:h:say\)/, /It did not work/])
})
