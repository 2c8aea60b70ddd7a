import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { machinesOf } from '../../plugins/areas/agent.js'
import { dispatching } from '../../services/agent/index.js'
import { asset } from '../../services/ground/assets.js'
import { scripted, startAgent, writeConfig, type AgentService } from '../support/acp/agents.js'
import { type TestLike } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { tokenText } from '../support/events.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

t.test('an agent of another maker works on a machine, with what is set up there', needs('nats-server'), async (t) => {
  const nats = await startNats(t)
  const folder = t.testdir({ work: { 'there.txt': 'of the machine' }, service: {} })
  const work = join(folder, 'work')
  mkdirSync(join(folder, 'home'))
  writeConfig(folder, { agent: { type: 'acp', ...scripted({ WHERE: 'on the machine', AGENT_STATE: join(folder, 'kept') }) } })
  const begin = async (): Promise<AgentService> => await startAgent(t, { env: { WHERE: 'at the service' } }, {
    folder: join(folder, 'service'), env: { SVC_NATS_URL: nats.url, SVC_NATS_RUNS_MB: '16' }, machines: { retryMs: 50 }, transport: (local, app) => dispatching(local, machinesOf(app))
  })
  const service = await begin()
  const machine = async (on = service) => (await on.get('/api/hosts')).body.hosts[1]
  const killed = await comeUp(t, { folder, url: nats.url, work })
  await eventually('the machine', async () => (await machine())?.state === 'ready')
  t.match((await machine()).models, [{ profile: 'default', provider: 'agent', label: 'Scripted' }])

  const session = await service.newSession({ workspace: `big:${work}` })
  const first = service.turn(session, `think about it\nenv WHERE\nread ${work}/there.txt\nread /etc/hostname\nwrite ${work}/new.txt := written`)
  t.match(await service.approve(session, 'once'), { pattern_key: 'write:workspace', max_scope: 'session', file: 'new.txt', content: 'written' }, 'nothing is granted for good on the word of another machine')
  const { text, frames } = await first
  t.match(text, /It has on the machine there\. Read: of the machineRefused: .* is outside the workspace.*Written\./)
  t.ok(frames.some(({ event, data }) => event === 'reasoning' && data.text === 'about it'))
  t.equal(readFileSync(join(work, 'new.txt'), 'utf8'), 'written')

  const second = service.turn(session, 'run touch x\nterminal echo $PWD')
  t.match(await service.approve(session, 'deny'), { command: 'touch x', folder: work })
  await service.approve(session, 'once')
  t.equal((await second).text, `Run: no.Exit 0: ${work}`)

  const waiting = await service.send(session, 'wait')
  const reader = await service.watch(waiting)
  await reader.until('token')
  t.match((await service.post('/api/chat/cancel', { stream_id: waiting })).body, { cancelled: true })
  await reader.ended
  t.equal(reader.frames.at(-1)?.event, 'cancel')

  const died = await service.turn(session, 'say before\ndie')
  t.match([died.text, died.frames.find(({ event }) => event === 'apperror')?.data.message], ['before', 'Scripted has ended: exit code 3; it said last: out of luck.'])
  t.match((await service.turn(session, 'recall')).text, /I remember: think about it/, 'its session is loaded again')
  await killed()
  const left = await comeUp(t, { folder, url: nats.url, work })
  await eventually('the machine', async () => (await machine())?.state === 'ready')
  t.match((await service.turn(session, 'recall')).text, /I remember: think about it/, 'and after a restart of the machine')

  const streamId = await service.send(session, 'say first\nrun touch y\nsay last')
  const early = await service.watch(streamId)
  await early.until('tool')
  await service.pending(session)
  const { stream_id: beside } = (await service.post('/api/background', { session_id: session, prompt: 'drip 100' })).body
  await (await service.watch(beside)).until('token')
  await service.stop()
  const after = await begin()
  const late = await after.watch(streamId, '&replay=1')
  await eventually('the machine', async () => (await machine(after))?.state === 'ready')
  await after.approve(session, 'once')
  await late.ended
  t.equal(tokenText(late.frames).trim(), 'first Run: yes.last', 'the service was away in the middle')
  const result = await eventually('the task beside it', async () => (await after.get(`/api/background/status?session_id=${session}`)).body.results[0])
  t.equal(result.answer.trim().split(' ').length, 100, 'what ran beside it has gone on as well')
  await left()
})

/** Starts the program of a machine called `big`; resolves, when it has joined, to a function that kills it. */
async function comeUp (t: TestLike, { folder, url, work }: { folder: string, url: string, work: string }): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [asset('dist/machine/main.js'), '--nats', url, '--name', 'big', '--workspaces', work], {
    cwd: folder, env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PROBE_LOCAL: '0', SVC_WEBUI_SANDBOX: '0' }, stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(child, 'close')
  const end = async (): Promise<void> => {
    child.kill('SIGKILL')
    await ended
  }
  t.teardown(end)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => { output += text })
  await eventually('it to join', () => output.includes('has joined'))
  return end
}
