import t from '#test'
import { nkeys } from '@nats-io/nats-core'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beHere } from '../../machine/presence.js'
import { describeMachine, Presence, ServiceLink } from '../../services/areas/machines/index.js'
import { systemClock } from '../../services/ground/time/clock.js'
import { until } from '../support/chat.js'
import { startNats } from '../support/nats.js'
import { needs } from '../support/programs.js'

const describe = async () => await describeMachine({
  version: '1.2.3', profiles: () => ['default'], providers: async () => [], sandbox: async () => ({ available: false, reason: 'none' }), runs: () => 0, workspaces: () => ['/work'], startedAtS: 1_700_000_000
})

void t.test('a server that comes back with nothing gets all that machines need once more', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const presence = new Presence({ clock: systemClock, version: '1.2.3', known: [], presenceMs: 15_000, keep () {}, log () {} })
  const connection = new ServiceLink({ nats: { urls: [server.url], prefix: 'agents' }, runsMb: 16, objectsMb: 16, holder: 'service', version: '1.2.3', presence, log () {}, timing: { retryMs: 50, renewMs: 50 } })
  t.teardown(async () => {
    await connection.close()
    presence.close()
  })
  await connection.open()
  const link = await server.link()
  const lease = await beHere({ link, name: 'big', holder: 'folder', instance: 'one', describe, lost () {}, log () {}, renewMs: 20, lookMs: 50 })
  t.teardown(async () => await lease.leave())
  const hasBucket = async (): Promise<boolean> => await link.jsm.streams.info(`OBJ_${link.subjects.objects('big')}`).then(() => true, () => false)
  await until(hasBucket)

  await server.stop()
  await server.start({ isEmpty: true })
  await until(hasBucket)
  await link.js.publish(link.subjects.from('big', 'default', 'r1'), 'said')
  t.equal(presence.instanceOf('big'), 'one', 'it was not taken for another')
  t.equal(connection.problem, null)
  // Its next sign of life has a smaller number than the previous ones, but still counts.
  await lease.leave()
  await until(() => presence.find('big')?.hasLeft)
})

void t.test('a machine that leaves before it was heard by a server that came back with nothing has left all the same', needs('nats-server'), async (t) => {
  const server = await startNats(t)
  const presence = new Presence({ clock: systemClock, version: '1.2.3', known: [], presenceMs: 15_000, keep () {}, log () {} })
  const connection = new ServiceLink({ nats: { urls: [server.url], prefix: 'agents' }, runsMb: 16, objectsMb: 16, holder: 'service', version: '1.2.3', presence, log () {} })
  t.teardown(async () => {
    await connection.close()
    presence.close()
  })
  await connection.open()
  const link = await server.link()
  const lease = await beHere({ link, name: 'big', holder: 'folder', instance: 'one', describe, lost () {}, log () {}, renewMs: 60_000 })
  await until(() => presence.instanceOf('big') === 'one')
  await link.jsm.streams.purge(`KV_${link.subjects.presence}`)
  await lease.leave()
  await until(() => presence.find('big')?.hasLeft)
})

void t.test('who is locked out while connected is told so, and comes back with the next key in the same file', needs('nats-server'), async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const [first, second] = [nkeys.createUser(), nkeys.createUser()]
  const credentials = join(folder, 'key')
  writeFileSync(credentials, first.getSeed())
  const allowed = (key: typeof first): string => `authorization { users [ { nkey: ${key.getPublicKey()} } ] }`
  const server = await startNats(t, { configuration: allowed(first) })
  const link = await server.link({ credentials })
  server.reload(allowed(second))
  await until(() => link.trouble())
  t.equal(link.trouble(), 'The NATS server refuses these credentials.')
  t.equal(link.isConnected(), false)
  writeFileSync(credentials, 'no key at all, for a moment')
  writeFileSync(credentials, second.getSeed())
  await until(() => link.isConnected())
  t.equal(link.trouble(), null)
})
