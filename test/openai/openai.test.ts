import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import t from '#test'
import { eventually, gate, held, said, startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { serving } from '../support/listening.js'
import { gated, refused, withClient } from '../support/openai.js'

const usage = { usage: { input: 120, output: 7 } }

t.test('a client of OpenAI\'s gets an answer, whole and word by word', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'Hello ' }, { text: 'there.' }, usage], [{ text: 'One, ' }, { text: 'two.' }, usage])
  const { data, response } = await client.chat.completions.create({ model, messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user', content: 'Say hello' }], temperature: 0 }).withResponse()
  t.match(data, { object: 'chat.completion', id: /^chatcmpl-/, choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Hello there.' } }], usage: { prompt_tokens: 120, completion_tokens: 7, total_tokens: 127 } })
  t.match(said(service.requests(model)[0], 'user').at(-1), /Be brief\.[\s\S]*Say hello/)
  const sessionId = response.headers.get('x-session-id')!
  t.equal((await service.get(`/api/session?session_id=${sessionId}`, { authorization: `Bearer ${client.apiKey}` })).body.session.messages[0].content, 'Say hello')

  const stream = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Count' }], stream: true, stream_options: { include_usage: true } })
  let text = ''
  const ends: unknown[] = []
  let counted: unknown
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta.content ?? ''
    if (chunk.choices[0]?.finish_reason != null) ends.push(chunk.choices[0].finish_reason)
    counted = chunk.usage ?? counted
  }
  t.equal(text, 'One, two.')
  t.same(ends, ['stop'])
  t.match(counted, { prompt_tokens: 120, completion_tokens: 7 })
})

t.test('a client that sends all that was said goes on with its conversation; what is not known becomes the context of a new one', async (t) => {
  const { service, client, me } = await withClient(t)
  const model = service.model([{ text: 'First.' }], [{ text: 'Second.' }], [{ text: 'Third.' }], [{ text: 'Fourth.' }])
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'one' }]
  const first = await client.chat.completions.create({ model, messages }).withResponse()
  messages.push(first.data.choices[0]!.message, { role: 'user', content: 'two' })
  const second = await client.chat.completions.create({ model, messages }).withResponse()
  t.equal(second.response.headers.get('x-session-id'), first.response.headers.get('x-session-id'))
  t.same(said(service.requests(model)[1], 'user'), ['one', 'two'])
  t.same(said(service.requests(model)[1], 'assistant'), ['First.'])

  const other = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'made up' }, { role: 'assistant', content: 'as well' }, { role: 'user', content: [{ type: 'text', text: 'three' }] }] }).withResponse()
  t.not(other.response.headers.get('x-session-id'), first.response.headers.get('x-session-id'))
  t.same(said(service.requests(model)[2], 'user'), ['made up', 'three'])
  t.same(said(service.requests(model)[2], 'assistant'), ['as well'])

  const named = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'four' }] }, { headers: { 'X-Session-Id': first.response.headers.get('x-session-id')! } })
  t.equal(named.choices[0]!.message.content, 'Fourth.')
  t.same(said(service.requests(model)[3], 'user'), ['one', 'two', 'four'])
  t.equal((await service.get('/api/sessions', me)).body.sessions.length, 2)
})

t.test('calls of tools are hidden, or lines of the text', async (t) => {
  const { service, client } = await withClient(t)
  const steps = [[{ text: 'I look.' }, { tool: 'list_files', args: { path: '.' } }], [{ text: 'It is empty.' }]]
  const model = service.model(...steps, ...steps)
  const hidden = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'What is here?' }] })
  t.equal(hidden.choices[0]!.message.content, 'I look.\n\nIt is empty.')
  const shown = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'What is here?' }] }, { headers: { 'X-Agent-Tools': 'text' } })
  t.match(shown.choices[0]!.message.content, /^I look\.\n\n> list_files: .*\n\nIt is empty\.$/)
})

