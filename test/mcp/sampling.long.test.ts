import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { stringify } from 'yaml'
import { cardOf } from '../../services/agent/engines/sampling.js'
import { readSample, SamplingRefused } from '../../services/agent/mcp/sampling.js'
import { scopeOf } from '../../services/agent/policy/scopes.js'
import { eventually, said } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint, type ModelRequest } from '../support/model-endpoint.js'
import { called, type Card } from '../support/mcp/calls.js'
import { hostileServer, startWith, type McpService } from '../support/mcp/servers.js'
import { spawnServer } from '../support/server.js'

const approvals = { allow: ['mcp:h:*'] }
const sampling = (more: Record<string, unknown> = {}): Record<string, unknown> => ({ mcp_servers: { h: { ...hostileServer(), sampling: true } }, approvals, ...more })

/** Returns requests to the model on behalf of a server, as opposed to the turn itself. */
const sampled = (service: McpService): ModelRequest[] => service.endpoint.requests.filter((request) => !request.stream && said(request, 'user').some((text) => text.startsWith('Question')))
const pendingCard = async (service: McpService, sessionId: string, other = ''): Promise<Card> =>
  await eventually('a card', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${sessionId}`)).body as { pending: Card | null }
    return pending !== null && pending.approval_id !== other && pending
  })

t.test('a server asks the model what a person has seen and allowed, and no more', async (t) => {
  const service = await startWith(t, sampling())
  const { cards, result, requests } = await called(service, 'mcp__h__sample', {})
  t.equal(cards.length, 1, 'whatever is granted to its tools')
  t.match(cards[0], { pattern_key: 'mcp:h:sampling/create', max_scope: 'once', description: /The MCP server "h".*4000 tokens/, content_truncated: false })
  t.equal(cards[0]?.content, 'system prompt:\n> Be a pirate.\n\nmessage 1 (user):\n> Question 0?\\u{200b}\\u{202e}')
  t.same(JSON.parse(result), [{ role: 'assistant', content: { type: 'text', text: 'An automatic title' }, model: requests[0]?.model, stopReason: 'endTurn' }])
  const [asked, ...more] = sampled(service)
  t.same(more, [])
  t.match(asked, { tools: [], messages: [{ role: 'system', content: 'Be a pirate.' }, { role: 'user' }], model: requests[0]?.model })
  t.equal(asked?.messages.length, 2, 'nothing of the conversation')
  t.equal(asked?.body['max_tokens'] ?? asked?.body['max_completion_tokens'], 4_000)
  t.match(service.app.db.sqlite.prepare("select kind, model from usage where kind = 'mcp_sampling'").all(), [{ model: requests[0]?.model }])
})

t.test('only servers that may are told that they could', async (t) => {
  const service = await startWith(t, sampling({ mcp_servers: { h: { ...hostileServer(), sampling: true }, plain: hostileServer() }, approvals: { allow: ['mcp:h:*', 'mcp:plain:*'] } }))
  t.match(JSON.parse((await called(service, 'mcp__h__capabilities', {})).result), { sampling: {}, elicitation: {} })
  t.notOk('sampling' in JSON.parse((await called(service, 'mcp__plain__capabilities', {})).result))
  const { cards, result } = await called(service, 'mcp__plain__sample', {})
  t.same([cards, sampled(service)], [[], []])
  t.match(JSON.parse(result), [{ error: { code: -32601 } }])
})

t.test('a denial holds for the call; yolo and grants allow nothing', async (t) => {
  const service = await startWith(t, sampling({ approvals: { allow: ['mcp:h:*', 'mcp:h:sampling/create'] } }))
  const { cards, result } = await called(service, 'mcp__h__sample', { count: 3, what: 'again' }, { choice: 'deny' })
  t.equal(cards.length, 1)
  t.match(JSON.parse(result), Array.from({ length: 3 }, () => ({ error: { code: -1, message: 'The user does not allow it.' } })))
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Go', { model: service.model([{ tool: 'mcp__h__sample', args: {} }], [{ text: 'Done.' }]) })
  const card = await pendingCard(service, sessionId)
  await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
  t.equal((await pendingCard(service, sessionId)).approval_id, card.approval_id)
  await service.respond(sessionId, 'deny', card.approval_id)
  await (await service.watch(streamId)).ended
  t.same(sampled(service), [])
  t.equal(scopeOf(['mcp:h:sampling/create']), 'once')
})

t.test('the operator\'s no, and a turn that nobody watches, are told to the server in words', async (t) => {
  const denied = await startWith(t, sampling({ approvals: { ...approvals, deny: ['mcp:h:sampling/*'] } }))
  const { cards, result } = await called(denied, 'mcp__h__sample', {})
  t.same(cards, [])
  t.match(JSON.parse(result), [{ error: { message: 'The operator\'s rules do not allow it.' } }])
  const service = await startWith(t, sampling())
  const model = service.model([{ tool: 'mcp__h__sample', args: {} }], [{ text: 'Done.' }])
  t.equal((await service.post('/api/background', { session_id: await service.newSession({ model }), prompt: 'Do it' })).status, 200)
  const request = await eventually('the second step', () => service.requests(model)[1])
  t.match(JSON.parse(said(request, 'tool')[0]!), [{ error: { message: 'Nobody watches this conversation who could allow it.' } }])
  t.same([sampled(denied), sampled(service)], [[], []])
})

t.test('a flood of requests is one card after the other, up to a cap', async (t) => {
  const file = join(temporaryFolder(t, 'flood'), 'told')
  const service = await startWith(t, sampling({ mcp_servers: { h: { ...hostileServer('plain', file), sampling: true } } }))
  const told = (): number => readFileSync(file, 'utf8').split('refused\n').length - 1
  let args: Record<string, unknown> = { count: 200 }
  service.endpoint.script(async ({ stream, messages }) => {
    if (stream) return messages.some(({ role }) => role === 'tool') ? [{ text: 'Done.' }] : [{ tool: 'mcp__h__sample', args }]
    // While nothing of the first eight is answered, the others of the flood are refused, however slowly it arrives.
    await eventually('all others to be refused', () => told() >= 192)
    return [{ text: 'An answer' }]
  })
  const { cards, result } = await called(service, 'mcp__h__sample', {})
  t.equal(cards.length, 8)
  const answers = JSON.parse(result) as Array<{ error?: { message: string } }>
  t.equal(answers.filter(({ error }) => error === undefined).length, 8)
  t.equal(answers.filter(({ error }) => error?.message === '8 requests wait already.').length, 192)
  t.equal(sampled(service).length, 8)
  args = { count: 22, what: 'again' }
  const patient = await called(service, 'mcp__h__sample', {})
  t.equal(patient.cards.length, 20)
  t.match((JSON.parse(patient.result) as unknown[]).slice(20), [{ error: { message: /20 times for this call/ } }, { error: {} }])
})

t.test('what is too long is not asked; of what is long, the card says how much it does not hold', async (t) => {
  const service = await startWith(t, sampling())
  const huge = await called(service, 'mcp__h__sample', { chars: 1_048_576 })
  t.same(huge.cards, [])
  t.match(JSON.parse(huge.result), [{ error: { code: -32602, message: /too long: 10\d+ characters/ } }])
  const long = await called(service, 'mcp__h__sample', { chars: 90_000 })
  t.match(long.cards, [{ content_truncated: true, rest: [{ field: 'command' }, { field: 'content', chars: Number }] }])
  t.ok(long.cards[0]!.content!.length <= 12_000)
  const image = await called(service, 'mcp__h__sample', { what: 'image' })
  t.same(image.cards, [])
  t.match(JSON.parse(image.result), [{ error: { code: -32602, message: 'Only text can be sent to the model here.' } }])
})

t.test('every text has its place on a card, and nothing of it is hidden', async (t) => {
  const key = `sk-ant-api03-${'a1B2'.repeat(22)}`
  const card = cardOf({ system: `${'\u202e'.repeat(40_000)}`, messages: Array.from({ length: 30 }, (_, index) => ({ role: 'user' as const, text: `${key} ${'\n'.repeat(2_000)}end ${index}` })) })
  t.notOk(card.isCut, String(card.text.length))
  t.match(card.text, /sk-ant-api03-(?:a1B2)+/, 'a card shows what would be asked')
  for (let index = 0; index < 30; index++) t.match(card.text, new RegExp(`message ${index + 1} \\(user\\):\\n> `))
  t.notMatch(card.text.replaceAll(/^(?:> .*|message \d+ \(user\):|system prompt:|)$/gm, ''), /\S/, 'no line without a mark')
  const text = { type: 'text', text: 'x' }
  for (const params of [
    { messages: [], maxTokens: 1 }, { messages: Array.from({ length: 31 }, () => ({ role: 'user' as const, content: text })), maxTokens: 1 }, { messages: [{ role: 'user' as const, content: text }], maxTokens: 0 },
    { messages: [{ role: 'user' as const, content: { type: 'text', text: ' ' } }], maxTokens: 1 }, { messages: [{ role: 'user' as const, content: [text, { type: 'audio' }] }], maxTokens: 1 },
    { messages: [{ role: 'user' as const, content: text }], maxTokens: 1, tools: [{}] }
  ]) t.throws(() => readSample('h', params), SamplingRefused)
})

t.test('when the turn is cancelled, the card goes, and so does the model\'s answer', async (t) => {
  const file = join(temporaryFolder(t, 'sampling'), 'told')
  const service = await startWith(t, sampling({ mcp_servers: { h: { ...hostileServer('plain', file), sampling: true } } }))
  const wasTold = (times: number): boolean => readFileSync(file, 'utf8').split('cancelled\n').length - 1 === times
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Go', { model: service.model([{ tool: 'mcp__h__sample', args: { count: 3 } }]) })
  const first = await pendingCard(service, sessionId)
  await service.get(`/api/chat/cancel?stream_id=${streamId}`)
  await (await service.watch(streamId)).ended
  await eventually('the server to be told', () => wasTold(1))
  t.equal((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending, null)

  service.endpoint.script(async (request) => {
    if (said(request, 'user').some((text) => text.startsWith('Question'))) await eventually('the end', () => request.isClosed)
    return request.stream ? [{ tool: 'mcp__h__sample', args: { count: 3 } }] : [{ text: 'A title' }]
  })
  const nextId = await service.send(sessionId, 'Again', { model: 'cancelled-in-the-middle' })
  const card = await pendingCard(service, sessionId, first.approval_id)
  await service.respond(sessionId, 'once', card.approval_id)
  const asked = await eventually('the model to be asked', () => sampled(service)[0])
  await service.get(`/api/chat/cancel?stream_id=${nextId}`)
  await eventually('the call to be given up', () => asked.isClosed)
  await (await service.watch(nextId)).ended
  await eventually('the server to be told again', () => wasTold(2))
  t.equal(sampled(service).length, 1, 'those that waited behind it are not asked')
  t.equal((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending, null)
})

t.test('a server that answers its call takes back what it has asked', async (t) => {
  const service = await startWith(t, sampling())
  const sessionId = await service.newSession()
  const model = service.model([{ tool: 'mcp__h__sample', args: { count: 3, what: 'early' } }], [{ text: 'Done.' }])
  const streamId = await service.send(sessionId, 'Go', { model })
  await (await service.watch(streamId)).ended
  t.equal(said(service.requests(model)[1], 'tool').at(-1), 'already')
  t.equal((await service.get(`/api/approval/pending?session_id=${sessionId}`)).body.pending, null)
  t.same(sampled(service), [])
})

t.test('a budget that is used up is no card of a server\'s; a model that fails is told to both', async (t) => {
  const service = await startWith(t, sampling({ budgets: { turn: { hard_tokens: 100 } } }))
  const model = service.model([{ tool: 'mcp__h__sample', args: {} }, { usage: { input: 120, output: 10 } }], [{ text: 'Done.' }])
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Go', { model })
  const card = await pendingCard(service, sessionId)
  t.match(card, { pattern_key: 'budget:turn:tokens' }, 'the turn\'s own, before its next step')
  await service.respond(sessionId, 'once', card.approval_id)
  await (await service.watch(streamId)).ended
  t.match(JSON.parse(said(service.requests(model)[1], 'tool').at(-1)!), [{ error: { message: 'The budget of this conversation is used up.' } }])
  t.same(sampled(service), [])

  const broken = await startWith(t, sampling())
  let steps = 0
  broken.endpoint.script((request) => {
    if (!request.stream) return said(request, 'user').some((text) => text.startsWith('Question')) ? [{ refuse: 401, error: 'secret words' }] : [{ text: 'A title' }]
    return steps++ === 0 ? [{ tool: 'mcp__h__sample', args: {} }] : [{ text: 'Done.' }]
  })
  const session = await broken.newSession()
  const stream = await broken.send(session, 'Go', { model: 'one-that-fails' })
  const asked = await pendingCard(broken, session)
  await broken.respond(session, 'once', asked.approval_id)
  const reader = await broken.watch(stream)
  await reader.ended
  t.match(JSON.parse(said(broken.requests('one-that-fails')[1], 'tool').at(-1)!), [{ error: { message: 'The model did not answer.' } }])
  t.match(reader.frames.find(({ event, data }) => event === 'warning' && data.type === 'mcp_sampling')?.data, { message: /The MCP server "h" got no answer from the model/ })
})

for (const { tool, kind } of [{ tool: 'sample', kind: 'approval' }, { tool: 'ask', kind: 'clarify' }]) {
  t.test(`after kill -9 with an open ${kind} in the middle of a server's call, that is not made once more`, async (t) => {
    const endpoint = await modelEndpoint(t)
    endpoint.script(({ stream }) => stream ? [{ tool: `mcp__h__${tool}`, args: {} }] : [{ text: 'A title' }])
    const folder = temporaryFolder(t, `${tool}-kill`)
    const calls = join(folder, 'calls')
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'home', 'config.yaml'), stringify(sampling({ mcp_servers: { h: { ...hostileServer('plain', calls), sampling: true } }, auxiliary: { title_generation: { provider: 'offline-demo' } } })))
    const environment = { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
    const first = await spawnServer(t, folder, environment)
    const { session: { session_id: sessionId } } = await first.json('/api/session/new', {})
    const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: sessionId, message: 'Go', model: 'm' })
    const pending = async (server: typeof first): Promise<Card | null> => (await server.json(`/api/${kind}/pending?session_id=${sessionId}`)).pending
    await eventually('the card', async () => await pending(first))
    await first.crash()

    const second = await spawnServer(t, folder, environment)
    const reader = await second.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
    await reader.ended
    t.equal(await pending(second), null)
    t.equal(readFileSync(calls, 'utf8').split('\n').filter((line) => line === tool).length, 1)
    t.equal(await second.end('SIGTERM'), 0)
  })
}
