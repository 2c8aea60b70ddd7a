import t from '../../test/support/harness.js'
import { Api } from '../src/core/service/api.js'
import { Conversation } from '../src/core/conversation/conversation.js'
import { KnownWorkspaces } from '../src/core/machines/known-workspaces.js'
import { folderName, locate, pathThere } from '../src/core/machines/location.js'
import { absenceOf, createMachines, folderAbove, foldersFrom, groupFolders, otherMachines, stepName, trimFolder, type Machine, type MachineList } from '../src/core/machines/machines.js'
import { resultFiles } from '../src/core/files/result-files.js'
import { start } from '../../test/support/app.js'
import { joinMachine } from '../../test/support/machine.js'
import { startNats } from '../../test/support/nats.js'
import { sayPresent } from '../../test/support/present-machine.js'
import { needs } from '../../test/support/programs.js'
import { browserApp, until } from './browser-app.js'

const machine = (name: string | null, more: Partial<Machine> = {}): Machine => ({
  name, state: 'ready', since: 1_000, note: null, version: '1.0.0', platform: 'linux x64', profiles: ['default'], models: [], sandbox: null, load: null, workspaces: [], ...more
})
const listOf = (...others: Machine[]): MachineList => ({ enabled: true, connected: true, error: null, hosts: [machine(null), ...others] })
const folder = (path: string) => ({ path, name: folderName(path) })

t.test('a folder of another machine is told by its name before the colon, and called as people call folders', async (t) => {
  t.same(locate('big:/data/x'), { machine: 'big', path: '/data/x' })
  for (const own of ['/data/big:/x', 'C:/data', 'Big:/x', 'big:x', '-big:/x', '~/x', '']) t.same(locate(own), { machine: null, path: own }, own)
  t.same(['big:/data/x', '/data/x/', 'big:/', '/', 'C:\\data\\x'].map(folderName), ['x', 'x', '/', '/', 'x'])
  t.same(['big:/data/x//', ' /data/ ', 'big:/', '/', '~/', ''].map(trimFolder), ['big:/data/x', '/data', 'big:/', '/', '~', ''])
})

t.test('files that an answer names by their paths on the other machine are those of its folder', async (t) => {
  const parts = [{ kind: 'text' as const, text: 'Look at `/data/x/out/plan.png` and `/data/y/other.png`.', id: 'a' }] as unknown as Parameters<typeof resultFiles>[0]
  t.same(resultFiles(parts, pathThere('big:/data/x')).map(({ path, isElsewhere }) => [path, isElsewhere]), [['out/plan.png', false], ['/data/y/other.png', true]])
})

t.test('known folders are grouped by machine, this one first and those that cannot be worked in last', async (t) => {
  const folders = ['attic:/old', '/home/me/a', 'zoo:/z', 'big:/data/x', '/home/me/b', 'gone:/y'].map(folder)
  const list = listOf(machine('attic', { state: 'away', since: 7 }), machine('big'), machine('zoo', { state: 'refused', note: 'Install the same version on both.' }))
  t.same(groupFolders(folders, list).map(({ name, folders, absence }) => [name, folders.map(({ name }) => name), absence?.kind ?? null]), [
    [null, ['a', 'b'], null], ['big', ['x'], null], ['attic', ['old'], 'away'], ['gone', ['y'], 'unknown'], ['zoo', ['z'], 'refused']
  ])
  t.same(groupFolders(folders, undefined).map(({ name, absence }) => [name, absence]), [[null, null], ['attic', null], ['big', null], ['gone', null], ['zoo', null]], 'what nobody knows yet is not taken for away')
})

t.test('why a machine cannot be worked on', async (t) => {
  const list = listOf(machine('big'), machine('attic', { state: 'away', since: 7 }), machine('zoo', { state: 'refused', note: 'Install the same version on both.' }))
  t.equal(absenceOf('big', list), null)
  t.same(absenceOf('attic', list), { kind: 'away', sinceS: 7 })
  t.same(absenceOf('zoo', list), { kind: 'refused', why: 'Install the same version on both.' })
  t.same(absenceOf('none', list), { kind: 'unknown' })
  t.same(absenceOf('big', { ...list, connected: false, error: 'No answer.' }), { kind: 'cut' })
  t.same(absenceOf('big', { ...list, enabled: false }), { kind: 'off' })
})