t.test('what would be asked is denied, or waits for somebody who may answer it', async (t) => {
  const { service, client, me } = await withClient(t)
  const steps = [[{ tool: 'terminal', args: { command: 'curl example.org' } }], [{ text: 'So it is.' }]]
  const model = service.model(...steps, ...steps)
  const denied = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Fetch it' }] })
  t.equal(denied.choices[0]!.message.content, 'So it is.')
  t.match(JSON.stringify(service.requests(model)[1]!.messages.at(-1)), /[Nn]obody|denied|[Rr]efused/)
  t.same((await service.get('/api/prompts', me)).body.prompts, [])

  const waiting = client.chat.completions.create({ model, messages: [{ role: 'user', content: 'Fetch it' }] }, { headers: { 'X-Agent-Ask': 'wait' } })
  const card = await eventually('the card', async () => (await service.get('/api/prompts', me)).body.prompts[0])
  const answer = { session_id: card.session_id, choice: 'deny' }
  t.equal((await service.post('/api/approval/respond', answer, { authorization: `Bearer ${client.apiKey}` })).status, 403)
  t.equal((await service.post('/api/approval/respond', answer, me)).status, 200)
  t.equal((await waiting).choices[0]!.message.content, 'So it is.')
})

t.test('a client that goes away, or whose token is revoked, takes its turn along', async (t) => {
  const { service, client, me, id } = await withClient(t)
  const never = gate()
  const model = service.model(held(never, [{ text: 'Wait for it, please. ' }], []), held(never, [{ text: 'Wait for it, please. ' }], []), held(never, [{ text: 'Wait for it, please. ' }], []))
  const begin = async () => {
    const stream = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'go' }], stream: true })
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content?.startsWith('Wait') === true) return stream
    throw new Error('no word came')
  }
  await begin()
  await eventually('the end of the turn', () => service.app.chat.activeTurns() === 0)

  const controller = new AbortController()
  const whole = client.chat.completions.create({ model, messages: [{ role: 'user', content: 'go' }] }, { signal: controller.signal })
  await eventually('the turn', () => service.requests(model).length === 2)
  controller.abort()
  await t.rejects(whole)
  await eventually('the end of the turn', () => service.app.chat.activeTurns() === 0)

  const revoked = client.chat.completions.create({ model, messages: [{ role: 'user', content: 'go' }] })
  await eventually('the turn', () => service.requests(model).length === 3)
  await service.post('/api/auth/tokens/revoke', { id }, me)
  await t.rejects(revoked)
  await eventually('the end of the turn', () => service.app.chat.activeTurns() === 0)
})

t.test('responses have their events, and go on from one another', async (t) => {
  const { service, client } = await withClient(t)
  const model = service.model([{ text: 'Hello.' }, usage], [{ text: 'You said ' }, { text: 'hi.' }], [{ text: 'No.' }])
  const first = await client.responses.create({ model, input: 'hi', instructions: 'Be kind.', metadata: { of: 'a test' } })
  t.match(first, { id: /^resp_[0-9a-f]{32}$/, status: 'completed', output_text: 'Hello.', usage: { input_tokens: 120, output_tokens: 7 }, metadata: { of: 'a test' }, instructions: 'Be kind.' })
  const events: string[] = []
  const stream = client.responses.stream({ model, input: [{ role: 'user', content: [{ type: 'input_text', text: 'What did I say?' }] }], previous_response_id: first.id })
  for await (const event of stream) events.push(event.type)
  t.same(events.filter((type, index) => type !== events[index - 1]), ['response.created', 'response.in_progress', 'response.output_item.added', 'response.content_part.added', 'response.output_text.delta',
    'response.output_text.done', 'response.content_part.done', 'response.output_item.done', 'response.completed'])
  const second = await stream.finalResponse()
  t.match(second, { output: [{ content: [{ text: 'You said hi.' }] }], previous_response_id: first.id })
  t.same(said(service.requests(model)[1], 'assistant'), ['Hello.'])
  await refused(t, client.responses.create({ model, input: 'again', previous_response_id: first.id }), { status: 409 })
  await refused(t, client.responses.create({ model, input: 'again', previous_response_id: 'resp_nothing' }), { status: 404 })
  t.equal((await client.responses.create({ model, input: 'again', previous_response_id: second.id })).output_text, 'No.')
})

