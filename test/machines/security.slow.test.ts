import t from '#test'
import { type NatsConnection } from '@nats-io/nats-core'
import { readFileSync, readdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { inboxOf } from '../../machine/machine.js'
import { beHere } from '../../machine/presence.js'
import { startingLines, writeSetup } from '../../machine/setup.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { pack, unpack } from '../../services/ground/nats/packets.js'
import { setUp, setUpObjects } from '../../services/ground/nats/setup.js'
import { inWords, keepsStreams } from '../../services/ground/nats/trouble.js'
import { describeMachine, holdKey, serviceKey } from '../../services/areas/machines/index.js'
import { start, type TestLike } from '../support/app.js'
import { until } from '../support/chat.js'
import { startNats, type NatsServer } from '../support/nats.js'
import { needs } from '../support/programs.js'

const limits = { runsMb: 16, objectsMb: 16 }
const describe = async () => await describeMachine({
  version: '1', profiles: () => [], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 0, workspaces: () => [], startedAtS: 1_700_000_000
})

interface Restricted { server: NatsServer, folder: string, service: NatsLink, join (name: string): Promise<NatsLink> }

/** Starts a server with the configuration that `setup` has written for two machines, set up by the service. */
async function restricted (t: TestLike & { testdir (): string }): Promise<Restricted> {
  const folder = join(t.testdir(), 'nats')
  await writeSetup({ names: ['big', 'gpu'], output: folder, tls: false, prefix: 'agents' })
  const server = await startNats(t, { configuration: accountsOf(folder) })
  const service = await server.link({ credentials: join(folder, 'service.nk'), inbox: inboxOf('agents', 'service_') })
  await setUp(service, limits)
  for (const name of ['big', 'gpu']) await setUpObjects(service, name, limits)
  const joined = async (name: string): Promise<NatsLink> => await server.link({ credentials: join(folder, `host-${name}.nk`), inbox: inboxOf('agents', name) })
  return { server, folder, service, join: joined }
}

function accountsOf (folder: string): string {
  const written = readFileSync(join(folder, 'nats-server.conf'), 'utf8')
  return written.slice(written.indexOf('accounts {'))
}

/** Collects what the server refuses to a connection. */
function refusals (nc: NatsConnection): string[] {
  const refused: string[] = []
  void (async () => {
    for await (const status of nc.status()) if (status.type === 'error') refused.push(String((status.error as { subject?: string }).subject ?? status.error.message))
  })()
  return refused
}

void t.test('keys are for their owners alone, stand in no configuration, and are never replaced', async (t) => {
  const output = join(t.testdir(), 'nats')
  const settings = { names: ['big', 'gpu'], output, tls: false, prefix: 'agents' }
  await writeSetup(settings)
  t.same(readdirSync(output).toSorted(), ['host-big.nk', 'host-gpu.nk', 'nats-server.conf', 'service.nk'])
  const written = readFileSync(join(output, 'nats-server.conf'), 'utf8')
  for (const file of ['host-big.nk', 'host-gpu.nk', 'service.nk']) {
    t.equal(statSync(join(output, file)).mode & 0o777, 0o600)
    const seed = readFileSync(join(output, file), 'utf8').trim()
    t.match(seed, /^SU[A-Z2-7]{56}$/)
    t.notOk(written.includes(seed))
    t.notOk(startingLines(settings).includes(seed))
  }
  await t.rejects(writeSetup(settings), / already exists; nothing was written/)
  await t.rejects(writeSetup({ ...settings, names: ['gpu'], add: true }), / already exists; nothing was changed/)
  t.equal(readFileSync(join(output, 'nats-server.conf'), 'utf8'), written)
})

void t.test('a machine can do what it must with its own key', needs('nats-server'), async (t) => {
  const { service, join } = await restricted(t)
  const big = await join('big')
  const refused = refusals(big.nc)
  const lease = await beHere({ link: big, name: 'big', holder: 'h', instance: 'i', describe, lost () {}, log: (line) => t.fail(line), renewMs: 20, lookMs: 20 })
  await lease.renew()
  const { seq } = await big.js.publish(big.subjects.from('big', 'default', 'r1'), 'said')
  t.equal(seq, 1)

  big.nc.subscribe(big.subjects.ask('big', 'folder'), { callback: (_error, message) => { message.respond(message.data) } })
  big.nc.subscribe(big.subjects.allTo('big'), { callback: (_error, message) => { message.respond('taken') } })
  await big.nc.flush()
  t.equal((await service.nc.request(service.subjects.ask('big', 'folder'), 'where')).string(), 'where')
  t.equal((await service.nc.request(service.subjects.to('big', 'default', 'start'), '{}')).string(), 'taken')

  // Large messages go both ways through its bucket.
  const large = { text: 'large'.repeat(400_000) }
  const there = await pack(service, 'big', large)
  t.same(await unpack(big, 'big', { data: there.payload, headers: there.headers }), large)
  const back = await pack(big, 'big', large)
  t.same(await unpack(service, 'big', { data: back.payload, headers: back.headers }), large)
  await lease.leave()
  t.same(refused, [])
})

void t.test('a stolen key of one machine reads, takes and breaks nothing of the others', needs('nats-server'), async (t) => {
  const { service, join } = await restricted(t)
  const held = await holdKey({ link: service, key: serviceKey, holder: 's', instance: 'i', describe: async () => ({}), lost: () => t.fail('lost'), log () {} })
  const big = await join('big')
  const lease = await beHere({ link: big, name: 'big', holder: 'h', instance: 'i', describe, lost: () => t.fail('lost'), log () {} })
  await big.js.publish(big.subjects.from('big', 'default', 'r1'), 'secret work')
  await pack(service, 'big', { text: 'large'.repeat(400_000) })
  const before = await sizes(service)

  const thief = await join('gpu')
  const refused = refusals(thief.nc)
  const heard: string[] = []
  const subjects = ['agents.to.big.>', 'agents.ask.big.>', 'agents.notice.big.>', 'agents.from.>', 'agents.>', '$KV.agents-hosts.>', '$O.>', '$JS.>', `${inboxOf('agents', 'big')}.>`, `${inboxOf('agents', 'service_')}.>`, '_INBOX.>', '*.*.big.>', '>']
  for (const subject of subjects) thief.nc.subscribe(subject, { callback: (error, message) => { if (error === null) heard.push(message.subject) } })
  await until(() => subjects.every((subject) => refused.includes(subject)))
  await service.nc.request(service.subjects.to('big', 'default', 'start'), '{}', { timeout: 500 }).catch(() => {})
  t.same(heard, [], 'nothing is heard')

  const told = [
    'agents.from.big.default.r1', 'agents.from.big.default.host', 'agents.to.big.default.say', 'agents.ask.big.folder', 'agents.notice.big.x',
    '$KV.agents-hosts.big', `$KV.agents-hosts.${serviceKey}`, '$O.agents-objects-big.C.x', '$O.agents-objects-big.M.x', `${inboxOf('agents', 'service_')}.x`
  ]
  for (const subject of told) thief.nc.publish(subject, '{}')
  await until(() => told.every((subject) => refused.includes(subject)))

  for (const stream of ['agents-runs', 'KV_agents-hosts', 'OBJ_agents-objects-big']) {
    for (const call of [
      'STREAM.INFO.*', 'STREAM.PURGE.*', 'STREAM.DELETE.*', 'STREAM.UPDATE.*', 'STREAM.CREATE.*', 'STREAM.MSG.GET.*', 'STREAM.MSG.DELETE.*', 'STREAM.SNAPSHOT.*', 'STREAM.RESTORE.*', 'DIRECT.GET.*',
      'CONSUMER.CREATE.*', 'CONSUMER.CREATE.*.x', 'CONSUMER.CREATE.*.x.agents.from.big.default.r1', 'CONSUMER.DURABLE.CREATE.*.x', 'CONSUMER.NAMES.*', 'CONSUMER.LIST.*', 'CONSUMER.MSG.NEXT.*.x', 'CONSUMER.DELETE.*.x'
    ]) {
      const subject = `$JS.API.${call.replace('*', stream)}`
      await t.rejects(thief.nc.request(subject, '{"seq":1}'), { message: /^Permissions Violation for Publish/ }, subject)
    }
  }
  for (const subject of ['$JS.API.STREAM.NAMES', '$JS.API.STREAM.LIST', '$JS.API.STREAM.CREATE.other', '$JS.API.DIRECT.GET.KV_agents-hosts.$KV.agents-hosts.big', `$JS.API.DIRECT.GET.KV_agents-hosts.$KV.agents-hosts.${serviceKey}`, '$JS.API.DIRECT.GET.agents-runs.agents.from.big.default.r1', '$SYS.REQ.SERVER.PING']) {
    await t.rejects(thief.nc.request(subject, ''), { message: /^Permissions Violation for Publish/ }, subject)
  }
  // A consumer that delivers what it reads to others.
  for (const call of ['CONSUMER.CREATE.OBJ_agents-objects-gpu', 'CONSUMER.CREATE.OBJ_agents-objects-gpu.x', 'CONSUMER.DURABLE.CREATE.OBJ_agents-objects-gpu.x']) {
    await t.rejects(thief.nc.request(`$JS.API.${call}`, ''), { message: /^Permissions Violation for Publish/ }, call)
  }
  t.same(await sizes(service), before, 'everything is as it was')
  await held.leave()
  await lease.leave()
})

void t.test('what a thief has the server say to others in its place comes back to the thief alone', needs('nats-server'), async (t) => {
  const { service, join } = await restricted(t)
  const held = await holdKey({ link: service, key: serviceKey, holder: 's', instance: 'i', describe: async () => ({}), lost: () => t.fail('the service has lost its key'), log: (line) => t.fail(line), renewMs: 20 })
  const big = await join('big')
  const lease = await beHere({ link: big, name: 'big', holder: 'h', instance: 'i', describe, lost: () => t.fail('a machine has lost its name'), log: (line) => t.fail(line), renewMs: 20, lookMs: 20 })
  const heard: string[] = []
  for (const subject of [big.subjects.allTo('big'), big.subjects.allAsked('big')]) big.nc.subscribe(subject, { callback: (_error, message) => { heard.push(message.string()) } })
  await big.js.publish(big.subjects.from('big', 'default', 'r1'), 'said')
  await pack(service, 'big', { text: 'large'.repeat(400_000) })
  await big.nc.flush()

  const thief = await join('gpu')
  const wanted = [
    ['agents.to.big.default.start', '{"type":"start"}'], ['agents.ask.big.folder', '{}'], ['agents.from.big.default.r1', 'forged'], ['$KV.agents-hosts.big', '{"instance":"thief"}'], [`$KV.agents-hosts.${serviceKey}`, '{"instance":"thief"}'],
    ['$JS.API.STREAM.PURGE.agents-runs', '{}'], ['$JS.API.STREAM.DELETE.agents-runs', ''], ['$JS.API.STREAM.DELETE.OBJ_agents-objects-big', ''], ['$JS.API.STREAM.CREATE.other', '{"name":"other","subjects":["other"]}'],
    ['$JS.API.CONSUMER.CREATE.agents-runs', JSON.stringify({ stream_name: 'agents-runs', config: { deliver_subject: `${inboxOf('agents', 'gpu')}.x`, ack_policy: 'none', deliver_policy: 'all' } })]
  ] as const
  const back: string[] = []
  for (const subject of [...wanted.map(([subject]) => subject), 'agents.to.gpu.x']) thief.nc.subscribe(subject, { callback: (error, message) => { if (error === null) back.push(message.subject) } })
  const before = await sizes(service)
  let last = 0
  for (const [reply, text] of wanted) {
    last = (await thief.js.publish('$O.agents-objects-gpu.C.x', text)).seq
    thief.nc.publish('$JS.API.DIRECT.GET.OBJ_agents-objects-gpu', JSON.stringify({ seq: last }), { reply })
    // The acknowledgement is a message too, and one that purges.
    thief.nc.publish('$O.agents-objects-gpu.C.y', text, { reply })
  }
  thief.nc.publish('$JS.API.DIRECT.GET.OBJ_agents-objects-gpu', JSON.stringify({ seq: last }), { reply: 'agents.to.gpu.x' })
  await until(() => back.includes('agents.to.gpu.x'))
  service.nc.publish(service.subjects.to('big', 'default', 'say'), 'from the service')
  await until(() => heard.length > 0)
  await Promise.all([held.renew(), lease.renew()])
  t.same(heard, ['from the service'])
  const others = async (): Promise<unknown> => (await sizes(service)).filter(([name]) => name !== 'OBJ_agents-objects-gpu')
  t.same(await others(), before.filter(([name]) => name !== 'OBJ_agents-objects-gpu'), 'everything is as it was')
  await held.leave()
  await lease.leave()
})

void t.test('a machine that is added works, and with a new key the one before lets nobody in', needs('nats-server'), async (t) => {
  const { server, folder, service } = await restricted(t)
  const settings = { output: folder, tls: false, prefix: 'agents', add: true }
  renameSync(join(folder, 'host-gpu.nk'), join(folder, 'stolen.nk'))
  await writeSetup({ ...settings, names: ['third', 'gpu'] })
  server.configure(accountsOf(folder))
  await server.stop()
  await until(() => !service.isConnected())
  await server.start()
  await until(() => service.isConnected())
  await setUpObjects(service, 'third', limits)
  for (const name of ['big', 'gpu', 'third']) {
    const link = await server.link({ credentials: join(folder, `host-${name}.nk`), inbox: inboxOf('agents', name) })
    link.nc.subscribe(link.subjects.ask(name, 'folder'), { callback: (_error, message) => { message.respond(name) } })
    await link.nc.flush()
    t.equal((await service.nc.request(service.subjects.ask(name, 'folder'))).string(), name)
    t.equal(await keepsStreams(link), true)
  }
  await t.rejects(server.link({ credentials: join(folder, 'stolen.nk'), inbox: inboxOf('agents', 'gpu') }), { name: 'AuthorizationError' })
})

void t.test('wrong keys, a missing file and a full server are told where a person looks', needs('nats-server'), async (t) => {
  const { server, folder } = await restricted(t)
  const other = join(folder, 'other')
  await writeSetup({ names: ['big'], output: other, tls: false, prefix: 'agents' })
  const app = async (credentials: string | null): Promise<string> => {
    const service = await start(t, { env: { SVC_NATS_URL: server.url, SVC_NATS_RUNS_MB: '16', ...(credentials !== null && { SVC_NATS_CREDENTIALS: credentials }) }, machines: { retryMs: 10_000 } })
    for (;;) {
      const { connected, error } = (await service.get('/api/hosts')).body as { connected: boolean, error: string | null }
      if (connected || error !== 'It is being connected.') return error ?? 'connected'
      await delay(10)
    }
  }
  t.equal(await app(join(other, 'service.nk')), 'The NATS server refuses these credentials.')
  t.equal(await app(null), 'The NATS server refuses these credentials.')
  t.equal(await app(join(folder, 'missing.nk')), 'The file of credentials or certificates cannot be read.')
  t.equal(await app(join(folder, 'nats-server.conf')), 'The file of credentials holds neither the seed of a key pair nor credentials.')
  t.match(await app(join(folder, 'host-big.nk')), /^The NATS server does not allow this with these credentials/)
  t.equal(await app(join(folder, 'service.nk')), 'connected')
})

void t.test('a server without room, and one without streams', needs('nats-server'), async (t) => {
  const full = await startNats(t, { configuration: 'authorization { users: [ { user: a, password: b } ] }' })
  const link = await full.link({ urls: [full.url.replace('//', '//a:b@')] })
  await setUp(link, { runsMb: 1, objectsMb: 1 })
  let reason: unknown
  for (let sent = 0; sent < 40 && reason === undefined; sent++) await link.js.publish('agents.from.big.default.r1', Buffer.alloc(100_000)).catch((error: unknown) => { reason = error })
  t.match(inWords(reason), /has no room/)
  t.same((await link.jsm.streams.info('agents-runs')).state.first_seq, 1, 'what was there is there')
})

async function sizes ({ jsm }: NatsLink): Promise<Array<[string, number, number]>> {
  const all: Array<[string, number, number]> = []
  for await (const { config, state } of jsm.streams.list()) all.push([config.name, state.messages, state.consumer_count])
  return all.toSorted(([a], [b]) => a < b ? -1 : 1)
}
