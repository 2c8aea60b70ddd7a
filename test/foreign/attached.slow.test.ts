import { appendFileSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from '#test'
import { continueMessage } from '../../services/agent/index.js'
import { startAgent, writeConfig, type AgentService } from '../support/acp/agents.js'
import { terminal, terminalId as id, type Entry, type Terminal } from '../support/acp/terminal.js'
import { type StartOptions } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { spawnServer } from '../support/server.js'

// Continues conversations of other front ends in place, with agents that keep their sessions in files like the makers' own programs, while
// another program writes to the same files.

type Row = Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- rows of the wire

async function serve (t: Test, { folder, config }: Terminal, options: StartOptions = {}): Promise<AgentService> {
  const service = await startAgent(t, config, { folder, ...options })
  await service.app.foreign.refresh()
  return service
}

const attach = async (service: AgentService): Promise<Row> => await service.post('/api/session/attach', { session_id: id })
const texts = async (service: AgentService): Promise<string[]> => ((await service.session(id)).messages as Row[]).map(({ role, content }) => `${role}: ${String(content)}`)
const textIn = ({ message }: Entry): string => {
  const { content } = (message ?? {}) as Row
  return typeof content === 'string' ? content : ((content ?? []) as Row[]).map(({ text }) => String(text)).join('\n')
}
const roles = { claude: 'claude-code', codex: 'codex' } as const

/** Does what the service does at intervals, once no turn is running. */
async function caughtUp (service: AgentService): Promise<void> {
  await eventually('the turn to be over', async () => (await service.get(`/api/session?session_id=${id}&messages=0`)).body.session.active_stream_id === null)
  await service.app.attached.refresh()
}

for (const [keeps, takesUp] of [['claude', 'resume'], ['codex', 'load']] as const) {
  t.test(`${keeps}: what is added here stands in the file of the terminal`, async (t) => {
    const theirs = terminal(t, keeps, { TAKES_UP: takesUp })
    const service = await serve(t, theirs)
    t.match((await service.get(`/api/session/attach?session_id=${id}`)).body, { session_id: id, attached: false, agent: roles[keeps], can_attach: true, why: null })
    const before = await service.session(id)
    t.match(before, { read_only: true, is_cli_session: true })
    t.match(await attach(service), { status: 200, body: { session: { session_id: id, read_only: false, is_cli_session: false, workspace: theirs.work, message_count: 2, title: 'Weave a carpet', model_provider: roles[keeps] } } })
    t.match((await service.get(`/api/session/attach?session_id=${id}`)).body, { attached: true, can_attach: false, why: null })
    t.equal((await attach(service)).status, 200, 'again is the same')
    const rows = (await service.get('/api/sessions')).body.sessions as Row[]
    t.equal(rows.filter(({ session_id: one }) => one === id).length, 1, 'it is listed once')

    t.match((await service.turn(id, 'say A second one.')).text, /^A second one\.$/, 'what the agent says again is not said twice')
    t.match((await service.turn(id, 'recall')).text, /^I know: Weave a carpet \| say A second one\.$/, 'the agent has all of it, and is told nothing twice')
    t.same(await texts(service), ['user: Weave a carpet', 'assistant: Woven.', 'user: say A second one.', 'assistant: A second one.', 'user: recall', 'assistant: I know: Weave a carpet | say A second one.'])
    await caughtUp(service)
    t.equal((await service.session(id)).message_count, 6, 'what the agent has written is known already')
    t.match(JSON.stringify(theirs.lines().slice(-6)), /A second one\./, 'the terminal finds it')

    theirs.says('And in blue?', 'Blue it is.')
    await caughtUp(service)
    t.same((await texts(service)).slice(-2), ['user: And in blue?', 'assistant: Blue it is.'], 'the terminal went on: that is shown')
    t.match((await service.turn(id, 'recall')).text, /\| And in blue\?$/, 'and the agent has it, out of its file')
    t.same((await texts(service)).filter((text) => text === 'user: And in blue?').length, 1)

    const branch = (await service.post('/api/session/branch', { session_id: id })).body
    t.match(await service.session(branch.session_id), { parent_session_id: id, message_count: 10 }, 'a branch is one as before')
    for (const [path, body] of [['undo', {}], ['retry', {}], ['truncate', { keep_count: 1 }], ['clear', {}]] as const) {
      t.match(await service.post(`/api/session/${path}`, { session_id: id, ...body }), { status: 409, body: { code: 'attached_session' } }, path)
    }
    await service.post('/api/session/delete', { session_id: id })
    t.ok(theirs.lines().length > 8, 'the file stays')
    await service.app.foreign.refresh()
    t.match(await eventually('it to be theirs again', async () => {
      const { body } = await service.get(`/api/session?session_id=${id}`)
      return body.session?.read_only === true && body.session
    }), { message_count: 10, is_cli_session: true }, 'deleted here, it is the terminal\'s again, with all that was said')
    t.equal((await attach(service)).status, 200, 'and can be gone on with again')
    t.match((await service.get('/api/audit?kind=session.attached')).body.entries.map(({ details }: Row) => details.session), [id, id])
  })
}

t.test('the one that comes second is told', async (t) => {
  const theirs = terminal(t, 'codex')
  const service = await serve(t, theirs)
  await attach(service)
  theirs.says('First in the terminal', 'Done there.')
  const refused = await service.post('/api/chat/start', { session_id: id, message: 'say Too late.' })
  t.match(refused, { status: 409, body: { code: 'terminal_wrote', error: /Codex has written to this conversation/ } })
  t.same((await texts(service)).slice(-2), ['user: First in the terminal', 'assistant: Done there.'], 'it was loaded')
  t.match((await service.turn(id, 'say Again.')).text, /^Again\.$/)

  theirs.says('A long one')
  t.match(await service.post('/api/chat/start', { session_id: id, message: 'say Meanwhile.' }), { status: 409, body: { code: 'terminal_busy', error: /is running a turn/ } })
  t.notMatch(JSON.stringify(theirs.lines()), /Meanwhile/)
  appendFileSync(theirs.file, `${JSON.stringify({ type: 'event_msg', payload: { type: 'turn_aborted' } })}\n`)
  t.match((await service.turn(id, 'say Now.')).text, /^Now\.$/)

  // Both programs write at the same moment.
  const stream = await service.send(id, 'wait here')
  const reader = await service.watch(stream)
  await eventually('our message in the file', async () => JSON.stringify(theirs.lines()).includes('wait here'))
  theirs.says('Beside you', 'I saw nothing of that.')
  await service.post('/api/chat/cancel', { stream_id: stream })
  await reader.ended
  await caughtUp(service)
  const shown = await texts(service)
  for (const text of ['user: wait here', 'user: Beside you', 'assistant: I saw nothing of that.']) t.equal(shown.filter((one) => one === text).length, 1, text)
})

for (const keeps of ['claude', 'codex'] as const) {
  t.test(`${keeps}: both at the same moment`, async (t) => {
    const theirs = terminal(t, keeps)
    const service = await serve(t, theirs)
    await attach(service)
    const sign = join(theirs.folder, 'go-on')
    const reader = await service.watch(await service.send(id, `until ${sign}`))
    await eventually('our message in the file', async () => JSON.stringify(theirs.lines()).includes(sign))
    theirs.says('Beside you', 'I saw nothing of that.')
    await service.app.attached.refresh()
    t.equal((await service.session(id)).message_count, 3, 'nothing is put into a turn that is at work')
    writeFileSync(sign, '')
    await reader.ended
    t.match(reader.frames.find(({ event }) => event === 'warning')?.data, { type: 'terminal_wrote', message: /wrote in this chat during this turn/ })
    await eventually('theirs to follow', async () => (await texts(service)).length === 6)
    t.same((await texts(service)).slice(2), [`user: until ${sign}`, `assistant: ${sign}`, 'user: Beside you', 'assistant: I saw nothing of that.'])
    t.equal((await service.turn(id, 'say On.')).text, 'On.')

    await caughtUp(service)
    truncateSync(theirs.file, 100)
    t.match(await service.post('/api/chat/start', { session_id: id, message: 'x' }), { status: 409, body: { code: 'terminal_lost' } }, 'a file that was cut is another one')
  })
}

t.test('a conversation is open in one program at a time', async (t) => {
  const theirs = terminal(t, 'codex')
  const service = await serve(t, theirs)
  await attach(service)
  writeFileSync(`${theirs.file}.lock`, String(process.pid))
  t.match((await service.turn(id, 'say Hello.')).last.data, { message: /could not take up this conversation, so the message was not sent: its own program may have it open/ })
  rmSync(`${theirs.file}.lock`)
  t.equal((await service.turn(id, 'say Hello again.')).text, 'Hello again.')
  const holder = Number(readFileSync(`${theirs.file}.lock`, 'utf8'))
  t.equal(await eventually('the agent to be gone', async () => {
    try {
      return !process.kill(holder, 0)
    } catch {
      return true
    }
  }), true, 'after a turn the terminal can have it')
  const shown = await texts(service)
  t.same([shown.filter((text) => text === 'user: say Hello.').length, shown.at(-1)], [1, 'assistant: Hello again.'])
})

for (const keeps of ['claude', 'codex'] as const) {
  t.test(`${keeps}: a message of the terminal is its own, also where a word of ours stands in it`, async (t) => {
    const theirs = terminal(t, keeps)
    const service = await serve(t, theirs)
    await attach(service)
    writeFileSync(`${theirs.file}.lock`, String(process.pid))
    await service.turn(id, 'go')
    rmSync(`${theirs.file}.lock`)
    theirs.says('Let us go on with the algorithm', 'Very well.')
    theirs.says(`What was said before.\n\n${continueMessage}`, 'I go on.')
    await caughtUp(service)
    t.same((await texts(service)).slice(4), ['assistant: I go on.', 'user: Let us go on with the algorithm', 'assistant: Very well.'], 'what stands for a message of ours is none of theirs')
  })
}

t.test('a call with arguments that nest without end is taken in without them', async (t) => {
  const theirs = terminal(t, 'claude')
  for (const depth of [2_500, 30_000]) {
    const input = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    appendFileSync(theirs.file, `{"type":"assistant","uuid":"d${depth}","message":{"id":"m${depth}","role":"assistant","stop_reason":"end_turn","content":[{"type":"tool_use","id":"c${depth}","name":"Read","input":${input}}]}}
{"type":"user","uuid":"r${depth}","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c${depth}","content":"A result"}]}}
`)
  }
  theirs.says('And now?', 'All is well.')
  const service = await serve(t, theirs)
  t.equal((await service.post('/api/session/branch', { session_id: id })).status, 200)
  t.match(await attach(service), { status: 200, body: { session: { message_count: 8 } } })
  t.equal((await service.turn(id, 'say Hello.')).text, 'Hello.')
})

t.test('a token without admin continues none in a folder that it may not use', async (t) => {
  const theirs = terminal(t, 'claude')
  const service = await serve(t, theirs)
  const { body: { token } } = await service.post('/api/auth/tokens/create', { name: 'writer', scope: 'chat' })
  const chatting = { authorization: `Bearer ${token}` }
  t.match(await service.post('/api/session/attach', { session_id: id }, chatting), { status: 403, body: { code: 'scope_too_narrow', needed_scope: 'admin' } })
  await service.post('/api/workspaces/add', { path: theirs.work })
  t.match(await service.post('/api/session/attach', { session_id: id }, chatting), { status: 200, body: { session: { workspace: theirs.work } } })
})

t.test('a service that is killed at any moment says nothing twice and loses nothing', { long: true }, async (t) => {
  const theirs = terminal(t, 'claude')
  writeConfig(theirs.folder, theirs.config)
  let server = await spawnServer(t, theirs.folder)
  await eventually('it to be listed', async () => (await server.json('/api/sessions')).sessions.some(({ session_id: one }: Row) => one === id))
  await server.json('/api/session/attach', { session_id: id })
  for (let round = 0; round < 8; round++) {
    await server.json('/api/chat/start', { session_id: id, message: `say The answer of round ${round}.` })
    await delay(round * 60)
    await (round % 2 === 0 ? server.crash() : server.end('SIGKILL'))
    if (round % 3 === 0) theirs.says(`Terminal ${round}`, `Told ${round}.`)
    server = await spawnServer(t, theirs.folder)
    await eventually('the turn to be over', async () => (await server.json(`/api/session?session_id=${id}&messages=0`)).session.active_stream_id === null)
    await eventually('all of it to be here', async () => {
      const { messages } = (await server.json(`/api/session?session_id=${id}`)).session as Row
      const shown = (messages as Row[]).map(({ content }) => String(content))
      const written = theirs.lines().map((line) => textIn(line)).filter((text) => text !== '')
      return written.every((text) => shown.filter((one) => one === text).length === 1) && shown.filter((one) => one.startsWith('say')).length === round + 1
    })
  }
})

t.test('what waits in the queue goes on in place', async (t) => {
  const theirs = terminal(t, 'codex')
  const service = await serve(t, theirs)
  await attach(service)
  const stream = await service.send(id, 'wait a moment')
  await eventually('the turn to wait', async () => JSON.stringify(theirs.lines()).includes('wait a moment'))
  await service.post('/api/session/queue', { session_id: id, action: 'add', message: 'say The queued one.' })
  await service.post('/api/chat/cancel', { stream_id: stream })
  await eventually('the queue to be held', async () => (await service.get(`/api/session/queue?session_id=${id}`)).body.held !== null)
  await service.post('/api/session/queue', { session_id: id, action: 'resume' })
  await eventually('its answer', async () => (await texts(service)).at(-1) === 'assistant: The queued one.')
  theirs.says('In between', 'Yes.')
  await caughtUp(service)
  t.same((await texts(service)).slice(-3), ['assistant: The queued one.', 'user: In between', 'assistant: Yes.'])
})

t.test('a service that was killed goes on, and misses nothing', async (t) => {
  const theirs = terminal(t, 'codex')
  const first = await serve(t, theirs)
  await attach(first)
  await first.send(id, 'late The whole answer, as it was written down.')
  await eventually('the answer in the file', async () => JSON.stringify(theirs.lines()).includes('as it was written down.\\"') || theirs.lines().length >= 8)
  await first.stop()
  const second = await serve(t, theirs)
  await caughtUp(second)
  const shown = await texts(second)
  t.equal(shown.filter((text) => text.includes('late The whole answer')).length, 1, 'the message stands once')
  t.match(shown.filter((text) => text.startsWith('assistant')).join(' ').replaceAll('assistant: ', ''), /as it was written down\./, 'what nobody heard is there')
  t.match((await second.turn(id, 'recall')).text, /^I know: Weave a carpet \| late The whole answer, as it was written down\.$/)
})

t.test('what cannot be continued says why', async (t) => {
  const unable = terminal(t, 'codex', { TAKES_UP: 'none' })
  const service = await serve(t, unable)
  t.match(await attach(service), { status: 409, body: { code: 'not_attachable', error: /cannot continue a conversation/ } })
  t.match((await service.get(`/api/session/attach?session_id=${id}`)).body, { can_attach: false, why: /cannot continue/ })
  t.match(await service.session(id), { read_only: true }, 'it stays as it was')
  t.equal((await service.get(`/api/session/attach?session_id=${await service.newSession()}`)).status, 404, 'nor is one of ours attached')

  const bare = terminal(t, 'codex')
  bare.config.agents = { codex: { enabled: false } }
  const without = await serve(t, bare)
  t.match((await without.get(`/api/session/attach?session_id=${id}`)).body, { can_attach: false, agent: null, why: /not installed/ })
  t.equal((await without.post('/api/session/branch', { session_id: id })).status, 200)

  const busy = terminal(t, 'codex')
  busy.says('At work')
  const third = await serve(t, busy)
  t.match(await attach(third), { status: 409, body: { code: 'terminal_busy' } })
  truncateSync(busy.file, 0)
  t.ok((await attach(third)).status >= 400)
})