t.test('a response in the background goes on without its client, and is read again from any event', async (t) => {
  const { service, client } = await withClient(t)
  const [ends, never] = [gate(), gate()]
  const model = service.model(held(ends, [{ text: 'One, ' }], [{ text: 'two.' }, usage]), held(never, [{ text: 'Half' }], []))
  const stream = await client.responses.create({ model, input: 'go', background: true, stream: true, metadata: { of: 'a test' } })
  const first: OpenAI.Responses.ResponseStreamEvent[] = []
  for await (const event of stream) {
    first.push(event)
    if (event.type === 'response.output_text.delta') break
  }
  const { response: { id } } = first[0] as OpenAI.Responses.ResponseCreatedEvent
  t.match(await client.responses.retrieve(id), { id, status: 'in_progress', background: true, output: [{ content: [{ text: 'One, ' }] }], metadata: { of: 'a test' } })
  await refused(t, client.responses.create({ model, input: 'and', previous_response_id: id }), { status: 409 })
  const last = first.at(-1)?.sequence_number ?? 0
  const rest: OpenAI.Responses.ResponseStreamEvent[] = []
  const resumed = client.responses.retrieve(id, { stream: true, starting_after: last }).then(async (events) => { for await (const event of events) rest.push(event) })
  ends.open()
  await resumed
  t.same(rest.map(({ sequence_number: number }) => number), rest.map((_, index) => last + 1 + index), 'no event twice, and none left out')
  t.match(rest.at(-1), { type: 'response.completed', response: { output: [{ content: [{ text: 'One, two.' }] }], usage: { input_tokens: 120, output_tokens: 7 } } })
  const again: unknown[] = []
  for await (const event of await client.responses.retrieve(id, { stream: true })) again.push(event)
  t.same(again, [...first, ...rest], 'and the same from its beginning')
  t.match(await client.responses.retrieve(id), { status: 'completed', output_text: 'One, two.', usage: { total_tokens: 127 } })

  const begun = await client.responses.create({ model, input: 'go on', background: true })
  t.match(begun, { status: 'in_progress', background: true, output: [] })
  await eventually('its turn', () => service.requests(model).length === 2)
  t.match(await client.responses.cancel(begun.id), { id: begun.id, status: 'cancelled' })
  t.match(await client.responses.cancel(begun.id), { status: 'cancelled' }, 'twice is once')
  t.match(await client.responses.cancel(id), { status: 'completed' }, 'one that has ended stays as it is')
  const failing = await client.responses.create({ model: 'fault-404', input: 'x', background: true })
  await eventually('its end', async () => (await client.responses.retrieve(failing.id)).status === 'failed')
  t.match(await client.responses.retrieve(failing.id), { error: { code: 'model_not_found' } })
  for (const asked of [client.responses.retrieve('resp_nothing'), client.responses.cancel(`resp_${'0'.repeat(32)}`)]) await refused(t, asked, { status: 404 })
})

t.test('a response that cannot be kept is no turn either: both are stored at once, or neither', async (t) => {
  const { service, client } = await withClient(t)
  const { sqlite } = service.app.db
  const model = service.model([{ text: 'Hello.' }])
  sqlite.exec('create temp trigger full before insert on responses begin select raise(abort, \'no room\'); end')
  await refused(t, client.responses.create({ model, input: 'go', background: true }), { status: 500 })
  t.same(['streams', 'messages', 'sessions'].map((table) => sqlite.prepare(`select count(*) from ${table}`).pluck().get()), [0, 0, 0])
  sqlite.exec('drop trigger full')
  const { id } = await client.responses.create({ model, input: 'go', background: true })
  await eventually('its end', async () => (await client.responses.retrieve(id)).status === 'completed')
})

t.test('responses go on from one another over a restart', async (t) => {
  const folder = temporaryFolder(t, 'responses')
  const first = await withClient(t, 'chat', { folder })
  const model = first.service.model([{ text: 'Tulip.' }], [{ text: 'Rose.' }])
  const { id } = await first.client.responses.create({ model, input: 'Name a flower', instructions: 'Be brief.' })
  await refused(t, first.client.responses.cancel(id), { status: 400, message: /Only a response in the background/ })
  const { client: { apiKey } } = first
  await first.service.stop()
  const second = await startChat(t, { ...gated, folder })
  const client = new OpenAI({ baseURL: `${second.url}/v1`, apiKey, maxRetries: 0 })
  t.match(await client.responses.retrieve(id), { status: 'completed', output_text: 'Tulip.', instructions: 'Be brief.' })
  const later = second.model([{ text: 'Rose.' }])
  t.match(await client.responses.create({ model: later, input: 'Another', previous_response_id: id }), { output_text: 'Rose.', previous_response_id: id })
  t.same(said(second.requests(later)[0], 'assistant'), ['Tulip.'])
})

