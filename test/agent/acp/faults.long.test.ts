import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { readProcess, runningProcesses } from '../../../services/ground/process/processes.js'
import { asset } from '../../../services/ground/assets.js'
import { eventually } from '../../support/chat.js'
import { scripted, startAgent, writeConfig } from '../../support/acp/agents.js'
import { spawnServer } from '../../support/server.js'
import { temporaryFolder } from '../../support/folder.js'

const program = asset('test/support/acp/agent.js')

/** Returns the processes of the scripted agent that belong to a folder, found by their environment. */
function agentsOf (folder: string): number[] {
  return (runningProcesses() ?? []).map(({ pid }) => pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(program) && readFileSync(`/proc/${pid}/environ`, 'utf8').includes(folder)
    } catch {
      return false
    }
  })
}

t.test('an agent that cannot be started, or speaks otherwise, is told of in words', async (t) => {
  const service = await startAgent(t, { env: { AGENT_FAULT: 'version' } })
  const session = await service.newSession()
  t.match((await service.turn(session, 'say hello')).last.data, { message: /speaks version 7 of the Agent Client Protocol/, terminal_state: 'errored' })
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_FAULT: 'auth' }) } })
  t.match((await service.turn(session, 'say hello')).last.data, { type: 'auth_mismatch', message: /wants somebody to sign in first \(Log in with a browser\)/, hint: /Sign in with its own program/ })
  t.match((await service.post('/api/providers/test', { provider: 'agent' })).body, { ok: false, code: 'invalid_key', message: /sign in/ })
  writeConfig(service.folder, { agent: { type: 'acp', command: ['/nowhere/agent'], name: 'Absent' } })
  t.match((await service.turn(session, 'say hello')).last.data, { message: /Absent.*program .*is not there/ })
  writeConfig(service.folder, { agent: { type: 'acp', preset: 'goose' } })
  t.match((await service.turn(session, 'say hello')).last.data.message, /goose.*Install it/)
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ KEY: '$' + '{NOT_THERE}' }) } })
  t.match((await service.turn(session, 'say hello')).last.data.message, /names NOT_THERE, which is not in the profile's \.env/)
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted() } })
  t.match((await service.turn(session, 'say hello')).text, /hello/, 'what is mended counts at once')
})

t.test('an agent that dies ends its turns honestly, and the next turn has another one', async (t) => {
  const service = await startAgent(t)
  const [one, other] = [await service.newSession(), await service.newSession()]
  const waiting = await service.watch(await service.send(other, 'say I wait\nwait'))
  await waiting.until('token')
  const { last, text } = await service.turn(one, 'say before\ndie')
  t.match(text, /before/)
  t.match(last.data, { type: 'interrupted', message: /Scripted has ended: exit code 3; it said last: out of luck/ })
  await waiting.ended
  t.match(waiting.frames.at(-1)!.data.type, 'interrupted', 'so do those of its other conversations')
  t.match((await service.turn(one, 'say again')).text, /again/)
  const { messages } = await service.session(one)
  t.match(messages[1], { content: 'before ', _partial: true }, 'what it had said is kept')
})

t.test('noise, a message without end, silence and failures', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  t.match((await service.turn(session, 'garbage')).text, /After the garbage/)
  t.match((await service.turn(session, 'huge')).last.data, { type: 'interrupted', message: /sent a message without end/ })
  t.match((await service.turn(session, 'nothing')).last.data, { type: 'no_response', message: /answered with nothing/ })
  t.match((await service.turn(session, 'fail')).last.data, { type: 'rate_limit', message: /429 rate limit/ })
  t.match((await service.turn(session, 'say still here')).text, /still here/)
})

t.test('a turn is stopped while the agent asks, and when it does not listen', async (t) => {
  const service = await startAgent(t)
  const session = await service.newSession()
  const streamId = await service.send(session, 'run touch asked')
  const reader = await service.watch(streamId)
  await service.pending(session)
  await service.post('/api/chat/cancel', { stream_id: streamId })
  await reader.ended
  t.equal(reader.frames.at(-1)!.event, 'cancel')
  t.equal((await service.get(`/api/approval/pending?session_id=${session}`)).body.pending, null)
  t.match((await service.turn(session, 'say next')).text, /next/)

  writeConfig(service.folder, { agent: { type: 'acp', ...scripted({ AGENT_FAULT: 'deaf', WHERE: service.folder }) } })
  const deaf = await service.send(session, 'say on and on\nhang')
  const heard = await service.watch(deaf)
  await heard.until('token')
  const [pid] = agentsOf(service.folder)
  await service.post('/api/chat/cancel', { stream_id: deaf })
  await heard.ended
  t.equal(heard.frames.at(-1)!.event, 'cancel', 'the conversation is free at once')
  await eventually('its end', () => readProcess(pid!) === null)
})

t.test('a turn is stopped while the agent does not come up, and the next has another one at once', async (t) => {
  const folder = temporaryFolder(t, 'silent')
  const service = await startAgent(t, { env: { AGENT_FAULT: 'silent', WHERE: folder } })
  const [one, other] = [await service.newSession(), await service.newSession()]
  const begin = async (session: string): Promise<{ streamId: string, reader: Awaited<ReturnType<typeof service.watch>> }> => {
    const streamId = await service.send(session, 'say hello')
    return { streamId, reader: await service.watch(streamId) }
  }
  const [first, second] = [await begin(one), await begin(other)]
  const mine = (): number[] => agentsOf(folder)
  await eventually('its start', () => mine().length === 1)
  await service.post('/api/chat/cancel', { stream_id: first.streamId })
  await first.reader.ended
  t.equal(first.reader.frames.at(-1)!.event, 'cancel')
  t.equal(mine().length, 1, 'somebody else still waits for it')
  await service.post('/api/chat/cancel', { stream_id: second.streamId })
  await second.reader.ended
  await eventually('its end', () => mine().length === 0)
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted() } })
  t.match((await service.turn(one, 'say hello')).text, /hello/)
})

