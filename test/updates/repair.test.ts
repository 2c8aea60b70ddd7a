import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import t, { type Test } from '#test'
import { databaseFile, openDatabase } from '../../services/ground/database/index.js'
import { findInstallation, repairUpdate, undoUpdate } from '../../services/areas/updates/index.js'
import { begun, readJournal, writeJournal, type UnderWay } from '../../services/areas/updates/journal.js'
import { temporaryFolder } from '../support/folder.js'
import { installation, type Installation } from '../support/installation.js'

const attempt = '0a1b2c3d'
const folderOf = ({ folder }: Installation, name: string | null = attempt): string => join(folder, '.update', name ?? '')

/** Does what `npm start` does first. */
const finishUpdate = ({ folder }: Pick<Installation, 'folder'>): string => execFileSync(process.execPath, [resolve('scripts/finish-update.js')], { cwd: folder, encoding: 'utf8' })

interface CutOff { project: Installation, stateDir: string, underWay: UnderWay, repaired: (atS?: number) => ReturnType<typeof repairUpdate> }

/** Creates an update that was cut off at a step; the build of the new version is staged. */
function cutOff (t: Test, step: UnderWay['step'], change?: (project: Installation, underWay: UnderWay) => void, name: string | null = attempt): CutOff {
  const project = installation(t)
  const from = project.git('rev-parse', 'HEAD')
  const to = project.release({ 'page.html': 'two\n' })
  project.git('fetch', '--quiet')
  for (const part of ['dist', 'node_modules']) mkdirSync(join(folderOf(project, name), 'next', part), { recursive: true })
  writeFileSync(join(folderOf(project, name), 'next', 'dist', 'server.js'), 'new')
  const stateDir = temporaryFolder(t, 'state')
  const underWay = begun(step, { root: project.folder, attempt: name, from, to })
  change?.(project, underWay)
  writeJournal(stateDir, { underWay, last: null })
  return { project, stateDir, underWay, repaired: async (atS = 1) => await repairUpdate({ stateDir, installation: { root: project.folder } }, atS) }
}

const stash = (project: Installation): string => {
  project.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'stash', 'push', '--quiet', '--message', `before the update to ${project.git('rev-parse', '--short=7', 'origin/main')}`)
  return project.git('rev-parse', 'refs/stash')
}

/** Puts files, packages and build of the new version in place. */
function inPlace (project: Installation, { attempt }: UnderWay): void {
  const [before, next] = ['before', 'next'].map((name) => join(folderOf(project, attempt), name)) as [string, string]
  project.git('merge', '--quiet', '--ff-only', 'origin/main')
  mkdirSync(before)
  renameSync(join(project.folder, 'dist'), join(before, 'dist'))
  renameSync(join(next, 'dist'), join(project.folder, 'dist'))
}

t.test('cut off before the files of the new version were there', { long: true }, async (t) => {
  const { project, repaired, underWay } = cutOff(t, 'placing', (project) => {
    project.write('notes.txt', 'mine\n')
    stash(project)
  })
  t.match(await repaired(), { ok: false, restart: false, message: /previous version is back$/ })
  t.equal(project.git('rev-parse', 'HEAD'), underWay.from)
  t.equal(project.read('notes.txt'), 'mine\n', 'a stash that could not be noted is found')
  t.equal(project.git('stash', 'list'), '')
  t.not(project.read('dist/server.js'), 'new')
  t.equal(await repaired(2), null, 'once')
})

