import t from '#test'
import { asset } from '../../../services/ground/assets.js'
import { createCommandReader } from '../../../services/agent/policy/index.js'
import { startChat, type ScriptedAnswer } from '../../support/chat.js'

const said: string[] = []
const entry = asset('test/support/stuck-reader.js')
const readCommand = createCommandReader({ entry, limitMs: 4_000, log: (message) => { said.push(message) } })
const service = await startChat(t, { readCommand })

const run = (command: string): ScriptedAnswer => [{ tool: 'terminal', args: { command } }]

t.test('while the reading of a command never ends, the other turns of the agent go on', async (t) => {
  const patient = await startChat(t, { readCommand: createCommandReader({ entry, limitMs: 600_000 }) })
  const stuck = await patient.newSession()
  const streamId = await patient.send(stuck, 'Do it', { model: patient.model(run('echo stuck')) })
  const reader = await patient.watch(streamId)
  await reader.until('tool')
  t.equal((await patient.turn(await patient.newSession(), 'Hello', patient.model([{ text: 'Nothing holds this up.' }]))).last.event, 'stream_end')
  t.equal((await patient.get(`/api/approval/pending?session_id=${stuck}`)).body.pending_count, 0)

  await patient.get(`/api/chat/cancel?stream_id=${streamId}`)
  await reader.ended
  const next = await patient.newSession()
  await patient.send(next, 'Do it', { model: patient.model(run('echo fine')) })
  t.match(await patient.pending(next, 'approval', 1), { pattern_keys: ['cmd:read'] }, 'when its turn is cancelled, the thread is free for others')
  await patient.respond(next, 'deny')
})

t.test('a command whose reading takes too long is asked about, and the log names the run', { long: true }, async (t) => {
  const stuck = await service.newSession()
  const streamId = await service.send(stuck, 'Do it', { model: service.model(run('echo stuck')) })
  const reader = await service.watch(streamId)
  t.match(await service.pending(stuck, 'approval', 1), { pattern_keys: ['shell:opaque'], description: /cannot be checked in advance: checking it took too long/ })
  t.match(said, [new RegExp(`^a command of the run ${streamId} could not be read: it took longer than 4 s$`)])
  await service.respond(stuck, 'once')
  await reader.ended
  t.match(reader.frames.find((frame) => frame.event === 'tool_complete')?.data, { is_error: false, preview: /stuck/ }, 'a person may let it through')
})

t.test('whoever waits behind it gets a thread that works', { long: true }, async (t) => {
  const sessions = await Promise.all([service.newSession(), service.newSession(), service.newSession()])
  const [stuck, one, two] = sessions as [string, string, string]
  await (await service.watch(await service.send(stuck, 'Do it', { model: service.model(run('echo stuck')) }))).until('tool')
  for (const sessionId of [one, two]) await service.send(sessionId, 'Do it', { model: service.model(run('echo fine')) })
  for (const sessionId of [one, two]) t.match(await service.pending(sessionId, 'approval', 1), { pattern_keys: ['cmd:read'] })
  t.match(await service.pending(stuck, 'approval', 1), { pattern_keys: ['shell:opaque'] })
  for (const sessionId of sessions) await service.respond(sessionId, 'deny')
})

t.test('a reading that fails or wants all memory is asked about as well, with yolo too', async (t) => {
  for (const command of ['echo faulty', 'echo greedy']) {
    const sessionId = await service.newSession()
    await service.post('/api/session/yolo', { session_id: sessionId, enabled: true })
    await service.send(sessionId, 'Do it', { model: service.model(run(command)) })
    t.match(await service.pending(sessionId, 'approval', 1), { pattern_keys: ['shell:opaque'] }, command)
    await service.respond(sessionId, 'deny')
  }
})

t.test('the agent as it is shipped reads commands in such a thread', async (t) => {
  const shipped = await startChat(t, { hosts: 'fork' })
  const sessionId = await shipped.newSession()
  const reader = await shipped.watch(await shipped.send(sessionId, 'Do it', { model: shipped.model(run('cd /etc && cat hosts')) }))
  t.match(await shipped.pending(sessionId, 'approval', 1), { pattern_keys: ['read:outside', 'cmd:cat'] })
  await shipped.respond(sessionId, 'deny')
  await reader.ended
})
