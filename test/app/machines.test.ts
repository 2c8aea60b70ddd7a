import { createServer } from 'node:http'
import { once } from 'node:events'
import { type AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import { Api } from '../../web/src/core/api.js'
import { folderName, locate, pathThere } from '../../web/src/core/location.js'
import { absenceOf, createMachines, folderAbove, foldersFrom, groupFolders, stepName, trimFolder, type Machine, type MachineList } from '../../web/src/core/machines.js'
import { resultFiles } from '../../web/src/core/result-files.js'
import { until } from './browser-app.js'

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
  t.equal(folderAbove('big:/data/x/', list), 'big:/data/')
  t.equal(folderAbove('big:/srv/work/', list), 'big:/', 'not to what it has not opened')
  t.equal(folderAbove('big:/', list), null)
  t.equal(folderAbove('/data/x', list), '/data/')
  t.same(['big:/srv/work', 'big:/srv/work/deep/', '/data/x/'].map((one) => stepName(one, list)), ['/srv/work', 'deep', 'x'])
})

/** Answers with what `list` holds, and counts how often it was asked. */
async function machinesService (t: Test, place: { list: MachineList }) {
  const asked = { lists: 0, forgotten: [] as string[] }
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      asked.lists++
      return response.end(JSON.stringify(place.list))
    }
    let body = ''
    request.on('data', (chunk) => { body += String(chunk) }).on('end', () => {
      asked.forgotten.push((JSON.parse(body) as { name: string }).name)
      place.list = listOf()
      response.end('{"ok":true}')
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return { asked, api: new Api({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }) }
}

t.test('machines are read again while somebody looks, and one that was forgotten is gone from the list', async (t) => {
  const place = { list: listOf(machine('big')) }
  const { asked, api } = await machinesService(t, place)
  const view = { isSeen: true }
  const machines = createMachines({ api, isSeen: () => view.isSeen, pauseMs: 1 })
  const leave = [machines.attend(), machines.attend()]
  await until(() => machines.list.value.value?.hosts[1]?.state === 'ready')
  place.list = listOf(machine('big', { state: 'away' }))
  await until(() => machines.list.value.value?.hosts[1]?.state === 'away')
  leave[0]!()
  place.list = listOf(machine('big'))
  await until(() => machines.list.value.value?.hosts[1]?.state === 'ready')
  view.isSeen = false
  await machines.list.refresh()
  const { lists } = asked
  await machines.forget('big')
  t.same(asked.forgotten, ['big'])
  t.equal(machines.list.value.value?.hosts.length, 1)
  t.equal(asked.lists, lists + 1, 'nothing was asked while nobody looked, but for this')
  leave[1]!()
})
