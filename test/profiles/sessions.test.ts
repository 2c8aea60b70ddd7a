import t from '#test'
import { takesSession } from '../../plugins/areas/sessions-profiles.js'
import { start, type Answer } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { sendForm } from '../support/forms.js'

const service = await start(t)
await service.post('/api/profile/create', { name: 'work' })
const session = await service.newSession({ profile: 'work' })
const here = await service.newSession()
const inWork = { cookie: 'svc_profile=work' }
const streamId = (await service.post('/api/chat/start', { session_id: session, message: 'Hello' }, inWork)).body.stream_id as string
await eventually('its turn is over', async () => (await service.get(`/api/session/status?session_id=${session}`, inWork)).body.session?.active_stream_id === undefined && (await service.get(`/api/chat/stream/status?stream_id=${streamId}`, inWork)).body.active === false)

const mismatch = { error: 'This session belongs to the profile work. Switch to it first', code: 'session_profile_mismatch', session_id: session, profile: 'work' }
/** Routes for all profiles, and the reason. */
const open: Record<string, string> = {
  'POST /api/approval/respond': 'GET /api/prompts shows what waits in all profiles',
  'GET /api/approval/text': 'GET /api/prompts shows what waits in all profiles',
  'POST /api/clarify/respond': 'GET /api/prompts shows what waits in all profiles',
  'GET /api/start': 'the session is left out, and the rest is there'
}

interface Schema { type?: string | string[], enum?: unknown[], const?: unknown, anyOf?: Schema[], properties?: Record<string, Schema>, required?: string[], items?: Schema, minLength?: number, pattern?: string }
/** Returns a value that a schema accepts. */
function sample (schema: Schema, name = ''): unknown {
  if (name === 'session_id') return session
  if (name === 'stream_id') return streamId
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return sample(schema.anyOf[0]!)
  const type = [schema.type].flat()[0]
  if (type === 'object') return Object.fromEntries((schema.required ?? []).map((key) => [key, sample(schema.properties![key]!, key)]))
  if (type === 'array') return [sample(schema.items ?? {})]
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : schema.pattern?.includes('\\d') === true ? '1' : 'text'
}

t.test('every route that takes a session, or a stream of one, refuses those of another profile', async (t) => {
  const { paths } = service.app.swagger() as unknown as { paths: Record<string, Record<string, { parameters?: Array<{ name: string, in: string, required?: boolean, schema: Schema }>, requestBody?: { content: Record<string, { schema: Schema }> } }>> }
  let count = 0
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(methods)) {
      const route = `${method.toUpperCase()} ${path}`
      const body = requestBody?.content['application/json']?.schema
      const query = parameters.filter((one) => one.in === 'query')
      const fields = [...query.map(({ name }) => name), ...Object.keys(body?.properties ?? {})]
      const named = fields.includes('session_id') ? 'session_id' : fields.includes('stream_id') ? 'stream_id' : null
      if (named === null || open[route] !== undefined) continue
      count++
      const asked = query.filter(({ name, required }) => required === true || name === named).map(({ name, schema }): [string, string] => [name, String(sample(schema, name))])
      const address = `${path}?${new URLSearchParams(body === undefined ? asked : []).toString()}`
      const sent = body === undefined ? undefined : { ...sample(body) as object, [named]: named === 'session_id' ? session : streamId }
      const answer = method === 'get' ? await service.get(address) : await service.post(address, sent)
      if (route === 'POST /api/chat/start') t.match(answer, { status: 404, body: { error: 'Session not found' } }, route)
      else t.same([answer.status, answer.body], [409, mismatch], `${route} ${answer.text.slice(0, 200)}`)
    }
  }
  t.ok(count > 70, `${count} routes`)
  t.match(await service.get(`/api/start?session_id=${session}`), { status: 200, body: { session: null } })
})

t.test('so do forms, programs of OpenAI\'s interface and of the Model Context Protocol', async (t) => {
  for (const path of ['/api/upload', '/api/workspace/upload', '/api/upload/extract']) {
    t.match(await sendForm(service.url + path, [{ name: 'session_id', content: session }, { name: 'file', filename: 'a.txt', content: 'a' }]), { status: 409, body: mismatch }, path)
  }
  const v1 = async (path: string, body: object, headers = {}): Promise<Answer> => await service.post(path, body, headers)
  t.match(await v1('/v1/chat/completions', { model: 'agent', messages: [{ role: 'user', content: 'Hi' }] }, { 'x-session-id': session }), { status: 409, body: { error: { code: 'session_profile_mismatch' } } })
  t.match(await v1('/v1/responses', { model: 'agent', input: 'Hi', previous_response_id: `resp_${streamId}` }), { status: 409 })
  for (const [name, args] of [['read_session', {}], ['start_turn', { message: 'Hi' }], ['wait_for_turn', {}], ['cancel_turn', {}], ['answer_approval', { choice: 'deny', approval_id: 'x' }], ['answer_question', { response: 'x', clarify_id: 'x' }]] as const) {
    const { text } = await service.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: { session_id: session, ...args } } }, { accept: 'application/json, text/event-stream' })
    t.match(text, /"isError":true/, name)
    t.match(text, mismatch.error, name)
  }
})

