import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { createAgentRuntime, type HostConnection } from '../../services/agent/index.js'
import { withoutGaps } from '../../services/agent/engines/history.js'
import { type FromHost, type ModelMessage, type RunBatch, type RunSpec, type ToHost } from '../../services/agent/protocol.js'
import { start } from '../support/app.js'
import { eventually, gate, held, startChat } from '../support/chat.js'

/** Returns hosts that a test plays itself. */
function scriptedHosts (t: Test) {
  // The runtime's own timers do not keep a process alive.
  const alive = setInterval(() => {}, 1_000)
  t.teardown(() => clearInterval(alive))
  const hosts: Array<{ sent: ToHost[], say: (message: FromHost) => void, exit: (reason: string) => void, killed: boolean, stopped: boolean }> = []
  const transport = (): HostConnection => {
    const host: (typeof hosts)[number] = { sent: [], say: () => {}, exit: () => {}, killed: false, stopped: false }
    hosts.push(host)
    return {
      pid: null,
      send: (message) => { host.sent.push(message) },
      onMessage: (listener) => { host.say = listener },
      onExit: (listener) => { host.exit = listener },
      stop: async () => { host.stopped = true },
      kill: () => {
        host.killed = true
        host.exit('killed')
      }
    }
  }
  return { hosts, transport }
}
const spec = (runId: string): RunSpec => ({ runId, generation: 1, profile: 'default' }) as RunSpec
const ended = (runId: string): RunBatch => ({ runId, generation: 1, seq: 1, events: [{ t: 'end', state: 'done', usage: { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true, lastPromptTokens: 0 } }] })

t.test('an agent process that hangs is noticed and ended, and its turns hear of it', async (t) => {
  const { hosts, transport } = scriptedHosts(t)
  const agent = createAgentRuntime({ transport, heartbeatMs: 5 })
  const lost = new Promise<string>((resolve) => agent.start(spec('a'), { events: () => {}, lost: ({ reason }) => resolve(reason) }))
  for (let beats = 0; beats < 10; beats++) {
    await eventually('a ping', () => hosts[0]!.sent.findLast((message) => message.type === 'ping'))
    hosts[0]!.say({ type: 'pong', beat: beats, runs: [{ runId: 'a', generation: 1, seq: 0, isOver: false, requests: [] }] })
  }
  t.notOk(hosts[0]!.killed, 'one that answers stays')
  t.equal(await lost, 'killed')
  t.same(agent.size(), { hosts: 0, runs: 0, waiting: 0 })
  agent.stop()
})

t.test('a turn that comes while an idle agent process leaves gets a new one', { long: true }, async (t) => {
  const { hosts, transport } = scriptedHosts(t)
  const agent = createAgentRuntime({ transport, idleStopMs: 10 })
  agent.start(spec('a'), { events: () => {}, lost: () => t.fail('not lost') })
  hosts[0]!.say({ type: 'events', batches: [ended('a')] })
  await eventually('the idle stop', () => hosts[0]!.stopped)
  agent.start(spec('b'), { events: () => {}, lost: () => t.fail('not lost') })
  t.equal(hosts.length, 2)
  hosts[0]!.exit('exit code 0')
  t.equal(agent.size().runs, 1)
  agent.stop()
})

t.test('a control that nobody acknowledges is a failed relay, one without an owner a missing run', async (t) => {
  const { transport } = scriptedHosts(t)
  const agent = createAgentRuntime({ transport, controlTimeoutMs: 10 })
  agent.start(spec('a'), { events: () => {}, lost: () => {} })
  await t.rejects(agent.control('default', { op: 'steer', runId: 'a', text: 'x' }), { name: 'RelayFailed', code: 'gateway_approval_relay_failed' })
  await t.rejects(agent.control('default', { op: 'steer', runId: 'b', text: 'x' }), { name: 'Conflict', code: 'gateway_run_unavailable' })
  t.same(agent.size().waiting, 0)
  agent.stop()
})