t.test('what goes wrong is said as OpenAI says it', async (t) => {
  const { service, client, token, me } = await withClient(t)
  const ask = async (body: unknown, headers: Record<string, string> = { authorization: `Bearer ${token}` }, path = '/v1/chat/completions') => await service.post(path, body, headers)
  const user = { role: 'user', content: 'x' }
  for (const [body, told] of [
    ['{', /not valid JSON/], [{}, /messages/], [{ messages: [] }, /messages/], [{ messages: 'x' }, /messages/], [{ messages: [{}] }, /messages\.0/], [{ messages: [null] }, /messages/],
    [{ messages: [{ role: 'user', content: '  ' }] }, /not be empty/], [{ messages: [user, { role: 'assistant', content: 'x' }] }, /from the user/], [{ messages: [{ role: 'king', content: 'x' }, user] }, /role must be/],
    [{ messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }, /only texts and images/], [{ messages: [{ role: 'user', content: 7 }] }, /must be a text/], [{ messages: [{ role: 'tool', content: 'x' }, user] }, /id of a call/],
    [{ messages: [user], n: 2 }, /one answer/], [{ messages: [user], stream: 'yes' }, /stream/]
  ] as const) {
    const answer = await ask(body)
    t.match(answer, { status: 400, body: { error: { message: told, type: 'invalid_request_error' } } }, JSON.stringify(body))
  }
  for (const body of [{}, { input: [] }, { input: 7 }, { input: 'x', metadata: { a: 1 } }]) {
    t.match(await ask(body, undefined, '/v1/responses'), { status: 400, body: { error: { message: String, type: 'invalid_request_error' } } })
  }
  t.match(await ask({}, undefined, '/v1/embeddings'), { status: 404, body: { error: { message: 'There is no POST /v1/embeddings here', type: 'invalid_request_error' } } })
  t.match(await ask({}, {}, '/v1/embeddings'), { status: 401, body: { error: { code: 'invalid_api_key' } } })
  t.match(await ask({ messages: [user] }, {}), { status: 401, body: { error: { code: 'invalid_api_key' } } })
  t.match(await ask({ messages: [user] }, { authorization: `Bearer ${token}x` }), { status: 401, body: { error: { type: 'authentication_error' } } })
  t.match(await ask({ messages: [user] }, { authorization: `Bearer ${token}`, 'x-session-id': 'nothing' }), { status: 404, body: { error: { message: /Session/ } } })
  t.match(await ask({ messages: [user] }, { authorization: `Bearer ${token}`, 'x-agent-ask': 'yolo' }), { status: 400 })
  t.match(await service.post('/v1/chat/completions', { messages: [user] }, { authorization: `Bearer ${token}`, 'content-type': 'text/plain' }), { status: 415, body: { error: { type: 'invalid_request_error' } } })
  const before = (await service.get('/api/sessions', me)).body.sessions.length
  service.app.chat.hold()
  t.match(await ask({ messages: [user] }), { status: 503, body: { error: { type: 'server_error', code: 'restarting' } } })
  service.app.chat.release()
  t.equal((await service.get('/api/sessions', me)).body.sessions.length, before, 'what could not begin leaves nothing behind')

  const reader = (await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' }, me)).body.token as string
  await refused(t, new OpenAI({ baseURL: `${service.url}/v1`, apiKey: reader }).chat.completions.create({ model: 'agent', messages: [{ role: 'user', content: 'x' }] }), { status: 403, code: 'scope_too_narrow' })

  const messages = [{ role: 'user' as const, content: 'x' }]
  const conversations = async () => (await service.get('/api/sessions', me)).body.sessions.length as number
  const had = await conversations()
  for (const model of ['no-such-model', 'gpt-4o', ' ', 'nobody:scripted-1', '__proto__']) {
    const unknown = { status: 404, code: 'model_not_found', type: 'invalid_request_error', param: null, message: /does not exist: no provider of this profile lists it/ }
    await refused(t, client.chat.completions.create({ model, messages }), unknown)
    await refused(t, client.chat.completions.create({ model, messages, stream: true }), unknown)
    await refused(t, client.responses.create({ model, input: 'x' }), unknown)
    await refused(t, client.models.retrieve(model === ' ' ? 'x' : model), unknown)
  }
  t.equal(await conversations(), had, 'nothing was begun for them')
  await refused(t, client.chat.completions.create({ model: 'fault-404', messages: [{ role: 'user', content: 'x' }] }), { status: 404, code: 'model_not_found' })
})

t.test('a turn that fails, or is cut off by a stop of the service, is no answer', async (t) => {
  const { service, client } = await withClient(t)
  const never = gate()
  const model = service.model(held(never, [{ text: 'Half' }], []), held(never, [{ text: 'Half' }], []))
  const stream = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'go' }], stream: true })
  const events: string[] = []
  const responding = client.responses.create({ model, input: 'go', stream: true }).then(async (response) => { for await (const event of response) events.push(event.type) })
  await eventually('both', () => service.requests(model).length === 2 && service.app.chat.activeTurns() === 2)
  const reading = (async () => { for await (const chunk of stream) if (chunk.choices[0]?.finish_reason != null) t.fail('it has no end') })()
  await Promise.all([service.stop(), refused(t, reading, { code: 'interrupted' }), responding])
  t.equal(events.at(-1), 'response.failed')
  t.notOk(events.includes('response.completed'))
})

