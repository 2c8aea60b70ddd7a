import { chmodSync, copyFileSync, existsSync, readFileSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from '#test'
import { linksTo } from '../../services/areas/updates/links.js'
import { newestRelease } from '../../services/areas/updates/releases.js'
import { restartWay } from '../../services/areas/updates/successor.js'
import { start, type TestService } from '../support/app.js'
import { eventually } from '../support/chat.js'
import { installation } from '../support/installation.js'
import { assertSelfContained, assertTemporary } from '../support/temporary.js'

const look = async (service: TestService, body: object = {}) => (await service.post('/api/updates/check', body)).body
const seen = async (service: TestService) => (await service.get('/api/updates/check')).body

t.test('the newest release', async (t) => {
  const newest = (...versions: string[]) => newestRelease(versions.map((version) => ({ version, sha: '' })))?.version ?? null
  t.equal(newest(), null)
  t.equal(newest('v1.9.0', 'v1.10.0', 'v1.2.30'), 'v1.10.0')
  t.equal(newest('v1.0.0', 'v2.0.0-rc.1', 'v3', 'vX.1.1', '1.0.1'), '1.0.1')
})

t.test('addresses for a browser have no credentials', async (t) => {
  for (const [remote, page] of [
    ['https://ann:secret@github.com/o/r.git', 'https://github.com/o/r'], ['https://example.com/o/r?token=x', 'https://example.com/o/r'], ['http://git.local:3000/o/r/', 'http://git.local:3000/o/r'],
    ['git@github.com:o/r.git', 'https://github.com/o/r'], ['ssh://git@example.com:2222/o/r.git', 'https://example.com/o/r'],
    ['/srv/r.git', null], ['file:///srv/r.git', null], ['', null], ['https://example.com', null], ['ext::sh -c x', null]
  ] as const) t.equal(linksTo(remote, 'a', 'b').repoUrl, page, remote)
  t.equal(linksTo('https://github.com/o/r', 'a', 'b').compareUrl, 'https://github.com/o/r/compare/a...b')
  t.equal(linksTo('https://gitlab.com/o/r', 'a', 'b').compareUrl, 'https://gitlab.com/o/r/-/compare/a...b')
  t.equal(linksTo('https://github.com/o/r', 'a', 'a').compareUrl, null)
})

t.test('who starts the service again', async (t) => {
  const plain = { pid: 20, parent: 10, env: {}, inContainer: false }
  t.equal(restartWay(plain), 'self')
  t.equal(restartWay({ ...plain, env: { INVOCATION_ID: 'x', SYSTEMD_EXEC_PID: '5' } }), 'self', 'a terminal below systemd')
  t.equal(restartWay({ ...plain, parent: 1 }), 'self', 'the terminal has gone')
  for (const other of [{ pid: 1 }, { env: { SYSTEMD_EXEC_PID: '20' } }, { env: { SYSTEMD_EXEC_PID: '10' } }, { parent: 1, inContainer: true }, { env: { pm_id: '0' } }]) t.equal(restartWay({ ...plain, ...other }), 'exit')
})

t.test('what was last seen is known after a restart, unless that was another version', { long: true }, async (t) => {
  const project = installation(t)
  const installed = { installation: { root: project.folder } }
  const first = await start(t, { onDisk: true, updates: installed })
  project.release({ 'page.html': 'two\n' })
  const found = await look(first)
  t.match(found, { webui: { behind: 1 } })
  await first.stop()
  const second = await start(t, { folder: first.folder, updates: installed })
  second.app.updates.begin()
  await second.app.updates.stop()
  t.match(await seen(second), { cached: true, webui: found.webui, checked_at: found.checked_at })
  t.match(await look(second), { webui: { behind: 1 } })
  await second.stop()
  project.git('pull', '--quiet', '--ff-only')
  const third = await start(t, { folder: first.folder, updates: installed })
  third.app.updates.begin()
  await eventually('it to be compared', async () => (await seen(third)).webui === null)
  t.match(await seen(third), { webui: null, checked_at: 0 })
})

t.test('looking for a new version', async (t) => {
  const project = installation(t)
  const service = await start(t, { updates: { installation: { root: project.folder } } })
  t.match(await seen(service), { webui: null, agent: null, checked_at: 0, include_agent: false, channel: 'stable', cached: true, last_update: null }, 'nobody has looked')
  const head = project.git('rev-parse', 'HEAD')
  const first = await look(service)
  t.match(first, { webui: { name: 'webui', behind: 0, current_sha: head, latest_sha: head, branch: 'main', repo_url: null, compare_url: null, dirty: false }, agent: { name: 'agent', ignored: true, behind: 0 }, checked_at: Number, channel: 'stable' })
  t.notOk('cached' in first)

  const latest = project.release({ 'page.html': 'two\n' })
  t.match(await look(service), { webui: { behind: 0 } }, 'the last answer is young')
  project.write('notes.txt', 'mine\n')
  t.match(await look(service, { force: true }), { webui: { behind: 1, current_sha: head, latest_sha: latest, dirty: true } })
  t.match(await seen(service), { cached: true, webui: { behind: 1 }, channel: 'stable' })
  t.equal(project.git('rev-parse', 'HEAD'), head, 'nothing is changed by looking')
  t.equal(project.git('rev-parse', 'refs/remotes/origin/main'), head, 'and nobody\'s references')
  const answers = await Promise.all(Array.from({ length: 5 }, async () => await look(service, { force: true })))
  t.equal(new Set(answers.map(({ checked_at: at }) => at)).size, 1, 'who comes while somebody looks gets that answer')

  renameSync(project.remote, `${project.remote}.gone`)
  const gone = await look(service, { force: true })
  t.match(gone, { webui: { behind: null, error: String, stale_check: true, current_sha: head, branch: 'main' } })
  t.notMatch(JSON.stringify(gone), project.folder.slice(0, -10), 'no path of this machine')
  renameSync(`${project.remote}.gone`, project.remote)
  t.match(await look(service), { webui: { behind: 1 } }, 'a failure is not kept')
  project.git('remote', 'remove', 'origin')
  t.match(await look(service, { force: true }), { webui: { behind: null, error: /no remote/, stale_check: true } })
})

t.test('looking runs nothing of the repository, and says in words why nobody answers', async (t) => {
  const project = installation(t)
  const service = await start(t, { updates: { installation: { root: project.folder } } })
  project.release({ 'package.json': project.read('package.json').replace('"build"', '"preinstall":"touch ran","build"'), '.gitattributes': '* filter=own diff=own merge=own\n' })
  const ran = join(project.top, 'ran')
  for (const hook of ['post-merge', 'post-checkout', 'reference-transaction', 'pre-auto-gc', 'fsmonitor-watchman', 'post-index-change']) {
    project.write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch ${ran}\n`)
    chmodSync(join(project.folder, '.git', 'hooks', hook), 0o755)
  }
  const own = `touch ${ran}; cat`
  for (const key of ['core.fsmonitor', 'filter.own.clean', 'filter.own.smudge', 'diff.own.textconv', 'diff.external', 'core.sshCommand', 'credential.helper', 'core.alternateRefsCommand']) project.git('config', key, own)
  project.write('.gitattributes', '* filter=own\n')
  project.write('notes.txt', 'mine\n')
  t.match(await look(service, { force: true }), { webui: { behind: 1, dirty: true } })
  t.notOk(existsSync(ran))

  for (const address of ['http://ann:s3cret@127.0.0.1:9/x.git', 'https://ann:s3cret@nowhere.invalid/x.git', 'ssh://nowhere.invalid/x.git', `ext::sh -c touch% ${ran}`]) {
    project.git('config', 'remote.origin.url', address)
    const seen = await look(service, { force: true })
    t.match(seen, { webui: { behind: null, stale_check: true, error: /\w+ \w+/ } }, address)
    t.notMatch(JSON.stringify(seen), /s3cret|\/tmp|installation-/)
    t.match((await service.post('/api/updates/apply', { target: 'webui' })).body, { ok: false })
  }
  t.notOk(existsSync(ran))
})

t.test('releases and channels', { long: true }, async (t) => {
  const project = installation(t)
  const service = await start(t, { updates: { installation: { root: project.folder } } })
  const released = project.release({ 'page.html': 'two\n' }, 'v0.2.0')
  project.release({ 'page.html': 'three\n' }, 'v0.3.0-rc.1')
  const latest = project.release({ 'page.html': 'four\n' })
  t.match(await look(service), { channel: 'stable', webui: { behind: 1, latest_sha: released, latest_version: 'v0.2.0' } })
  t.match(await look(service, { channel: 'experimental' }), { channel: 'experimental', webui: { behind: 3, latest_sha: latest } })
  t.match(await seen(service), { stale_channel: true, channel: 'experimental' })
  t.match(await service.post('/api/settings', { update_channel: 'experimental' }), { status: 200, body: { update_channel: 'experimental' } })
  t.notOk('stale_channel' in await seen(service))
  project.git('merge', '--quiet', '--ff-only', latest)
  t.match(await look(service, { channel: 'stable' }), { webui: { behind: 0, current_version: 'v0.2.0', latest_version: 'v0.2.0', latest_sha: latest } }, 'nobody is taken back')
})

t.test('checks that are switched off', { long: true }, async (t) => {
  const project = installation(t)
  const service = await start(t, { updates: { installation: { root: project.folder } } })
  t.match((await service.post('/api/settings', { check_for_updates: false })).body, { check_for_updates: false })
  t.same(await seen(service), { disabled: true })
  t.same(await look(service), { disabled: true })
  t.same(await look(service, { force: false, channel: null }), { disabled: true })
  t.match(await look(service, { force: true }), { webui: { behind: 0 } })
  t.same(await seen(service), { disabled: true })
  for (const body of [{ update_channel: 'beta' }, { check_for_updates: 'no' }]) t.match(await service.post('/api/settings', body), { status: 400 })
})

t.test('invented news, for this machine only', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_TRUSTED_PROXIES: 'loopback' } })
  t.match((await service.get('/api/updates/check?simulate=1')).body, { simulated: true, webui: { behind: 3, compare_url: String }, agent: { behind: 0 } })
  t.match(await service.get('/api/updates/check?simulate=1', { 'x-forwarded-for': '192.0.2.7' }), { status: 403, body: { error: 'This is only possible from the machine of the service' } })
  t.match((await service.get('/api/updates/check?simulate=0')).body, { webui: null })
})

t.test('what cannot be updated says so', async (t) => {
  const project = installation(t)
  const service = await start(t, { updates: { installation: { root: project.folder }, restart: () => t.fail('restarted') } })
  const says = async (message: RegExp): Promise<void> => {
    t.match(await look(service, { force: true }), { webui: { name: 'webui', no_git: true, behind: null, message } })
    t.match(await service.post('/api/updates/apply', { target: 'webui' }), { status: 200, body: { ok: false, target: 'webui', message } })
  }
  project.write('package.json', '{"name":"another"}')
  await says(/of another project/)
  renameSync(join(project.folder, '.git'), join(project.folder, '.gone'))
  await says(/not installed as a git checkout/)
  writeFileSync(join(project.folder, '.git'), 'gitdir: /nowhere\n')
  await says(/./)

  rmSync(join(project.folder, '.git'))
  symlinkSync(join(project.folder, '.gone'), join(project.folder, '.git'))
  project.write('package.json', '{"name":"agent-web-service"}')
  await says(/does not know of it/)
  rmSync(join(project.folder, '.git'))
  const other = installation(t)
  other.git('worktree', 'add', '--quiet', '--detach', join(other.top, 'another'))
  copyFileSync(join(other.top, 'another', '.git'), join(project.folder, '.git'))
  await says(/does not know of it/)

  t.match((await service.post('/api/updates/apply', { target: 'agent' })).body, { ok: true, up_to_date: true, target: 'agent' })
  for (const body of [{ target: 'other' }, {}, { target: 1 }, { target: null }]) t.match(await service.post('/api/updates/apply', body), { status: 400, body: { error: /target/ } })
  for (const body of [{ force: 'yes' }, { channel: 'beta' }, { channel: '--upload-pack=x' }]) t.match(await service.post('/api/updates/check', body), { status: 400 })

  const sources = await start(t, { updates: { installation: { root: installation(t).folder } } })
  t.match((await sources.post('/api/updates/apply', { target: 'webui' })).body, { ok: false, message: /sources/ })
  t.notOk(existsSync(join(project.folder, '.update')))
})

t.test('no test updates what is not its own', async (t) => {
  const { top, folder } = installation(t)
  assertTemporary(folder)
  for (const path of ['.', 'dist', '..', '/', tmpdir()]) t.throws(() => { assertTemporary(path) }, /must not update/, path)
  symlinkSync(realpathSync('dist'), join(folder, 'linked'))
  t.throws(() => { assertTemporary(join(folder, 'linked')) }, /must not update/)
  t.throws(() => { assertSelfContained(top) }, /installed\/linked leads out/)
  await t.rejects(start(t, { updates: { installation: { root: realpathSync('.') } } }), /must not update/)
})

t.test('an update that exchanges node_modules exchanges every package, those of the app included', async (t) => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { dev?: boolean, link?: boolean }> }
  t.equal(packages['node_modules/preact']?.dev, true)
  t.same(Object.keys(packages).filter((path) => path !== '' && path !== 'web' && !path.startsWith('node_modules/')), [])
})
