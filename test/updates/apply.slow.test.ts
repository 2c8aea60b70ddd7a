import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from '#test'
import { type UpdatesOptions } from '../../services/areas/updates/updates.js'
import { installation, type Installation } from '../support/installation.js'
import { stateOf, updatesOf } from '../support/updates.js'

/** Checks that the update is refused, and nothing has changed. */
async function refuses (t: Test, project: Installation, expected: object, more: Partial<UpdatesOptions> = {}): Promise<void> {
  const before = stateOf(project)
  const answer = await updatesOf(project, { restart: () => t.fail('restarted'), ...more }).apply('webui')
  t.match(answer, { ok: false, target: 'webui', message: String, ...expected })
  t.notMatch(answer.message, /\/tmp|installation-/, 'no path of this machine')
  t.same(stateOf(project), before)
}

t.test('a good version', async (t) => {
  const project = installation(t)
  const latest = project.release({ 'page.html': 'two\n', 'server.js': project.read('server.js') + '// new\n', 'new.txt': 'new\n' })
  process.env.OPENAI_API_KEY = 'sk-of-the-service'
  let snapshots = 0
  const updates = updatesOf(project, { snapshot: async () => { snapshots++; return null } })
  const [answer, second] = await Promise.all([updates.apply('webui'), updates.apply('webui')])
  t.match(answer, { ok: true, restart_scheduled: true, target: 'webui', message: /Updated by 1 commit/ })
  t.same(second, { ok: false, message: 'Update already in progress', target: 'webui' })
  t.match(await updates.apply('webui'), { ok: false, message: 'Update already in progress' }, 'until the restart')
  await updates.restarted
  t.equal(project.git('rev-parse', 'HEAD'), latest)
  t.match(project.read('dist/server.js'), /new/)
  t.equal(project.read('new.txt'), 'new\n')
  t.equal(project.git('status', '--porcelain'), '')
  t.equal(project.git('symbolic-ref', '--short', 'HEAD'), 'main')
  t.equal(snapshots, 1)
  t.notMatch(project.read('dist/environment.json'), /sk-of-the-service|OPENAI/, 'no secret for what is built')
  t.match(await updatesOf(project).apply('webui'), { ok: true, up_to_date: true })
})

t.test('versions that are no good stay outside', async (t) => {
  const project = installation(t)
  const good = project.read('server.js')
  project.release({ 'server.js': 'process.exit(1)\n' })
  await refuses(t, project, { message: /did not start/ })
  project.release({ 'server.js': `if (process.argv.includes('--check-configuration')) process.exit(1)\n${good}` })
  await refuses(t, project, { message: /does not accept the configuration/ })
  project.release({ 'build.js': 'throw new Error("broken")\n' })
  const logged: unknown[] = []
  await refuses(t, project, { message: /could not be built/ }, { log: (message, details) => { logged.push(message, details) } })
  t.match(JSON.stringify(logged), /broken/)
})

t.test('more versions that are no good stay outside', { long: true }, async (t) => {
  const project = installation(t)
  project.release({ 'server.js': 'setInterval(() => {}, 1000)\n' })
  await refuses(t, project, { message: /did not come up in time/ }, { trialLimitMs: 1_500 })
  project.release({ 'build.js': '// builds nothing\n' })
  await refuses(t, project, { message: /has no dist/ })
  project.release({
    'package.json': JSON.stringify({ name: 'agent-web-service', version: '0.1.0', scripts: { build: 'node build.js' }, dependencies: { x: '1.0.0' } }),
    'package-lock.json': JSON.stringify({ name: 'agent-web-service', lockfileVersion: 3, packages: { '': { name: 'agent-web-service' }, 'node_modules/y': { version: '1.0.0' } } })
  })
  await refuses(t, project, { message: /packages of the new version/ })
  await refuses(t, project, { message: 'no room' }, { snapshot: async () => { throw Object.assign(new (await import('../../services/ground/errors.js')).Unavailable('no room')) } })
  t.match(updatesOf(project).last()!.lastUpdate, { ok: false, message: 'no room' })
})