t.test('stopping one turn leaves the others of its agent process alone', async (t) => {
  const service = await startChat(t, { hosts: 'fork' })
  const asking = [{ tool: 'clarify', args: { question: 'Which?' } }, { tool: 'terminal', args: { command: 'echo one' } }]
  const [first, second] = [await service.newSession(), await service.newSession()]
  const other = await service.send(second, 'wait', { model: service.model([{ tool: 'terminal', args: { command: 'echo two' } }]) })
  const stopped = await service.send(first, 'ask', { model: service.model(asking) })
  for (const session of [first, second]) await service.pending(session)
  const hostPid = (await service.get('/api/system/health')).body.agent.pid
  await service.get(`/api/chat/cancel?stream_id=${stopped}`)
  await (await service.watch(stopped)).ended
  await service.respond(second, 'once')
  const reader = await service.watch(other)
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'stream_end')
  t.equal((await service.get('/api/system/health')).body.agent.pid, hostPid)
})

t.test('a stop that cannot be stored changes nothing, and works once there is room again', async (t) => {
  const service = await startChat(t)
  const { db } = service.app
  const wait = gate()
  const sessionId = await service.newSession()
  const streamId = await service.send(sessionId, 'Hello', { model: service.model(held(wait, [{ text: 'So far' }], [{ text: ' and on' }])) })
  const reader = await service.watch(streamId)
  await reader.until('token')
  const fence = db.sqlite.prepare("create trigger full before update of state on streams when new.state = 'cancelling' begin select raise(abort, 'no room'); end")
  fence.run()
  t.equal((await service.get(`/api/chat/cancel?stream_id=${streamId}`)).status, 500)
  db.sqlite.exec('drop trigger full')
  t.same((await service.get(`/api/chat/cancel?stream_id=${streamId}`)).body, { ok: true, cancelled: true, stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'cancel')
  const { messages, active_stream_id: active } = await service.session(sessionId)
  t.equal(messages[1].content, 'So far')
  t.equal(active, null)
  wait.open()
})

t.test('a stream that is open in the database and lives nowhere locks nobody out', async (t) => {
  const service = await start(t)
  const sessionId = await service.newSession()
  service.app.db.sqlite.prepare("insert into streams (id, session_id, kind, state, generation, started_at) values ('orphan', ?, 'chat', 'active', 1, 1)").run(sessionId)
  const reader = await service.events(`/api/chat/stream?stream_id=${await service.send(sessionId, 'help')}`)
  await reader.until('done')
  const orphan = await service.events('/api/chat/stream?stream_id=orphan&replay=1')
  await orphan.ended
  t.match(orphan.frames.at(-1), { event: 'apperror', data: { type: 'interrupted' } })
})

t.test('a model that calls tools for ever is stopped with words', async (t) => {
  const service = await startChat(t)
  const again = () => [{ tool: 'list_files', args: {} }]
  const { frames, last } = await service.turn(await service.newSession(), 'Go', service.model(...Array.from({ length: 120 }, () => again)))
  t.equal(last.event, 'stream_end')
  const done = frames.find((frame) => frame.event === 'done')!
  t.equal(done.data.terminal_state, 'tool_limit_reached')
  const answer = done.data.session.messages.at(-1)
  t.match(answer, { role: 'assistant', content: /limit of steps/ })
  t.equal(answer.tool_calls, undefined)
  t.equal(frames.filter((frame) => frame.event === 'tool').length, frames.filter((frame) => frame.event === 'tool_complete').length)
})

t.test('an attachment that is no file does not hold up its turn', async (t) => {
  const service = await startChat(t)
  const pipe = join(service.workspace, 'pipe.png')
  execFileSync('mkfifo', [pipe])
  const streamId = await service.send(await service.newSession(), 'Look', { model: service.model([{ text: 'Nothing to see.' }]), attachments: [{ name: 'pipe.png', path: pipe, mime: 'image/png', is_image: true }] })
  const reader = await service.watch(streamId)
  await reader.until('done')
})

t.test('documents that cannot be read are left out', { long: true }, async (t) => {
  const service = await startChat(t)
  mkdirSync(join(service.folder, 'home', 'memories'))
  symlinkSync('SOUL.md', join(service.folder, 'home', 'SOUL.md'))
  symlinkSync('/etc/hostname', join(service.workspace, 'AGENTS.md'))
  const model = service.model([{ text: 'Hello.' }])
  const { last } = await service.turn(await service.newSession(), 'Hello', model)
  t.equal(last.event, 'stream_end')
  t.notMatch(JSON.stringify(service.requests(model)[0]!.messages), /Rules of this workspace/, 'a linked AGENTS.md is nobody\'s rule')
})

t.test('deleting and starting at the same moment is no fault', async (t) => {
  const service = await start(t)
  for (let round = 0; round < 5; round++) {
    const sessionId = await service.newSession()
    const answers = await Promise.all([service.post('/api/session/delete', { session_id: sessionId }), service.post('/api/chat/start', { session_id: sessionId, message: 'help' })])
    t.ok(answers.every((answer) => answer.status === 200 || answer.status === 404), answers.map((answer) => answer.status).join())
  }
})

t.test('HEAD changes nothing', async (t) => {
  const service = await start(t)
  for (const path of ['/api/chat/stream?stream_id=x', '/api/chat/cancel?stream_id=x', '/api/approval/stream?session_id=x', '/api/sessions/events']) {
    t.equal((await fetch(service.url + path, { method: 'HEAD' })).status, 405, path)
  }
})

t.test('the list follows every row', async (t) => {
  const service = await startChat(t)
  const sessionId = await service.newSession()
  const wait = gate()
  const streamId = await service.send(sessionId, 'Go', { model: service.model([{ tool: 'list_files', args: {} }], held(wait, [], [{ text: 'Done.' }])) })
  const reader = await service.watch(streamId)
  await reader.until('tool_complete')
  const row = (await service.get('/api/sessions')).body.sessions[0]
  t.equal(row.message_count, (await service.session(sessionId)).message_count)
  wait.open()
  await reader.ended
})

t.test('every call has a result in what the model is shown, also where ids repeat', async (t) => {
  const call = (id: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'x', input: {} }] })
  const result = (id: string): ModelMessage => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'x', output: { type: 'text', value: 'ok' } }] })
  t.same(withoutGaps([call('0'), result('0'), call('0')]).map(({ message }) => message.role), ['assistant', 'tool', 'assistant', 'tool'])
  t.same(withoutGaps([call('0'), result('0')]).length, 2)
})

