import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { mask } from '../../../services/ground/redaction/index.js'
import { eventually, gate, held, startChat, type ChatService } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'
import { modelEndpoint, type ModelEndpoint, type ModelRequest, type ModelStep } from '../../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../../support/server.js'

/** A secret from the service's own environment, which only its value identifies. */
const own = 'blue-Lantern-over-7-hills'
const planted = {
  own,
  text: 'Tx7aB3cD4eF9gH2jK5mN8',
  reasoning: 'Rs7aB3cD4eF9gH2jK5mN8',
  words: 'seven wooden lanterns burn',
  command: 'Cm7aB3cD4eF9gH2jK5mN8',
  question: 'Qs7aB3cD4eF9gH2jK5mN8',
  choice: 'Ch7aB3cD4eF9gH2jK5mN8',
  todo: 'Td7aB3cD4eF9gH2jK5mN8',
  result: 'Re7aB3cD4eF9gH2jK5mN8',
  title: 'Ti7aB3cD4eF9gH2jK5mN8',
  steer: 'St7aB3cD4eF9gH2jK5mN8',
  goal: 'Go7aB3cD4eF9gH2jK5mN8',
  verdict: 'Ve7aB3cD4eF9gH2jK5mN8',
  task: 'Ta7aB3cD4eF9gH2jK5mN8',
  side: 'Si7aB3cD4eF9gH2jK5mN8',
  provider: 'Pr7aB3cD4eF9gH2jK5mN8'
}
const key = (name: keyof typeof planted): string => `sk-proj-${planted[name]}`
const pem = ['-----BEGIN PRIVATE KEY-----', ...Array.from({ length: 24 }, (_, line) => `Pk${line}xQ7`.padEnd(64, 'aB3cD4eF9gH2jK5mN8pR')), '-----END PRIVATE KEY-----'].join('\n')

/** Returns secrets of which a text contains eight or more consecutive characters. */
function leaks (text: string): string[] {
  return Object.entries({ ...planted, pem: pem.slice(28, -26).replaceAll('\n', '\\n') }).filter(([, secret]) =>
    Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)).some((part) => text.includes(part))).map(([name]) => name)
}

/** Returns a text as models stream it: a few characters at a time, slowly enough for each piece to become a frame. */
function spoken (text: string, as: 'text' | 'reasoning' = 'text', chars = 5): ModelStep[] {
  return (text.match(new RegExp(`[^]{1,${chars}}`, 'g')) ?? []).flatMap((piece, index) => [as === 'text' ? { text: piece } : { reasoning: piece }, ...(index % 3 === 2 ? [{ waitMs: 6 }] : [])])
}

const open = async (t: Parameters<typeof startChat>[0]): Promise<ChatService> => await startChat(t, { env: { VENDOR_API_TOKEN: own } })
const say = (frames: Array<{ event: string, data: Record<string, unknown> }>, event: string): string => frames.filter((frame) => frame.event === event).map((frame) => frame.data.text).join('')

t.test('what is said is masked while it is said, as it is when it is stored', async (t) => {
  const service = await open(t)
  const id = await service.newSession()
  const text = `Use ${key('text')} here, or PASSWORD="${planted.words}" there.\nThe key:\n${pem}\nIt is ${own}, or ${Buffer.from(`ada:${own}`).toString('base64')}, and that is all about the token.`
  const reasoning = `They want ${key('reasoning')}, I think; a token, or the key.`
  const model = service.model([...spoken(reasoning, 'reasoning'), ...spoken(text)])
  const { reader, frames, streamId } = await service.turn(id, 'Say it', model)

  t.same(leaks(reader.text), [])
  t.ok(frames.filter((frame) => frame.event === 'token').length > 4, 'it came in many frames')
  const { session } = (await service.get(`/api/session?session_id=${id}`)).body
  const stored = session.messages.at(-1)
  t.equal(say(frames, 'token'), stored.content, 'live is what is stored')
  t.equal(say(frames, 'reasoning'), stored.reasoning)
  t.equal(stored.content.split(mask).length, 6)
  const again = await service.watch(streamId)
  await again.ended
  const said = (text: string): string => text.replaceAll(': heartbeat\n\n', '')
  t.equal(said(again.text), said(reader.text), 'and what is read again')

  const next = service.model()
  await service.turn(id, 'And?', next)
  t.ok(JSON.stringify(service.requests(next)[0]!.messages).includes(planted.text), 'the model knows what it said')
})