t.test('cut off between the files and the build', async (t) => {
  for (const cut of ['before', 'between the two renames', 'between them, and built again', 'between them, and started by npm']) {
    const { project, stateDir, repaired, underWay } = cutOff(t, 'placing', (project, underWay) => {
      project.write('notes.txt', 'mine\n')
      underWay.stash = stash(project)
      project.git('merge', '--quiet', '--ff-only', 'origin/main')
    })
    if (cut !== 'before') {
      mkdirSync(join(folderOf(project), 'before'))
      renameSync(join(project.folder, 'dist'), join(folderOf(project), 'before', 'dist'))
    }
    if (cut.includes('built again')) execFileSync(process.execPath, ['build.js'], { cwd: project.folder })
    if (cut.includes('npm')) t.match(finishUpdate(project), /dist is in its place again/)
    t.match(await repaired(), cut.includes('npm') ? 'proving' : { ok: true, restart: true }, cut)
    t.equal(project.git('rev-parse', 'HEAD'), underWay.to)
    t.equal(project.read('dist/server.js'), 'new')
    t.equal(project.read('notes.txt'), 'mine\n')
    if (!cut.includes('npm')) t.equal(await repaired(), 'proving', 'the new version has to come up')
    t.match(readJournal(stateDir).underWay, { step: 'placed', started: true })
  }
})

t.test('nothing that stands where updates are made keeps a start from happening', { long: true }, async (t) => {
  const leftBehind: Record<string, (folder: string) => void> = {
    'a file': (folder) => writeFileSync(join(folder, '.update'), ''),
    'a link that leads nowhere': (folder) => symlinkSync('/nowhere', join(folder, '.update')),
    'what is no build': (folder) => {
      mkdirSync(join(folder, '.update', 'one', 'before'), { recursive: true })
      writeFileSync(join(folder, '.update', 'one', 'before', 'dist'), '')
      symlinkSync(tmpdir(), join(folder, '.update', 'one', 'before', 'node_modules'))
    },
    'packages on a disk that is not there': (folder) => {
      mkdirSync(join(folder, '.update', 'one', 'before', 'node_modules'), { recursive: true })
      symlinkSync('/nowhere', join(folder, 'node_modules'))
    }
  }
  for (const [what, leave] of Object.entries(leftBehind)) {
    const folder = temporaryFolder(t, 'checkout')
    leave(folder)
    const before = readdirSync(folder)
    t.equal(finishUpdate({ folder }), '', what)
    t.strictSame(readdirSync(folder), before)
  }
})

t.test('a new version that has not come up gives way', async (t) => {
  const { project, stateDir, repaired, underWay } = cutOff(t, 'placed', inPlace)
  openDatabase({ file: databaseFile(stateDir) }).close()
  const before = openDatabase({ file: databaseFile(stateDir) })
  before.sqlite.prepare('delete from __drizzle_migrations where created_at = (select max(created_at) from __drizzle_migrations)').run()
  before.close()
  t.equal(await repaired(), 'proving')
  t.ok(existsSync(`${databaseFile(stateDir)}.before-update`), 'a database that it migrates is kept')
  writeFileSync(databaseFile(stateDir), 'migrated')
  t.match(await repaired(2), { ok: false, restart: true, message: /did not start; .* is back/ })
  t.equal(project.git('rev-parse', 'HEAD'), underWay.from)
  t.equal(project.git('symbolic-ref', '--short', 'HEAD'), 'main')
  t.not(project.read('dist/server.js'), 'new')
  t.doesNotThrow(() => { renameSync(databaseFile(stateDir), join(stateDir, 'again.db')) })
  t.notOk(existsSync(`${databaseFile(stateDir)}.before-update`))
  t.match(readJournal(stateDir), { underWay: null, last: { ok: false, finishedAtS: 2 } })
})

t.test('a person\'s changes go back as well', { long: true }, async (t) => {
  const merged = (project: Installation): string => project.git('rev-parse', `${project.git('-c', 'user.name=Ann', '-c', 'user.email=ann@example.com', 'stash', 'create')}^{tree}`)
  for (const since of [false, true]) {
    const { project, stateDir } = cutOff(t, 'placed', (project, underWay) => {
      project.write('notes.txt', 'mine\n')
      underWay.stash = stash(project)
      inPlace(project, underWay)
      project.git('stash', 'apply', '--quiet')
      project.git('stash', 'drop', '--quiet')
      underWay.merged = merged(project)
      underWay.started = true
      if (since) project.write('page.html', 'mine since\n')
    })
    t.match(await undoUpdate({ stateDir, installation: { root: project.folder } }, 1), { ok: false, restart: true, message: since ? /latest stash/ : /is back\. / })
    t.equal(project.read('notes.txt'), 'mine\n')
    t.equal(project.read('page.html'), 'one\n')
    t.equal(project.git('stash', 'list').split('\n').filter((line) => line !== '').length, since ? 1 : 0, 'what was changed since is kept')
    if (since) t.equal(project.git('show', 'stash@{0}:page.html'), 'mine since')
  }
})

