import t from '#test'
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWorkers } from '../../services/ground/workers/index.js'
import { kinds } from '../../services/threads/kinds.js'
import { type folderFrames } from '../../schemas/workspace.js'
import { framesOf } from '../../services/ground/events/index.js'
import { createFolderWatch } from '../../services/workspace/files/index.js'
import { start, type TestLike, type TestService } from '../support/app.js'
import { hereOnly } from '../support/programs.js'

const paths = (answer: { body: { workspaces: Array<{ path: string }> } }) => answer.body.workspaces.map(({ path }) => path)

function folderBeside (service: TestService, name: string): string {
  const path = join(service.folder, name)
  mkdirSync(path, { recursive: true })
  return path
}

t.test('the default workspace is there from the start, is used last, and stays', async (t) => {
  const service = await start(t)
  const { body } = await service.get('/api/workspaces')
  t.same(body, { workspaces: [{ path: service.workspace, name: 'workspace' }], last: service.workspace, terminal_remote_backend: false })
  const removed = await service.post('/api/workspaces/remove', { path: service.workspace })
  t.equal(removed.status, 400)
  t.same(paths(await service.get('/api/workspaces')), [service.workspace])
})

t.test('folders are added, named, put in order and taken out again, also over a restart', async (t) => {
  const service = await start(t, { onDisk: true, folder: temporaryFolder(t) })
  const [one, two, three] = ['one', 'two', 'three'].map((name) => folderBeside(service, name)) as [string, string, string]
  for (const path of [one, two]) t.equal((await service.post('/api/workspaces/add', { path })).status, 200)
  const added = await service.post('/api/workspaces/add', { path: `${three}/`, name: '  Third\nfolder ' })
  t.same(added.body.workspaces.at(-1), { path: three, name: 'Third folder' })
  t.equal((await service.post('/api/workspaces/add', { path: '~', name: null, create: null })).status, 200)
  t.equal((await service.post('/api/workspaces/remove', { path: '~/' })).status, 200)
  t.same(paths(added), [service.workspace, one, two, three])

  t.same(paths(await service.post('/api/workspaces/reorder', { paths: [two, '/nowhere', two, service.workspace] })), [two, service.workspace, one, three])
  t.equal((await service.post('/api/workspaces/rename', { path: one, name: 'First' })).body.workspaces[2].name, 'First')
  t.equal((await service.post('/api/workspaces/rename', { path: `${one}//`, name: '' })).body.workspaces[2].name, 'one')
  t.same(paths(await service.post('/api/workspaces/remove', { path: `${two}/` })), [service.workspace, one, three])
  await service.stop()

  const again = await start(t, { folder: service.folder })
  t.same(paths(await again.get('/api/workspaces')), [service.workspace, one, three])
  t.equal((await again.post('/api/workspaces/rename', { path: service.workspace, name: 'Mine' })).body.workspaces[0].name, 'Mine')
})

t.test('what cannot be a workspace is refused with a reason', async (t) => {
  const service = await start(t)
  writeFileSync(join(service.folder, 'file'), '')
  symlinkSync('/etc', join(service.folder, 'etc'))
  symlinkSync(join(service.folder, 'loop'), join(service.folder, 'loop'))
  const state = service.app.config.stateDir
  for (const path of ['/', '/etc', '/proc/self', '/usr/lib', '/tmp', '/home', 'relative', join(service.folder, 'file'), join(service.folder, 'missing'),
    join(service.folder, 'etc'), join(service.folder, 'loop'), state, join(state, 'inside'), '/nowhere\0', '/etc/new-folder']) {
    for (const create of [false, true]) {
      if (create && path.endsWith('missing')) continue
      const { status, body } = await service.post('/api/workspaces/add', { path, create })
      t.equal(status, 400, path)
      t.type(body.error, 'string')
    }
  }
  t.match((await service.post('/api/workspaces/add', {})).body.error, /path/)
  t.equal((await service.post('/api/workspaces/add', { path: service.workspace })).body.code, 'duplicate')
  t.equal((await service.post('/api/workspaces/add', { path: 7 })).status, 400)
  t.equal((await service.post('/api/workspaces/rename', { path: '/nowhere', name: 'x' })).status, 404)
  t.equal((await service.post('/api/workspaces/remove', { path: '/nowhere' })).status, 404)
  t.equal((await service.post('/api/workspaces/reorder', { paths: 'x' })).status, 400)
})

t.test('a folder is made when that is asked for, below the home folder too', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'new', 'folder')
  t.same(paths(await service.post('/api/workspaces/add', { path: '~/new/folder', create: true })), [service.workspace, path])
  const id = await service.newSession({ workspace: path })
  t.equal((await service.session(id)).workspace, service.named(path))
})

t.test('the folder used last is the one of the conversation that was active last', async (t) => {
  const service = await start(t)
  const other = folderBeside(service, 'other')
  await service.newSession({ workspace: other })
  t.equal((await service.get('/api/workspaces')).body.last, service.named(other))
  await service.newSession()
  t.equal((await service.get('/api/workspaces')).body.last, service.named(service.workspace))
})