t.test('with the setting switched off nothing is held back', async (t) => {
  const service = await open(t)
  await service.post('/api/settings', { api_redact_enabled: false })
  const { frames } = await service.turn(await service.newSession(), 'Say it', service.model(spoken(`Use ${key('text')} here`)))
  t.equal(say(frames, 'token'), `Use ${key('text')} here`)
})

t.test('ordinary words wait for nothing', async (t) => {
  const service = await open(t)
  const wait = gate()
  const streamId = await service.send(await service.newSession(), 'Go', { model: service.model(held(wait, [{ text: 'The password is kept where the tokens are, and a bearer of news ' }], [{ text: 'comes.' }])) })
  const reader = await service.watch(streamId)
  await eventually('all of it', () => say(reader.frames, 'token').endsWith('bearer of news '))
  wait.open()
  await reader.ended
})

t.test('tools, questions, lists and titles', async (t) => {
  const service = await open(t)
  writeFileSync(join(service.workspace, 'environ'), `HOME=/root\0OPENAI_API_KEY=short-but-secret-1\0PASS=${planted.result}\0SVC_WEBUI_PASSWORD=x1y2z3w4v5\0OWN=${own}\0`)
  service.proposeTitle(`About ${key('title')}`)
  const id = await service.newSession()
  const approvals = await service.events(`/api/approval/stream?session_id=${id}`)
  const questions = await service.events(`/api/clarify/stream?session_id=${id}`)
  const model = service.model(
    [{ tool: 'terminal', args: { command: 'cat environ' } }, { tool: 'todo', args: { todos: [{ id: '1', content: `Rotate ${key('todo')}`, status: 'pending' }] } }],
    [{ tool: 'clarify', args: { question: `Is it ${key('question')}?`, choices: [`Yes, ${key('choice')}`, 'No'] } }],
    [{ tool: 'terminal', args: { command: `curl -sH "Authorization: Bearer ${planted.command}" http://127.0.0.1:9/ # ${'x'.repeat(60)} ${key('command')} ${own}` } }],
    [{ text: 'Well.' }]
  )
  const streamId = await service.send(id, `${'A long beginning of what is meant. '.repeat(1)}It is ${own} and ${key('text')}`, { model })
  const reader = await service.watch(streamId)

  // Without confinement, each command needs approval.
  const question = await eventually('the question', async () => {
    const { pending } = (await service.get(`/api/approval/pending?session_id=${id}`)).body
    if (pending !== null) await service.respond(id, 'once', pending.approval_id)
    return (await service.get(`/api/clarify/pending?session_id=${id}`)).body.pending
  })
  t.same(question.choices_offered, [`Yes, ${key('choice')}`, 'No'], 'a card hides nothing of what is decided')
  await service.post('/api/clarify/respond', { session_id: id, clarify_id: question.clarify_id, response: question.choices_offered[0] })
  await service.pending(id)
  for (const path of ['/api/prompts', `/api/approval/pending?session_id=${id}`]) t.notOk((await service.get(path)).text.includes(own), `${path}: but the service's own secrets`)
  for (const path of [`/api/session?session_id=${id}`, '/api/sessions', `/api/session/status?session_id=${id}`]) t.same(leaks((await service.get(path)).text), [], path)
  await service.post('/api/chat/steer', { session_id: id, text: `Mind ${key('steer')}` })
  await service.respond(id, 'deny')
  await reader.ended
  await eventually('the end of the prompts', () => approvals.text.split('event: approval').length > 2)

  t.same(leaks(reader.text), [])
  for (const { text } of [approvals, questions]) t.notOk(text.includes(own))
  for (const event of ['tool', 'tool_complete', 'todo_state', 'title', 'done']) t.ok(reader.frames.some((frame) => frame.event === event), event)
  t.notMatch(reader.text, /short-but-secret|x1y2z3w4v5/, 'nothing is glued to what stands in front of it')
  const told = service.requests(model).at(-1)!.messages.filter((message) => message.role === 'tool').map(({ content }) => JSON.stringify(content)).join('')
  t.ok(told.includes(planted.choice) && told.includes(planted.result), 'the model is told what was meant')
  t.match(told, /short-but-secret-1\\+nPASS=/, 'variables stand on lines of their own')
})