t.test('an update that a version has begun which gave attempts no folders of their own', { long: true }, async (t) => {
  const nameless = (stateDir: string): void => {
    const { underWay: { attempt, ...underWay }, last } = JSON.parse(readFileSync(join(stateDir, 'update.json'), 'utf8'))
    t.equal(attempt, null)
    writeFileSync(join(stateDir, 'update.json'), JSON.stringify({ underWay, last }))
  }
  const preparing = cutOff(t, 'preparing', undefined, null)
  nameless(preparing.stateDir)
  t.match(await preparing.repaired(), { ok: false, restart: false, message: /before it changed anything/ })
  t.notOk(existsSync(join(preparing.project.folder, '.update')))
  const placed = cutOff(t, 'placed', inPlace, null)
  nameless(placed.stateDir)
  t.equal(await placed.repaired(), 'proving')
  t.match(await placed.repaired(), { ok: false, restart: true, message: /is back/ })
  t.not(placed.project.read('dist/server.js'), 'new')
})

t.test('cut off while it gave way', { long: true }, async (t) => {
  const { project, repaired, underWay } = cutOff(t, 'returning', (project, underWay) => {
    project.write('notes.txt', 'mine\n')
    underWay.stash = stash(project)
    inPlace(project, underWay)
    project.git('reset', '--quiet', '--keep', underWay.from)
  })
  t.match(await repaired(), { ok: false, restart: true, message: /did not start/ })
  t.equal(project.read('notes.txt'), 'mine\n')
  t.not(project.read('dist/server.js'), 'new')
  t.equal(project.git('rev-parse', 'HEAD'), underWay.from)
  t.equal(project.git('stash', 'list'), '')
})

t.test('what somebody did meanwhile is not undone', { long: true }, async (t) => {
  const { project, repaired } = cutOff(t, 'placed', (project, underWay) => {
    inPlace(project, underWay)
    underWay.started = true
    project.write('page.html', 'mine\n')
    project.git('commit', '--quiet', '--all', '--message', 'Mine')
  })
  const head = project.git('rev-parse', 'HEAD')
  t.match(await repaired(), { ok: false, restart: false, message: /Another commit was checked out/ })
  t.equal(project.git('rev-parse', 'HEAD'), head)
  t.equal(project.read('dist/server.js'), 'new')
})

t.test('a journal that says nothing, or that is of another installation', async (t) => {
  const stateDir = temporaryFolder(t, 'state')
  for (const text of ['', '{', '[]', 'null', '{"underWay":{"step":"placing","root":1}}', JSON.stringify({ underWay: { ...begun('placing', { root: '/', attempt: '../..', from: 'a'.repeat(40), to: 'b'.repeat(40) }) } }), '{"underWay":{"step":"erase","root":"/","from":"x","to":"y","stash":null}}']) {
    writeFileSync(join(stateDir, 'update.json'), text)
    t.equal(await repairUpdate({ stateDir, installation: { root: '/' } }, 1), null)
    t.same(readJournal(stateDir), { underWay: null, last: null })
  }
  const other = cutOff(t, 'preparing')
  for (const installation of [{ root: stateDir }, { reason: 'none' }]) {
    t.equal(await repairUpdate({ stateDir: other.stateDir, installation }, 1), null)
    t.ok(existsSync(join(folderOf(other.project), 'next')))
    t.match(readJournal(other.stateDir).underWay, { step: 'preparing' })
  }
})