t.test('checkouts that cannot go forward', { long: true }, async (t) => {
  const project = installation(t)
  project.release({ 'page.html': 'two\n', 'new.txt': 'new\n' })
  project.write('new.txt', 'my own\n')
  await refuses(t, project, { conflict: true, message: /new\.txt/ })
  rmSync(join(project.folder, 'new.txt'))
  project.write('.git/index.lock', '')
  await t.resolves(updatesOf(project).apply('webui').then((answer) => t.match(answer, { ok: false, lock_conflict: true })))
  rmSync(join(project.folder, '.git', 'index.lock'))
  const own = join(project.top, 'own')
  mkdirSync(own)
  writeFileSync(join(own, 'notes.txt'), '')
  symlinkSync(own, join(project.folder, '.update'))
  await refuses(t, project, { conflict: true, message: /\.update/ })
  t.same(readdirSync(own), ['notes.txt'], 'what a link leads to is not cleared away')
  rmSync(join(project.folder, '.update'))
  renameSync(project.remote, `${project.remote}.gone`)
  await refuses(t, project, { message: /origin/ })
  renameSync(`${project.remote}.gone`, project.remote)
  if (process.getuid?.() !== 0) {
    chmodSync(project.folder, 0o500)
    await refuses(t, project, { message: /may not write/ })
    chmodSync(project.folder, 0o700)
  }

  project.git('checkout', '--quiet', '-b', 'topic')
  project.write('page.html', 'my page\n')
  project.git('commit', '--quiet', '--all', '--message', 'Mine')
  project.git('checkout', '--quiet', 'main')
  project.git('merge', '--quiet', 'topic')
  await refuses(t, project, { diverged: true })
  project.git('fetch', '--quiet')
  t.throws(() => project.git('merge', '--quiet', 'origin/main'))
  await t.resolves(updatesOf(project).apply('webui').then((answer) => t.match(answer, { ok: false, conflict: true })))
  project.git('merge', '--abort')
  project.git('remote', 'remove', 'origin')
  await refuses(t, project, { message: /no remote/ })
})

t.test('turns that run', async (t) => {
  const project = installation(t)
  project.release({ 'page.html': 'two\n' })
  const busy = { activeStreams: 1, activeRuns: 2, streamIds: ['a'] }
  const blocked = { restart_blocked: true, active_streams: 1, active_runs: 2, blocking_stream_ids: ['a'], blocking_run_ids: ['a'] }
  await refuses(t, project, blocked, { busy: () => busy })
  let asked = 0
  await refuses(t, project, blocked, { busy: () => asked++ === 0 ? { activeStreams: 0, activeRuns: 0, streamIds: [] } : busy })

  const asks: boolean[] = []
  const note = (takesUp: boolean) => {
    asks.push(takesUp)
    return takesUp ? { activeStreams: 0, activeRuns: 0, streamIds: [] } : busy
  }
  await refuses(t, project, blocked, { busy: note })
  t.same(asks, [true, false], 'a version that does not say how it speaks with agent processes takes up none of their turns')
  const { promise: keepsTurns, resolve } = Promise.withResolvers<boolean>()
  const ended = updatesOf(project, { busy: note, restart: resolve })
  t.match(await ended.applyAlone('webui', { now: true }), { ok: true, restart_scheduled: true })
  t.equal(await keepsTurns, false, 'what it cannot take up is ended in words')
  await ended.stop()
  project.release({ 'page.html': 'three\n' })

  let left = 2
  let sinceS: number | null = null
  const more = {
    busy: () => ({ activeStreams: left, activeRuns: left, streamIds: [] }), wish: { read: () => sinceS, write: (atS: number | null) => { sinceS = atS } }
  }
  const waits = updatesOf(project, more)
  t.match(await waits.applyAlone('webui', { wait: true }), { ok: true, waiting: true, active_streams: 2, message: /waits for 2 running turns/ })
  t.match(waits.last()!.waiting, { turns: 2, sinceS: Number })
  t.match(await waits.applyAlone('webui', { cancel: true }), { ok: true })
  t.same([await waits.applyAlone('webui', { cancel: true }), waits.last()!.waiting], [{ ok: false, message: 'No update is waiting', target: 'webui' }, null])
  await waits.applyAlone('webui', { wait: true })
  await waits.stop()
  t.ok(waits.last()!.waiting, 'a stop of the service does not end it')
  const next = updatesOf(project, more)
  next.begin()
  left = 0
  // What waits keeps no process alive.
  const alive = setInterval(() => {}, 1_000)
  await next.restarted
  clearInterval(alive)
  t.equal(next.last()!.waiting, null)
  await next.stop()
  project.release({ 'page.html': 'four\n' })

  const turns: string[] = []
  const held = updatesOf(project, { restart: () => t.fail('restarted'), turns: { hold: () => { turns.push('held'); project.git('commit', '--quiet', '--allow-empty', '--message', 'Mine') }, release: () => { turns.push('released') } } })
  t.match(await held.apply('webui'), { ok: false, message: /Another commit was checked out in the meantime/ })
  t.same(turns, ['held', 'released'], 'without a restart turns may begin again')
})

t.test('a service that is stopped while a version is put in place does not restart any more', { long: true }, async (t) => {
  const project = installation(t)
  project.release({ 'page.html': 'two\n' })
  let stopped = Promise.resolve()
  const updates = updatesOf(project, { restart: () => t.fail('restarted'), turns: { hold: () => { stopped = updates.stop() }, release: () => {} } })
  t.match(await updates.applyAlone('webui'), { ok: true })
  await stopped
  // Timers run in order: one for the restart would have run before this one.
  await new Promise((resolve) => setTimeout(resolve, 5))
  t.equal(project.read('page.html'), 'two\n', 'the next start is that of the new version')
})