t.test('goals, tasks, questions on the side', { long: true }, async (t) => {
  const service = await open(t)
  const id = await service.newSession()
  service.judge([{ text: `{"verdict": "continue", "reason": "It lacks ${key('verdict')}"}` }])
  const model = service.model([{ text: 'First.' }], [{ text: 'Second.' }])
  const set = await service.post('/api/goal', { session_id: id, args: `Reach ${key('goal')} soon`, model })
  const reader = await service.watch(set.body.stream_id)
  await reader.ended
  t.match(set.body.goal.goal, key('goal'), 'to whoever typed it as it was typed')
  t.same(leaks(reader.text), [])
  const going = reader.frames.find((frame) => frame.event === 'goal_continue')!
  t.match(going.data.text, /\[redacted\]/)
  const { status, body } = await service.post('/api/chat/start', { session_id: id, message: going.data.text, model })
  t.equal(status, 200)
  const second = await service.watch(body.stream_id)
  await second.ended
  t.ok(JSON.stringify(service.requests(model).at(-1)!.messages).includes(planted.verdict), 'what is sent as it was shown is what was meant')
  t.same(leaks(second.text), [])

  const parent = await service.newSession()
  const background = await service.post('/api/background', { session_id: parent, prompt: `Task ${key('task')}` })
  const side = await service.post('/api/btw', { session_id: parent, question: `Aside ${key('side')}` })
  for (const { body } of [background, side]) {
    const beside = await service.watch(body.stream_id)
    await beside.ended
    t.same(leaks(beside.text), [])
  }
  const results = await eventually('the result', async () => {
    const { body } = await service.get(`/api/background/status?session_id=${parent}`)
    return body.results[0]
  })
  t.match(results, { prompt: `Task ${key('task')}` }, 'what was typed, to whoever may type')
  t.same(leaks(results.answer), [])
})