t.test('suggestions complete a path that is being typed', async (t) => {
  const service = await start(t)
  for (const name of ['projects/Alpha', 'projects/alpine', 'projects/beta', 'projects/.hidden']) folderBeside(service, name)
  writeFileSync(join(service.folder, 'projects', 'alphabet.txt'), '')
  symlinkSync(join(service.folder, 'projects', 'beta'), join(service.folder, 'projects', 'alias'))
  const suggest = async (prefix: string) => (await service.get(`/api/workspaces/suggest?prefix=${encodeURIComponent(prefix)}`)).body.suggestions as string[]

  const base = join(service.folder, 'projects')
  t.same(await suggest(`${base}/al`), [`${base}/alias`, `${base}/Alpha`, `${base}/alpine`])
  t.same(await suggest(`${base}/.`), [`${base}/.hidden`])
  t.same(await suggest('~/projects/b'), ['~/projects/beta'])
  t.same((await service.get('/api/workspaces/suggest')).body, { suggestions: [service.workspace, service.folder], prefix: '' })
  t.same(await suggest(join(service.app.config.home, 'web')), [], 'not the service\'s own')
  for (const prefix of ['/etc/s', '/proc/self/', 'relative', '/nowhere/x', '/\0', '../..', `${service.folder}/projects/alphabet.txt/`]) t.same(await suggest(prefix), [], prefix)
})

t.test('whoever looks at a folder hears that it has changed, and nothing of what has not', hereOnly, async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  mkdirSync(join(service.workspace, 'shown'))
  const reader = await service.events(`/api/workspace/events?session_id=${id}&path=shown`)
  const initial = await reader.until('initial')
  t.equal(initial.data.path, 'shown')
  t.type(initial.data.signature, 'string')

  writeFileSync(join(service.workspace, 'shown', 'new.txt'), 'one')
  const first = await reader.until('workspace_changed')
  t.not(first.data.signature, initial.data.signature)
  writeFileSync(join(service.workspace, 'shown', 'new.txt'), 'three')
  const second = await reader.until((frame) => frame.event === 'workspace_changed' && frame.data.signature !== first.data.signature)
  t.type(second.data.signature, 'string')

  renameSync(join(service.workspace, 'shown'), join(service.workspace, 'moved'))
  await reader.until((frame) => frame.event === 'workspace_changed' && frame.data.signature === null)
  renameSync(join(service.workspace, 'moved'), join(service.workspace, 'shown'))
  await reader.until((frame) => frame.event === 'workspace_changed' && frame.data.signature === second.data.signature && frame !== second)

  // Another folder takes its place: that one is watched from then on.
  mkdirSync(join(service.workspace, 'other'))
  renameSync(join(service.workspace, 'shown'), join(service.workspace, 'old'))
  renameSync(join(service.workspace, 'other'), join(service.workspace, 'shown'))
  const replaced = await reader.until((frame) => reader.frames.indexOf(frame) > 4 && ![null, second.data.signature].includes(frame.data.signature))
  writeFileSync(join(service.workspace, 'shown', 'later.txt'), '')
  await reader.until((frame) => reader.frames.indexOf(frame) > reader.frames.indexOf(replaced) && frame.data.signature !== replaced.data.signature)
  reader.drop()
  while (service.app.files.watch.size() > 0) await new Promise((resolve) => setTimeout(resolve, 10))
})

t.test('only folders inside can be watched, and not too many', hereOnly, async (t) => {
  const service = await start(t)
  const id = await service.newSession()
  symlinkSync('/etc', join(service.workspace, 'etc'))
  writeFileSync(join(service.workspace, 'file'), '')
  for (const path of ['..', '/etc', 'etc', 'file', 'missing', '../home']) {
    t.equal((await service.get(`/api/workspace/events?session_id=${id}&path=${encodeURIComponent(path)}`)).status, 404, path)
  }
  t.equal((await service.get('/api/workspace/events?session_id=none')).status, 404)
  t.equal(service.app.files.watch.size(), 0)

  const workers = createWorkers({ kinds })
  const watch = createFolderWatch({ events: service.app.events, workers, frame: framesOf<typeof folderFrames>(), limit: 1 })
  const territory = { root: service.workspace, closed: [] }
  const one = await watch.subscribe(territory, '.')
  const same = await watch.subscribe(territory, '.')
  mkdirSync(join(service.workspace, 'second'))
  await t.rejects(watch.subscribe(territory, 'second'), { name: 'TooMany' })
  one.close()
  one.close()
  t.equal(watch.size(), 1)
  same.close()
  t.equal(watch.size(), 0)
  await workers.close()
})

t.test('a folder that cannot be read is no workspace', { skip: process.getuid?.() === 0 ? 'root may read everything' : false }, async (t) => {
  const service = await start(t)
  const path = folderBeside(service, 'locked')
  chmodSync(path, 0)
  t.equal((await service.post('/api/workspaces/add', { path })).status, 400)
  chmodSync(path, 0o700)
})

function temporaryFolder (t: TestLike): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'service-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