t.test('a busy conversation is a conflict, and models are listed', async (t) => {
  const { service, client } = await withClient(t)
  const ends = gate()
  const model = service.model(held(ends, [{ text: 'Wait' }], []))
  const { data: stream, response } = await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'go' }], stream: true }).withResponse()
  await refused(t, client.chat.completions.create({ model, messages: [{ role: 'user', content: 'and' }] }, { headers: { 'X-Session-Id': response.headers.get('x-session-id')! } }), { status: 409, message: /active stream/ })
  ends.open()
  let last = null
  for await (const chunk of stream) last = chunk.choices[0]?.finish_reason ?? last
  t.equal(last, 'stop')
  const { data } = await client.models.list()
  t.equal(data[0]!.id, 'agent')
  t.ok(data.length > 1)
  t.match(await client.models.retrieve(data[1]!.id), { id: data[1]!.id, object: 'model' })
  await refused(t, client.models.retrieve('nothing'), { status: 404 })
})

t.test('an open service answers whatever key a client sends, and judges a token all the same', async (t) => {
  const service = await startChat(t)
  const model = service.model([{ text: 'Open.' }])
  const client = (apiKey: string) => new OpenAI({ baseURL: `${service.url}/v1`, apiKey, maxRetries: 0 })
  t.equal((await client('not-needed').chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] })).choices[0]!.message.content, 'Open.')
  const { token } = (await service.post('/api/auth/tokens/create', { name: 'reader', scope: 'read' })).body
  await refused(t, client(token).chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] }), { status: 403 })
  await refused(t, client('svct_wrong').models.list(), { status: 401 })
})

t.test('a model goes by its alias, its provider, as the default, or by a list; what a provider does not list is not for us to say', async (t) => {
  const folder = temporaryFolder(t, 'openai-models')
  mkdirSync(join(folder, 'home'))
  const origin = await serving(t, (request, response) => {
    if (request.method === 'GET') return response.writeHead(404).end()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${JSON.stringify({ choices: [{ delta: { content: 'From afar.' }, finish_reason: 'stop' }] })}\n\ndata: [DONE]\n\n`)
  })
  const config = join(folder, 'home', 'config.yaml')
  const mine = `custom_providers:\n  - { name: mine, base_url: "${origin}/v1" }\n`
  writeFileSync(config, `model: { default: not-in-a-list, provider: openai, aliases: { quick: also-in-none } }\n${mine}`)
  const { service, client } = await withClient(t, 'chat', { folder })
  const ask = async (model: string) => (await client.chat.completions.create({ model, messages: [{ role: 'user', content: 'x' }] })).choices[0]!.message.content
  for (const model of ['agent', 'not-in-a-list', 'quick', '@openai:nobody-lists-this', 'scripted-1']) t.type(await ask(model), 'string', model)
  t.equal(await ask('@mine:whatever'), 'From afar.')
  await refused(t, ask('whatever'), { status: 404, code: 'model_not_found' })
  writeFileSync(config, `model: { provider: mine, default: whatever }\n${mine}`)
  await eventually('the file counts', async () => (await service.get('/api/models', { authorization: `Bearer ${client.apiKey}` })).body.active_provider === 'mine')
  t.equal(await ask('another'), 'From afar.', 'nobody can tell what it has')
})