t.test('a message that is just being stored is not taken for a leftover of a crash', async (t) => {
  const service = await start(t)
  const { chat, db } = service.app
  const sessionId = await service.newSession()
  const message = { sessionId, message: 'help', explicitModelPick: false, attachments: [] }
  const first = chat.send(message)
  // Committed, but the caller has not been told: the moment at which a second device may send.
  db.flush()
  await t.rejects(chat.send(message), { name: 'Conflict' })
  const { streamId } = await first
  const reader = await service.events(`/api/chat/stream?stream_id=${streamId}&replay=1`)
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'stream_end')
})

t.test('a result that came after later calls is put behind the call that it belongs to', (t) => {
  const call = (id: string): ModelMessage => ({ role: 'assistant', content: [{ type: 'tool-call', toolCallId: id, toolName: 'look', input: {} }] })
  const result = (id: string): ModelMessage => ({ role: 'tool', content: [{ type: 'tool-result', toolCallId: id, toolName: 'look', output: { type: 'text', value: id } }] })
  const history = [call('outer'), call('inner'), result('inner'), result('outer'), call('outer'), result('outer')]
  t.same(withoutGaps(history).map(({ message }) => message), [call('outer'), result('outer'), call('inner'), result('inner'), call('outer'), result('outer')])
})