t.test('one walks through the folders of a machine from those that it has opened, and back up to them', async (t) => {
  const list = listOf(machine('big', { workspaces: ['/data', '/srv/work/'] }))
  t.same(foldersFrom('big:/', ['big:/data', 'big:/home/'], list), ['big:/data', 'big:/srv/work', 'big:/home/'], 'each is offered once')
  t.same(foldersFrom('big:/data/', ['big:/data/x'], list), ['big:/data/x'])
  t.same(foldersFrom('/', ['/etc'], list), ['/etc'])
  t.same(foldersFrom('other:/', [], list), [])
  t.same(foldersFrom('', ['/home/me', 'big:/data/x'], list), ['/home/me'], 'nothing typed means this machine')
  t.same(foldersFrom('bi', ['big:/'], list), ['big:/'])
  t.equal(folderAbove('big:/data/x/', list), 'big:/data/')
  t.equal(folderAbove('big:/srv/work/', list), 'big:/', 'not to what it has not opened')
  t.equal(folderAbove('big:/', list), null)
  t.equal(folderAbove('/data/x', list), '/data/')
  t.same(['big:/srv/work', 'big:/srv/work/deep/', '/data/x/'].map((one) => stepName(one, list)), ['/srv/work', 'deep', 'x'])
})

t.test('a service without other machines says so', async (t) => {
  const s = await start(t)
  const machines = createMachines({ api: new Api({ origin: s.url }), isSeen: () => true })
  t.teardown(machines.attend())
  const list = await until(() => machines.list.value.value)
  t.same(otherMachines(list), [])
  t.same(absenceOf('big', list), { kind: 'off' })
})

t.test('a machine that joins is seen and its folders are chosen, one that leaves is away with them, and is forgotten', needs('nats-server'), async (t) => {
  const nats = await startNats(t)
  const s = await start(t, { env: { SVC_NATS_URL: nats.url, SVC_NATS_RUNS_MB: '16' } })
  const api = new Api({ origin: s.url })
  const machines = createMachines({ api, isSeen: () => true, pauseMs: 5 })
  const [leave, leaveToo] = [machines.attend(), machines.attend()] as const
  await until(() => machines.list.value.value?.connected)
  leave()
  const big = await joinMachine(t, nats, s)
  const path = `big:${big.folder('project')}`
  const lease = await sayPresent(big.link, { workspaces: () => [big.opened] })
  const list = await until(() => otherMachines(machines.list.value.value).some(({ state }) => state === 'ready') && machines.list.value.value)
  t.equal(absenceOf('big', list), null)

  const known = new KnownWorkspaces(api)
  t.same(foldersFrom('big:/', await known.suggest('big:/'), list), [`big:${big.opened}`], 'told by the machine and suggested by it, offered once')
  t.same(await known.suggest(`big:${big.opened}/`), [path])
  t.match(await known.add(trimFolder(`${path}/`)), { path, name: 'project', host: 'big' })
  t.same(groupFolders(known.list.value.value!.workspaces, list).map(({ name, absence }) => [name, absence]), [[null, null], ['big', null]])

  big.leave()
  await lease.leave()
  const after = await until(() => absenceOf('big', machines.list.value.value) !== null && machines.list.value.value)
  t.match(groupFolders(known.list.value.value!.workspaces, after)[1], { name: 'big', absence: { kind: 'away', sinceS: Number }, folders: [{ path }] })
  const conversation = new Conversation({ api, link: browserApp(t, s.url).link, sessionId: null, newSession: () => ({ workspace: path }) })
  t.equal(await conversation.send({ text: 'hello' }), false)
  t.same(conversation.notice.value, { code: 'failed', message: 'The machine big is not reachable' }, 'in the words of the service')
  conversation.close()

  await machines.forget('big')
  t.same(absenceOf('big', machines.list.value.value), { kind: 'unknown' })
  t.match(await machines.forget('big').catch((error: unknown) => error), { status: 404 })
  leaveToo()
})
