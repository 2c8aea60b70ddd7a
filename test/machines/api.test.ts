import t from '#test'
import { setTimeout as delay } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { inWords } from '../../services/ground/nats/trouble.js'
import { describeMachine } from '../../services/areas/machines/index.js'
import { beHere } from '../../machine/presence.js'
import { start, type Answer, type TestService } from '../support/app.js'
import { listening } from '../support/listening.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

const describe = async () => await describeMachine({
  version: '1.2.3', profiles: () => ['default'], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 2, workspaces: () => ['/work'], startedAtS: 1_700_000_000
})

async function listed (service: TestService, condition: (answer: Answer) => unknown): Promise<Answer['body']> {
  for (;;) {
    const answer = await service.get('/api/hosts')
    if (answer.status !== 200 || condition(answer)) return answer.body
    await delay(20)
  }
}

void t.test('without NATS there is this machine alone', async (t) => {
  const service = await start(t)
  const { status, body } = await service.get('/api/hosts')
  t.equal(status, 200)
  t.match(body, {
    enabled: false,
    connected: false,
    error: null,
    hosts: [{ name: null, state: 'ready', profiles: ['default'], models: [{ profile: 'default', provider: 'offline-demo' }], sandbox: { available: false, reason: /switched off/ }, load: { cores: Number, runs: 0 }, workspaces: [service.workspace] }]
  })
  t.equal(body.hosts.length, 1)
  t.match(await service.post('/api/hosts/forget', { name: 'big' }), { status: 404 })
  t.match(await service.post('/api/hosts/forget', {}), { status: 400 })
})

void t.test('a machine joins, is listed, leaves, stays listed after a restart, and is forgotten', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const env = { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }
  const service = await start(t, { env, folder: t.testdir() })
  await listed(service, ({ body }) => body.connected)
  const feed = await service.events('/api/events')
  const lease = await beHere({ link: await server.link(), name: 'big', holder: 'h', instance: 'i', describe, lost () {}, log () {}, renewMs: 50 })
  const body = await listed(service, ({ body }) => body.hosts.length === 2)
  await feed.until(({ event, data }) => event === 'hosts' && data.hosts[0]?.state === 'ready')
  t.match(body.hosts[1], { name: 'big', state: 'ready', note: null, version: '1.2.3', profiles: ['default'], sandbox: { available: false, reason: 'none' }, load: { runs: 2 }, workspaces: ['/work'] })
  t.match(await service.post('/api/hosts/forget', { name: 'big' }), { status: 409, body: { code: 'host_present' } })
  await lease.leave()
  await listed(service, ({ body }) => body.hosts[1]?.state === 'away')
  await service.stop()

  const again = await start(t, { env, folder: service.folder })
  const after = await listed(again, ({ body }) => body.connected)
  t.match(after.hosts[1], { name: 'big', state: 'away', load: null, version: '1.2.3' })
  t.match(await again.post('/api/hosts/forget', { name: 'big' }), { status: 200, body: { ok: true } })
  t.equal((await again.get('/api/hosts')).body.hosts.length, 1)
})

void t.test('a server that is away keeps nobody from starting, and is found when it comes', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  await server.stop()
  const service = await start(t, { env: { SVC_NATS_URL: `nats://operator:secret-word@127.0.0.1:${server.port}` }, machines: { retryMs: 50 } })
  const { body, text } = await service.get('/api/hosts')
  t.match(body, { enabled: true, connected: false })
  const told = await listed(service, ({ body }) => /does not answer/.test(body.error))
  t.match(told.error, `nats://127.0.0.1:${server.port}`)
  t.notMatch(text, 'secret-word')
  await server.start()
  t.match(await listed(service, ({ body }) => body.connected), { error: null })
})

void t.test('a second service of one prefix is refused in words, and comes when the first one has gone', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const env = { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16' }
  const machines = { retryMs: 50, renewMs: 50, lookMs: 60 }
  const first = await start(t, { env, machines })
  await listed(first, ({ body }) => body.connected)
  const second = await start(t, { env, machines })
  const body = await listed(second, ({ body }) => /Another service/.test(body.error))
  t.match(body, { connected: false, error: /SVC_NATS_PREFIX/ })
  await first.stop()
  await listed(second, ({ body }) => body.connected)
})

void t.test('what is no NATS server is told in words', async (t) => {
  const server = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  const port = await listening(t, server)
  const service = await start(t, { env: { SVC_NATS_URL: `nats://127.0.0.1:${port}` }, machines: { retryMs: 50 } })
  const body = await listed(service, ({ body }) => body.error !== 'It is being connected.')
  t.match(body, { connected: false, error: /^The NATS server .+\.?$/ })
})

void t.test('what is wrong with a certificate is told apart', async (t) => {
  const told = (code: string) => inWords(Object.assign(new Error('Hostname/IP does not match certificate'), { code }), 'tls://hub:4222')
  t.match(told('ERR_TLS_CERT_ALTNAME_INVALID'), /is for another name than that in tls:\/\/hub:4222/)
  t.match(told('CERT_HAS_EXPIRED'), /has expired/)
  t.match(told('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /--ca, SVC_NATS_CA/)
})

// The kernel mounts no new /proc for a process for which parts of the old one are covered, and bubblewrap needs one for each command.
void t.test('the systemd unit takes nothing from a machine that its sandbox is made of', async (t) => {
  const unit = readFileSync('packaging/agent-host.service', 'utf8')
  const settings = unit.split('\n').filter((line) => /^[A-Z]\w+=/.test(line)).map((line) => line.split('=')[0])
  t.ok(settings.includes('NoNewPrivileges'))
  for (const name of ['ProtectKernelLogs', 'ProtectKernelTunables', 'ProtectHostname', 'ProtectControlGroups', 'ProtectProc', 'ProcSubset', 'RestrictNamespaces', 'SystemCallFilter']) t.notOk(settings.includes(name), name)
})