t.test('git forgets the work tree of the attempt, and no other', { long: true }, async (t) => {
  const { project, repaired } = cutOff(t, 'preparing', (project) => {
    rmSync(join(project.folder, '.update'), { recursive: true })
    for (const place of [join(folderOf(project), 'next'), join(project.top, 'of-somebody')]) project.git('worktree', 'add', '--quiet', '--detach', place)
    renameSync(join(project.top, 'of-somebody'), join(project.top, 'not-mounted'))
  })
  t.match(await repaired(), { ok: false, restart: false })
  t.notOk(existsSync(join(project.folder, '.update')))
  t.match(project.git('worktree', 'list'), /of-somebody/)
  t.notMatch(project.git('worktree', 'list'), /\.update/)
})

t.test('the service starts although nothing can be noted, or be removed', { long: true }, async (t) => {
  const unwritable = ({ stateDir }: CutOff): void => { mkdirSync(join(stateDir, 'update.json.tmp')) }
  const preparing = cutOff(t, 'preparing')
  unwritable(preparing)
  t.match(await preparing.repaired(), { ok: false, restart: false, message: /before it changed anything/ })
  t.equal(await preparing.repaired(), null, 'it is over')

  const placed = cutOff(t, 'placed', inPlace)
  unwritable(placed)
  t.match(await placed.repaired(), { ok: false, restart: true, message: /is back/ }, 'nobody would know that the new version was started')
  t.equal(placed.project.git('rev-parse', 'HEAD'), placed.underWay.from)
  t.not(placed.project.read('dist/server.js'), 'new')
  t.equal(await placed.repaired(), null)

  for (const step of ['preparing', 'placing', 'returning'] as const) {
    const gone = cutOff(t, step)
    renameSync(gone.project.folder, `${gone.project.folder}.gone`)
    t.match(await gone.repaired(), { ok: false, restart: false }, `${step}: git cannot be asked`)
    t.equal(await gone.repaired(), null)
  }
})

t.test('a program takes only the folder for its own that it was started from', { long: true }, async (t) => {
  const top = temporaryFolder(t, 'place')
  const [own, other] = ['own', 'other'].map((name) => join(top, name)) as [string, string]
  for (const folder of [own, other]) mkdirSync(join(folder, 'dist'), { recursive: true })
  for (const folder of [own, other]) writeFileSync(join(folder, 'dist', 'server.js'), '')
  symlinkSync(own, join(top, 'current'))
  const built = join(own, 'dist')
  const find = (startedAs: string | undefined, program: string | null = built) => findInstallation({ dist: program, startedAs })
  t.same(find(join(own, 'dist', 'server.js')), { root: own })
  t.same(find(join(top, 'current', 'dist', 'server.js')), { root: own }, 'by a link to the installation as a whole')
  mkdirSync(join(top, 'linked'))
  symlinkSync(built, join(top, 'linked', 'dist'))
  t.match(find(join(top, 'linked', 'dist', 'server.js')), { reason: /another installation/ }, 'a linked dist')
  t.match(find(join(top, 'linked', 'dist', 'server.js'), join(top, 'linked', 'dist')), { reason: /another installation/ })
  rmSync(join(other, 'dist', 'server.js'))
  symlinkSync(join(built, 'server.js'), join(other, 'dist', 'server.js'))
  t.match(find(join(other, 'dist', 'server.js')), { reason: /another installation/ }, 'a linked file')
  t.match(find(join(top, 'x', 'dist', 'server.js')), { reason: /no longer exists/ })
  t.match(find(undefined), { reason: /sources/ })
  t.match(find(join(own, 'server.ts'), null), { reason: /sources/ })
  cpSync(built, join(top, 'copy', 'dist'), { recursive: true })
  t.same(find(join(top, 'copy', 'dist', 'server.js'), join(top, 'copy', 'dist')), { root: join(top, 'copy') }, 'a copy is its own, whatever it was copied from')
})
