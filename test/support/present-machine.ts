import { serveQuestions, type Answers } from '../../machine/questions.js'
import { beHere } from '../../machine/presence.js'
import { describeMachine, type DescribedMachine } from '../../services/areas/machines/index.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { start, type StartOptions, type TestLike, type TestService } from './app.js'
import { eventually } from './chat.js'
import { startNats, type NatsServer } from './nats.js'

const log = () => {}

/** Starts a service that machines can join. */
export async function startJoinable (t: TestLike, options: StartOptions = {}): Promise<{ server: NatsServer, service: TestService }> {
  const server = await startNats(t)
  const service = await start(t, { ...options, env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }, machines: { retryMs: 50, renewMs: 200, lookMs: 250 } })
  await eventually('NATS', async () => (await service.get('/api/hosts')).body.connected)
  return { server, service }
}

/** Announces a machine called `big`, until it leaves. */
export async function sayPresent (link: NatsLink, described: Partial<DescribedMachine> = {}): Promise<{ leave: () => Promise<void> }> {
  const describe = async () => await describeMachine({
    version: '1', profiles: () => ['default'], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 0, workspaces: () => [], startedAtS: 1, ...described
  })
  return await beHere({ link, name: 'big', holder: 'h', instance: crypto.randomUUID(), describe, lost: log, log, renewMs: 200 })
}

/** Starts a machine called `big` that announces itself, and answers questions, until it leaves. Resolves when the service has seen it. */
export async function joinPresent (t: TestLike, service: TestService, link: NatsLink, answers: Partial<Answers>, described: Partial<DescribedMachine> = {}): Promise<{ leave: () => Promise<void> }> {
  const asks = serveQuestions({ link, machine: 'big', answers, log })
  await link.nc.flush()
  const lease = await sayPresent(link, described)
  let isOver = false
  const leave = async (): Promise<void> => {
    if (isOver) return
    isOver = true
    asks.stop()
    await lease.leave()
  }
  t.teardown(leave)
  await eventually('the machine', async () => (await service.get('/api/hosts')).body.hosts[1]?.state === 'ready')
  return { leave }
}

/** Waits until the service has noticed that it has left. */
export const isAway = async (service: TestService) => await eventually('the machine is away', async () => (await service.get('/api/hosts')).body.hosts[1]?.state === 'away')