t.test('an agent that comes up but opens no session, or does not come up, is left at once when told to, and given up after a while', async (t) => {
  for (const fault of ['unopened', 'silent']) {
    const folder = temporaryFolder(t, fault)
    const config = { env: { AGENT_FAULT: fault, WHERE: folder } }
    const patient = await startAgent(t, config)
    const streamId = await patient.send(await patient.newSession(), 'say hello')
    const reader = await patient.watch(streamId)
    await eventually('its start', () => agentsOf(folder).length === 1)
    await patient.post('/api/chat/cancel', { stream_id: streamId })
    await reader.ended
    t.equal(reader.frames.at(-1)!.event, 'cancel', fault)
    await patient.stop()

    const service = await startAgent(t, { ...config, start_timeout: 1 })
    const session = await service.newSession()
    t.match((await service.turn(session, 'say hello')).last.data, { type: 'no_response', message: /did not answer in time/ }, fault)
    await eventually('its end', () => agentsOf(folder).length === 0)
    writeConfig(service.folder, { agent: { type: 'acp', ...scripted() } })
    t.match((await service.turn(session, 'say again')).text, /again/)
    await service.stop()
  }
})

t.test('twenty conversations with one agent', async (t) => {
  const service = await startAgent(t)
  const turns = await Promise.all(Array.from({ length: 20 }, async (_, index) => await service.turn(await service.newSession(), `say this is number ${index}`)))
  t.same(turns.map(({ text }) => text), turns.map((_, index) => `this is number ${index}`))
})

t.test('a killed host leaves nothing of an agent that stands still in its sandbox', async (t) => {
  const folder = temporaryFolder(t, 'agents')
  writeConfig(folder, { agent: { type: 'acp', ...scripted({ WHERE: folder }) } })
  const service = await spawnServer(t, folder, { SVC_WEBUI_SANDBOX: '1' })
  const { session: { session_id: session } } = await service.json('/api/session/new', {})
  const turn = async (): Promise<void> => {
    const { stream_id: streamId } = await service.json('/api/chat/start', { session_id: session, message: 'say hello' })
    const reader = await service.events(`/api/chat/stream?stream_id=${streamId}`)
    await reader.ended
    t.match(reader.frames.at(-1), { event: 'stream_end' })
  }
  await turn()
  await eventually('its standstill', () => agentsOf(folder).every((pid) => readProcess(pid)?.isStopped !== false))
  const [agent = 0] = agentsOf(folder)
  let { parent: host } = readProcess(agent) ?? { parent: 0 }
  while (!readFileSync(`/proc/${host}/cmdline`, 'utf8').includes('host/main.js')) host = readProcess(host)?.parent ?? 0
  process.kill(host, 'SIGKILL')
  await eventually('the end of the agent', () => agentsOf(folder).length === 0)
  await turn()
})

t.test('a killed host or service leaves a turn that is told of, and no agent behind', async (t) => {
  const folder = temporaryFolder(t, 'agents')
  writeConfig(folder, { agent: { type: 'acp', ...scripted({ WHERE: folder }) } })
  const first = await spawnServer(t, folder)
  const { session: { session_id: session } } = await first.json('/api/session/new', {})
  const begin = async (server: typeof first): Promise<string> => {
    const { stream_id: streamId } = await server.json('/api/chat/start', { session_id: session, message: 'say so far\nrun touch it' })
    await server.pending(session)
    return streamId
  }
  const killed = await begin(first)
  const [agent] = agentsOf(folder)
  const host = readProcess(agent!)!.parent
  process.kill(host, 'SIGKILL')
  const reader = await first.events(`/api/chat/stream?stream_id=${killed}`)
  await reader.ended
  t.match(reader.frames.at(-1)!.data, { type: 'interrupted', terminal_state: 'interrupted-by-crash' })
  await eventually('the end of the agent', () => agentsOf(folder).length === 0)

  const cut = await begin(first)
  await first.crash()
  await eventually('the end of the agent', () => agentsOf(folder).length === 0)
  const second = await spawnServer(t, folder)
  const after = await second.events(`/api/chat/stream?stream_id=${cut}`)
  await after.ended
  t.match(after.frames.at(-1)!.data, { type: 'interrupted', terminal_state: 'interrupted-by-crash' }, 'it is not taken up: the agent that asked is gone')
  t.equal((await second.json(`/api/approval/pending?session_id=${session}`)).pending, null)
  const { session: { messages } } = await second.json(`/api/session?session_id=${session}`)
  t.match(messages.map((message: { role: string }) => message.role).slice(-4), ['user', 'assistant', 'tool', 'assistant'])
  const { stream_id: next } = await second.json('/api/chat/start', { session_id: session, message: 'say hello again' })
  const last = await second.events(`/api/chat/stream?stream_id=${next}`)
  await last.until('done')
  t.equal(execFileSync('ls', [join(folder, 'workspace')]).toString(), '', 'nothing was done unasked')
})
