import t from '#test'
import { setTimeout as delay } from 'node:timers/promises'
import { beHere, CannotJoin, type BeHereOptions } from '../../machine/presence.js'
import { describeMachine, holdKey, Presence, type Machine } from '../../services/areas/machines/index.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { setUp } from '../../services/ground/nats/setup.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { type TestLike } from '../support/app.js'
import { until } from '../support/chat.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

const limits = { runsMb: 16, objectsMb: 16 }
const describe = async () => await describeMachine({
  version: '1.2.3', profiles: () => ['default'], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 0, workspaces: () => ['/work'], startedAtS: 1_700_000_000
})

function machine (link: NatsLink, options: Partial<BeHereOptions> = {}): BeHereOptions {
  return { link, name: 'big', holder: 'folder-1', instance: crypto.randomUUID(), describe, lost () {}, log () {}, renewMs: 20, lookMs: 50, ...options }
}

async function service (link: NatsLink, t: TestLike, more: { presenceMs?: number, known?: Machine[] } = {}) {
  const kept: Machine[][] = []
  const presence = new Presence({ clock: systemClock, version: '1.2.3', known: [], presenceMs: 15_000, keep: (machines) => kept.push(machines), log () {}, ...more })
  t.teardown(() => presence.close())
  const stop = await presence.watch(link)
  t.teardown(stop)
  return { presence, kept }
}

void t.test('a machine is seen, renews itself, leaves, and is remembered', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const { presence, kept } = await service(link, t)
  const lease = await beHere(machine(await server.link(), { instance: 'one' }))
  await until(() => presence.find('big')?.state === 'ready')
  t.equal(presence.instanceOf('big'), 'one')
  t.equal(presence.find('big')?.generation, lease.generation)
  t.match(presence.find('big')?.told, { version: '1.2.3', workspaces: ['/work'], profiles: ['default'] })
  const changes = kept.length
  await lease.renew()
  await lease.renew()
  t.equal(kept.length, changes, 'a sign of life is nothing to be kept')
  t.notOk(presence.forget('big'), 'who is there is not forgotten')
  await lease.leave()
  await until(() => presence.find('big')?.state === 'away')
  t.match(presence.find('big'), { hasLeft: true, note: 'It has left.' })
  t.equal(presence.instanceOf('big'), null)

  const later = await beHere(machine(await server.link(), { instance: 'two', holder: 'folder-2' }))
  await until(() => presence.instanceOf('big') === 'two')
  t.ok(later.generation > lease.generation, 'who comes later has the higher generation')
  await later.leave()
  await until(() => presence.find('big')?.state === 'away')

  const restarted = new Presence({ clock: systemClock, version: '1', known: kept.at(-1)!, presenceMs: 1, keep () {}, log () {} })
  t.match(restarted.list(), [{ name: 'big', state: 'away' }], 'known after a restart of the service')
  t.ok(restarted.forget('big'))
  t.same(restarted.list(), [])
})

void t.test('of two machines with one name one is refused in words; the same one takes over at once', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const { presence } = await service(link, t)
  const lost: string[] = []
  const first = await beHere(machine(link, { instance: 'first', lost: (reason) => lost.push(reason) }))
  const refusal = await beHere(machine(link, { holder: 'other' })).catch((error: unknown) => error as Error)
  t.ok(refusal instanceof CannotJoin)
  t.match(refusal, { message: /^A machine named big has already joined \(.+, up since 2023-11-14 22:13 UTC\)\. Stop it, or give this one another --name\.$/ })
  t.same(lost, [])
  // The same folder: the previous process was killed.
  const second = await beHere(machine(link, { instance: 'second' }))
  t.ok(second.generation > first.generation)
  await until(() => lost.length > 0)
  t.match(lost, [/^Another machine has taken the name big/])
  await until(() => presence.instanceOf('big') === 'second')
  await first.leave()
  t.equal(presence.instanceOf('big'), 'second', 'who has lost the name does not give it up for the other')
  await t.rejects(beHere(machine(link, { name: 'Big One' })), /is not a valid machine name/)
  await second.leave()
})

void t.test('the server goes and comes again: the machine is the same one, and who is silent is away', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const { presence } = await service(link, t, { presenceMs: 300 })
  const lease = await beHere(machine(await server.link(), { instance: 'one' }))
  await until(() => presence.instanceOf('big') === 'one')
  await server.stop()
  await until(() => presence.find('big')?.state === 'away')
  t.match(presence.find('big'), { hasLeft: false, told: { instance: 'one' } })
  await server.start()
  await until(() => presence.instanceOf('big') === 'one')
  t.equal(presence.find('big')?.generation, lease.generation)
  // The key has disappeared, as after a long interruption: the same process creates it again.
  const bucket = await link.kvm.open(link.subjects.presence)
  await bucket.purge('big')
  while ((await bucket.get('big'))?.operation !== 'PUT') await delay(10)
  await until(() => presence.instanceOf('big') === 'one')
  t.equal(presence.find('big')?.generation, lease.generation, 'the same generation, whatever the revision')
  await lease.leave()
})

void t.test('what does not fit is refused in words, and garbage harms nobody', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const { presence } = await service(link, t)
  const bucket = await link.kvm.open(link.subjects.presence)
  await bucket.put('odd', 'no JSON')
  await bucket.put('_service', '{}')
  await bucket.put('old', JSON.stringify({ ...await describe(), instance: 'i', protocol: { joining: 999, agent: 1 } }))
  const lease = await holdKey({ link, key: 'big', holder: 'a', instance: 'b', describe, lost () {}, log () {} })
  await until(() => presence.list().length === 3)
  t.match(presence.list(), [
    { name: 'big', state: 'ready' },
    { name: 'odd', state: 'refused', note: /does not understand/, told: null },
    { name: 'old', state: 'refused', note: /install the same one on both/ }
  ])
  t.equal(presence.instanceOf('old'), null)
  await lease.leave()
})

void t.test('a machine is counted on when it can do its work, not before', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const link = await server.link()
  await setUp(link, limits)
  const { presence } = await service(link, t)
  let isUp = false
  const lease = await beHere(machine(await server.link(), { instance: 'one', describe: async () => ({ ...await describe(), ...(!isUp && { comingUp: true as const }) }) }))
  await until(() => presence.find('big')?.told !== undefined)
  t.match(presence.find('big'), { state: 'away', hasLeft: false, note: 'It is coming up.' })
  t.equal(presence.instanceOf('big'), null)
  isUp = true
  await lease.renew()
  await until(() => presence.find('big')?.state === 'ready')
  t.match(presence.find('big'), { note: null })
  t.equal(presence.instanceOf('big'), 'one')
  await lease.leave()
})