t.test('two services of one checkout', { long: true }, async (t) => {
  const project = installation(t)
  project.release({ 'page.html': 'two\n' })
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = updatesOf(project, {
    snapshot: async () => {
      begun.resolve()
      await goOn.promise
      return null
    }
  })
  const second = updatesOf(project, { restart: () => t.fail('restarted') }, 'another-state')
  const answer = first.apply('webui')
  await begun.promise
  t.match(await second.apply('webui'), { ok: false, lock_conflict: true, message: new RegExp(`Another service .* \\(process ${process.pid}\\)`) })
  goOn.resolve()
  t.match(await answer, { ok: true, restart_scheduled: true })
  const attempts = () => readdirSync(join(project.folder, '.update'))
  const [kept] = attempts()
  mkdirSync(join(project.folder, '.update', '01234567', 'next'), { recursive: true })
  writeFileSync(join(project.folder, '.update', '01234567', 'state-folder'), second.stateDir)
  t.match(await second.apply('webui'), { ok: true, up_to_date: true })
  second.begin()
  await second.stop()
  t.same(attempts(), [kept], 'what the first one needs to go back is kept, and what nobody needs is not')

  project.release({ 'page.html': 'three\n' })
  const killed = `const lock = new (require(${JSON.stringify(resolve('node_modules/better-sqlite3'))}))(${JSON.stringify(join(project.folder, '.git', 'service-update.lock'))})
lock.exec('begin exclusive')
require('node:fs').writeFileSync(${JSON.stringify(join(project.folder, '.git', 'service-update.pid'))}, String(process.pid))
process.kill(process.pid, 'SIGKILL')`
  t.throws(() => execFileSync(process.execPath, ['-e', killed], { stdio: 'ignore' }))
  t.match(await updatesOf(project, {}, 'another-state').apply('webui'), { ok: true, restart_scheduled: true }, 'one that was killed keeps nobody from it')
})

t.test('a person\'s changes', async (t) => {
  const project = installation(t)
  project.release({ 'notes.txt': 'FIRST\n\n\n\n\n\nlast\n', 'page.html': 'two\n' })
  project.write('notes.txt', 'first\n\n\n\n\n\nLAST\n')
  project.write('page.html', 'mine\n')
  project.git('add', 'page.html')
  project.write('untracked.txt', 'mine too\n')
  const updates = updatesOf(project)
  t.match(await updates.apply('webui'), { ok: true, stash_conflict: true, restart_scheduled: true, message: /stash/ })
  t.equal(project.read('page.html'), 'two\n', 'no conflict is left behind')
  t.equal(project.read('untracked.txt'), 'mine too\n')
  t.equal(project.git('status', '--porcelain', '--untracked-files=no'), '')
  t.match(project.git('show', 'stash@{0}:notes.txt'), /LAST/)
  t.match(project.git('show', 'stash@{0}:page.html'), /mine/)
  project.git('stash', 'drop', '--quiet')

  project.release({ 'page.html': 'three\n' })
  project.write('notes.txt', 'FIRST\n\n\n\n\n\nLAST\n')
  const server = `${project.read('server.js')}// mine\n`
  project.write('server.js', server)
  project.git('add', 'server.js')
  t.match(await updatesOf(project).apply('webui'), { ok: true, restart_scheduled: true, stash_conflict: undefined })
  t.equal(project.read('page.html'), 'three\n')
  t.match(project.read('notes.txt'), /LAST/)
  t.equal(project.read('dist/server.js'), server, 'what was changed is in what was built')
  t.same(project.git('status', '--porcelain', '--untracked-files=no').split('\n').map((line) => line.trim()), ['M notes.txt', 'M  server.js'], 'what was staged is staged')
  t.equal(project.git('stash', 'list'), '')
})

t.test('packages of its own', { long: true }, async (t) => {
  const project = installation(t)
  const lock = { name: 'agent-web-service', version: '0.1.0', lockfileVersion: 3, requires: true, packages: { '': { name: 'agent-web-service', version: '0.1.0', dependencies: { lib: 'file:lib' } }, lib: { version: '1.0.0' }, 'node_modules/lib': { resolved: 'lib', link: true } } }
  project.release({
    'package.json': JSON.stringify({ name: 'agent-web-service', version: '0.1.0', scripts: { build: 'node build.js' }, dependencies: { lib: 'file:lib' } }),
    'package-lock.json': JSON.stringify(lock), 'lib/package.json': '{"name":"lib","version":"1.0.0"}', 'lib/index.js': 'module.exports = 1\n',
    'build.js': `require('lib');${project.read('build.js')}`
  })
  t.match(await updatesOf(project).apply('webui'), { ok: true, restart_scheduled: true })
  t.ok(existsSync(join(project.folder, 'node_modules', 'lib', 'index.js')))
  project.release({ 'page.html': 'two\n' })
  writeFileSync(join(project.folder, 'node_modules', 'kept'), '')
  t.match(await updatesOf(project).apply('webui'), { ok: true, restart_scheduled: true })
  t.ok(existsSync(join(project.folder, 'node_modules', 'kept')), 'what is installed is used again')
})