t.test('a run that is cut off: what was held back is not lost, and not shown', async (t) => {
  const service = await open(t)
  const id = await service.newSession()
  const wait = gate()
  const streamId = await service.send(id, 'Go', { model: service.model(held(wait, spoken(`It is ${key('text')}. Then sk-proj-${planted.provider}`), [])) })
  const reader = await service.watch(streamId)
  await eventually('the first part', () => say(reader.frames, 'token').includes('Then '))
  t.notMatch(say(reader.frames, 'token'), /sk-/)
  await service.post(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  t.same(leaks(reader.text), [])
  const next = service.model()
  await service.turn(id, 'On', next)
  t.ok(JSON.stringify(service.requests(next)[0]!.messages).includes(planted.text))
})

/** Starts the compiled service with a model endpoint and a password that does not look like one. */
async function spawned (t: Parameters<typeof startChat>[0], script: (request: ModelRequest) => ModelStep[] | undefined): Promise<{ endpoint: ModelEndpoint, start: () => Promise<{ server: ServerProcess, json: ServerProcess['json'], events: (path: string) => ReturnType<ServerProcess['events']>, cookie: string }> }> {
  const folder = temporaryFolder(t, 'redaction')
  const endpoint = await modelEndpoint(t)
  endpoint.script((request) => request.stream ? script(request) : [{ text: 'A title' }])
  return {
    endpoint,
    async start () {
      const server = await spawnServer(t, folder, { LOG_LEVEL: 'debug', OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'unremarkable value of a key', SVC_WEBUI_PASSWORD: 'lanterns of wood', SVC_WEBUI_PROXY_HEADER: 'X-Gate: the back door' })
      const login = await fetch(`${server.url}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password: 'lanterns of wood' }) })
      const cookie = login.headers.getSetCookie()[0]!.split(';')[0]!
      return { server, cookie, json: (path, body) => server.json(path, body, { cookie }), events: (path) => server.events(path, { cookie }) }
    }
  }
}

t.test('the environment of the service, read by its own agent', { long: true }, async (t) => {
  const answers: ModelStep[][] = []
  const { endpoint, start } = await spawned(t, () => answers.shift() ?? [{ text: 'Done.' }])
  const { server, json, events, cookie } = await start()
  answers.push([{ tool: 'terminal', args: { command: `cat /proc/${server.pid}/environ; base64 -w0 /proc/${server.pid}/environ; tr '\\0' ' ' < /proc/${server.pid}/environ; cat -v /proc/${server.pid}/environ` } }], [{ text: 'I read: lanterns of wood, the back door, unremarkable value of a key.' }])
  const { session: { session_id: id } } = await json('/api/session/new', {})
  await json('/api/session/yolo', { session_id: id, enabled: true })
  const { stream_id: streamId } = await json('/api/chat/start', { session_id: id, message: 'Read it', model: 'test-model', model_provider: 'openai' })
  const reader = await events(`/api/chat/stream?stream_id=${streamId}`)
  await reader.ended
  const told = endpoint.requests.filter(({ stream }) => stream).at(-1)!.messages.map(({ content }) => JSON.stringify(content)).join('')
  t.match(told, /lanterns of wood/, 'it was read')
  const share = await json('/api/session/share', { session_id: id })
  const texts: Record<string, string> = {
    stream: reader.text,
    share: await (await fetch(server.url + share.path)).text(),
    session: JSON.stringify(await json(`/api/session?session_id=${id}`)),
    export: await (await fetch(`${server.url}/api/session/export?session_id=${id}&format=html`, { headers: { cookie } })).text(),
    list: JSON.stringify(await json('/api/sessions')),
    search: JSON.stringify(await json('/api/sessions/search?q=read')),
    error: JSON.stringify(await json('/api/session?session_id=lanterns of wood'))
  }
  await server.end('SIGTERM')
  texts.log = server.output()
  for (const [what, text] of Object.entries(texts)) {
    t.notMatch(text, /lanterns|back door|unremarkable|bGFudGVybnMgb2Yg|hbnRlcm5zIG9mIHdv|YW50ZXJucyBvZiB3b2/, what)
    if (!/log|list|error/.test(what)) t.ok(text.includes(mask), `${what} shows that something is left out`)
  }
})

t.test('a service that is killed: the model is told what it had said, and nobody else', { long: true }, async (t) => {
  const tail = `sk-proj-${planted.provider.slice(0, 6)}`
  const wait = gate()
  const { endpoint, start } = await spawned(t, ({ model }) => model === 'test-model' ? held(wait, [{ text: `It is ${key('text')}. ` }, { waitMs: 50 }, { chunk: `Then ${tail}` }], []) : [{ text: 'Done.' }])
  const first = await start()
  const { session: { session_id: id } } = await first.json('/api/session/new', {})
  const { stream_id: streamId } = await first.json('/api/chat/start', { session_id: id, message: 'Say it', model: 'test-model', model_provider: 'openai' })
  const reader = await first.events(`/api/chat/stream?stream_id=${streamId}`)
  await eventually('what stands in front of the second', () => say(reader.frames, 'token').includes('Then '))
  t.equal(say(reader.frames, 'token'), `It is ${mask}. Then `)
  await first.server.crash()
  wait.open()

  const { server, json, events } = await start()
  const { session } = await json(`/api/session?session_id=${id}`)
  const partial = session.messages.find((message: { _partial?: boolean }) => message._partial === true)
  t.match(partial.content, /^It is \[redacted\]\. Then /)
  const { stream_id: next } = await json('/api/chat/start', { session_id: id, message: 'Go on', model: 'test-tools-not', model_provider: 'openai' })
  const second = await events(`/api/chat/stream?stream_id=${next}`)
  await second.ended
  const told = JSON.stringify(endpoint.requests.filter(({ model }) => model === 'test-tools-not').at(-1)!.messages)
  t.ok(told.includes(`It is ${key('text')}. Then ${tail}`), 'with what was held back')
  t.same(leaks(JSON.stringify(session) + second.text), [])
  await server.end('SIGTERM')
})