t.test('the one stream of everything knows none of them, and goes on', async (t) => {
  const reader = await service.events(`/api/events?session=${session}&session=${here}&follow=${streamId}&folder=${session}:&all_profiles=1`)
  await eventually('all is told', () => ['snapshot', 'conversation_unknown', 'turn_unknown', 'folder_unknown', 'conversation'].every((event) => reader.frames.some((frame) => frame.event === event)))
  t.match(reader.frames.find(({ event }) => event === 'conversation')?.data, { session_id: here })
  t.notOk(reader.frames.some(({ event }) => event === 'turn' || event === 'folder'))
})

t.test('in its own profile, or where the request names it, all is as ever; nobody has taken anything from it', async (t) => {
  t.match(await service.get(`/api/session?session_id=${session}`, inWork), { status: 200, body: { session: { message_count: 2 } } })
  t.match(await service.get('/api/sessions?all_profiles=1'), { body: { sessions: [{ session_id: session }] } })
  t.match(await service.post('/api/chat/start', { session_id: session, message: 'Again', profile: 'work' }), { status: 200 })
  t.match(await service.post('/api/chat/start', { session_id: here, message: 'Hi' }, inWork), { status: 404 })
})

t.test('an empty profile is the active one, wherever a request can name one', async (t) => {
  const { status, body } = await service.post('/api/session/new', { profile: '' }, inWork)
  t.match({ status, profile: body.session?.profile }, { status: 200, profile: 'work' })
  const mine = body.session.session_id as string
  t.match(await service.post('/api/chat/start', { session_id: mine, message: 'Hello', profile: '' }, inWork), { status: 200 })
  await eventually('its turn is over', async () => (await service.get(`/api/session/status?session_id=${mine}`, inWork)).body.agent_running === false)
  t.match(await service.post('/api/goal', { session_id: mine, args: 'Tidy up', profile: '' }, inWork), { status: 200, body: { action: 'set' } })
  t.match(await service.post('/api/chat/start', { session_id: mine, message: 'Hello', profile: '' }), { status: 404 }, 'which is another one here')
  t.match(await service.post('/api/session/new', { profile: 'nobody' }), { status: 404 })
})

t.test('what a deleted profile has left can be read, as nobody can choose that profile any more', async (t) => {
  await service.post('/api/profile/create', { name: 'gone' })
  const id = await service.newSession({ profile: 'gone' })
  t.equal((await service.get(`/api/session?session_id=${id}`)).status, 409)
  t.equal((await service.post('/api/profile/delete', { name: 'gone' })).status, 200)
  t.equal((await service.get(`/api/session?session_id=${id}`)).status, 200)
})

t.test('nothing that a request names beside it opens one', async (t) => {
  const own = (await service.post('/api/chat/start', { session_id: here, message: 'Hello' })).body.stream_id as string
  const refused = async (path: string, body?: object): Promise<void> => {
    t.same(await (body === undefined ? service.get(path) : service.post(path, body)).then(({ status, body: answer }) => [status, answer]), [409, mismatch], path)
  }
  for (const path of ['/api/chat/stream', '/api/chat/stream/status', '/api/chat/cancel', '/api/tts/stream']) {
    for (const beside of [`session_id=${here}`, 'profile=work', `session_id=${here}&profile=work&replay=1`]) await refused(`${path}?stream_id=${streamId}&${beside}`)
  }
  for (const path of ['/api/session', '/api/session/export', '/api/list', '/api/session/outline']) await refused(`${path}?session_id=${session}&profile=work`)
  await refused(`/api/chat/cancel?stream_id=${streamId}`, { stream_id: own })
  await refused(`/api/chat/cancel?stream_id=${own}`, { stream_id: streamId })
  await refused(`/api/session/rename?session_id=${session}`, { session_id: here, title: 'x' })
  await refused('/api/session/rename', { session_id: session, title: 'x', profile: 'work' })
  t.match(await service.get(`/api/session?session_id=${here}&session_id=${session}`), { status: 400 })
})

t.test('a folder of sessions is its profile\'s', async (t) => {
  const { project } = (await service.post('/api/projects/create', { name: 'Secret' }, inWork)).body
  for (const [route, body] of [['rename', { name: 'x' }], ['delete', {}]] as const) t.match(await service.post(`/api/projects/${route}`, { project_id: project.project_id, ...body }), { status: 404, body: { error: 'Project not found' } })
  t.match((await service.post('/api/projects/rename', { project_id: project.project_id, name: 'Ours' }, inWork)).body, { project: { name: 'Ours' } })
  t.match(await service.post('/api/projects/delete', { project_id: project.project_id }, inWork), { status: 200 })
})

t.test('a route takes a session by its schema', async (t) => {
  t.ok(takesSession({ schema: { body: { properties: { session_id: {} } } } }))
  t.notOk(takesSession({}))
})
