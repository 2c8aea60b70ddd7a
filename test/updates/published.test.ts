import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { installedAs, isStartedAnywhere } from '../../services/areas/updates/index.js'
import { installLine, readPublished, wayTo, wayToNewest, type Published, type PublishedAs } from '../../services/areas/updates/published-form.js'
import { countBetween, newerOf } from '../../services/areas/updates/releases.js'
import { rootsOf } from '../../services/ground/assets.js'
import { commandLine } from '../../services/ground/command-line.js'
import { serving } from '../support/listening.js'
import { start, type TestService } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'

/** Creates a published form in a folder, as scripts/release.js leaves it. */
function put (top: string, path: string, kind: string, name = 'agent-web-service'): string {
  const root = join(top, path)
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'distribution.json'), JSON.stringify({ kind }))
  const file = join(root, kind === 'program' ? 'dist/package.json' : 'package.json')
  writeFileSync(file, JSON.stringify({ name, version: '1.2.3', repository: { type: 'git', url: 'git+https://example.com/o/r.git' } }))
  return join(root, 'dist')
}

t.test('how a published form was installed, and the line that brings another version', (t) => {
  const top = temporaryFolder(t, 'published')
  for (const [path, as, line] of [
    ['lib/node_modules/agent-web-service', 'npm-global', 'npm install --global agent-web-service@2.0.0'],
    ['.npm/_npx/0a1b/node_modules/agent-web-service', 'npx', 'npx agent-web-service@2.0.0'],
    ['share/pnpm/global/5/.pnpm/agent-web-service@1.2.3/node_modules/agent-web-service', 'pnpm', 'pnpm add --global agent-web-service@2.0.0'],
    ['.bun/install/global/node_modules/agent-web-service', 'bun', 'bun add --global agent-web-service@2.0.0'],
    ['unpacked/package', 'copy', null]
  ] as const) {
    const published = readPublished(put(top, path, 'npm'), () => false)
    t.match(published, { as, name: 'agent-web-service', version: '1.2.3', repository: 'https://example.com/o/r.git' }, path)
    t.equal(installLine(published!, '2.0.0'), line)
    t.match(wayToNewest(published!), line === null ? /the way you installed this one$/ : `This line installs the newest version: ${line.replace('2.0.0', 'latest')}`)
  }
  mkdirSync(join(top, 'a project'))
  writeFileSync(join(top, 'a project/package.json'), '{}')
  const local = put(top, 'a project/node_modules/@fork/agent', 'npm', '@fork/agent')
  t.match(readPublished(local, () => false), { as: 'npm-local' })
  t.match(wayTo(readPublished(local, () => false)!, '2.0.0'), { message: /Version 2\.0\.0 is available.*: npm install @fork\/agent@2\.0\.0$/, command: 'npm install @fork/agent@2.0.0' })

  const [archive, program] = [put(top, 'archive/package', 'archive'), put(top, 'app', 'program')]
  t.match(readPublished(archive, () => true), { as: 'archive' })
  t.match(readPublished(program, () => true), { as: 'image' })
  t.match(readPublished(program, () => false), { as: 'copy' })
  t.match(wayTo(readPublished(program, () => true)!, '2.0.0'), { command: /docker compose up --build/ })
  t.equal(readPublished(join(top, 'clone/dist'), () => false), null)
  t.same([local, archive, program, join(top, 'clone/dist')].map(isStartedAnywhere), [true, true, false, false], 'whose folder is its own reads the .env of it')
  t.equal(installedAs({ reason: '', isSource: true }), 'source')
  writeFileSync(join(top, 'app/distribution.json'), '{"kind":')
  t.match(readPublished(program, () => false), { as: 'copy' }, 'a note that is damaged')
  t.ok(isStartedAnywhere(program))
  t.same(rootsOf(local), [local, join(local, '../node_modules'), join(top, 'a project/node_modules')], 'what the agent may not write')
  t.same(rootsOf(archive), [archive, join(archive, '../node_modules')])
})

t.test('how a command is called depends on how the program was installed', (t) => {
  const top = temporaryFolder(t, 'published')
  mkdirSync(join(top, 'a project'))
  writeFileSync(join(top, 'a project/package.json'), '{}')
  for (const [path, kind, inContainer, line] of [
    ['clone', null, false, 'node scripts/cli.js restore backup-1'],
    ['lib/node_modules/agent-web-service', 'npm', false, 'agent-web-service restore backup-1'],
    ['.npm/_npx/0a1b/node_modules/agent-web-service', 'npm', false, 'npx agent-web-service restore backup-1'],
    ['a project/node_modules/agent-web-service', 'npm', false, 'npx agent-web-service restore backup-1'],
    ['archive/package', 'archive', false, `${join(top, 'archive')}/bin/agent-web-service restore backup-1`],
    ["Ada's/package", 'archive', false, `'${top}/Ada'\\''s/bin/agent-web-service' restore backup-1`],
    ['app', 'program', true, 'docker compose run --rm agent node dist/cli/main.js restore backup-1'],
    ['copied', 'program', false, 'node dist/cli/main.js restore backup-1']
  ] as const) {
    const folder = kind === null ? join(top, path, 'dist') : put(top, path, kind)
    t.equal(commandLine('restore backup-1', { folder, isContainer: () => inContainer }), line)
  }
  const inImage = (command: string): string => commandLine(command, { folder: join(top, 'app/dist'), isContainer: () => true })
  t.same(['start', 'stop', 'pair'].map(inImage), ['docker compose up --detach', 'docker compose stop', 'docker compose exec agent node dist/cli/main.js pair'])
  t.equal(commandLine('start', { folder: null }), 'npm start')
  t.equal(commandLine('pair --url https://a.example', { folder: null }), 'node scripts/cli.js pair --url https://a.example')
})

t.test('versions between two', (t) => {
  const versions = ['0.1.0', '0.2.0-rc.1', '0.2.0-rc.2', '0.2.0-rc.10', '0.2.0', '0.10.0', '1.0.0-beta', 'nonsense', '__proto__']
  for (const [current, latest, count] of [
    ['0.1.0', '0.1.0', 0], ['0.1.0', '0.10.0', 2], ['0.10.0', '0.2.0', 0], ['0.2.0-rc.2', '0.2.0-rc.10', 1], ['0.2.0-rc.1', '0.2.0', 1], ['0.10.0', '1.0.0-beta', 1], ['0.1.0', 'x', 0], ['0.1.0', '0.2.0+; rm -rf ~', 0], ['0.1.0', '0.2.0\n', 0]
  ] as const) t.equal(countBetween(versions, current, latest), count, `${current} to ${latest}`)
  for (const [older, newer] of [['1.0.0-alpha', '1.0.0'], ['1.0.0-alpha.1', '1.0.0-alpha.beta'], ['1.0.0-2', '1.0.0-11'], ['1.0.0-rc', '1.0.0-rc.1'], ['0.9.9', '0.10.0']] as const) {
    t.equal(newerOf(older, newer), newer)
    t.equal(newerOf(newer, older), newer)
  }
  t.equal(newerOf('0.1.0', '9.9.9; reboot'), '0.1.0', 'a line that somebody runs names a version, and nothing else')
})

/** Starts a registry that npm is configured with, which has these versions. */
async function registry (t: Test, answer: () => { status: number, body: unknown }) {
  const asked: string[] = []
  const origin = await serving(t, (request, response) => {
    asked.push(String(request.url))
    const { status, body } = answer()
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const before = { registry: process.env.npm_config_registry, cache: process.env.npm_config_cache }
  process.env.npm_config_registry = `${origin}/`
  process.env.npm_config_cache = temporaryFolder(t, 'npm-cache')
  t.teardown(() => {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[`npm_config_${name}`]
      else process.env[`npm_config_${name}`] = value
    }
  })
  return asked
}

const published = (root: string, as: PublishedAs): Published => ({ as, root, name: 'agent-web-service', version: '0.1.0', repository: 'https://example.com/o/r.git' })
const check = async (service: TestService, body: object = { force: true }) => (await service.post('/api/updates/check', body)).body
const apply = async (service: TestService) => await service.post('/api/updates/apply', { target: 'webui' })

t.test('npm\'s registry is asked when somebody looks, and the answer has the one line to run', async (t) => {
  let tags: Record<string, string> = { latest: '0.1.0' }
  const versions = ['0.1.0', '0.2.0', '0.3.0-rc.1'].map((version) => [version, { name: 'agent-web-service', version, dist: { tarball: 'http://127.0.0.1:9/x.tgz' } }])
  const asked = await registry(t, () => ({ status: 200, body: { name: 'agent-web-service', 'dist-tags': tags, versions: Object.fromEntries(versions) } }))
  const service = await start(t, { updates: { installation: { published: published(temporaryFolder(t, 'here'), 'npm-global') }, restart: () => t.fail('restarted') } })
  t.match((await service.get('/api/updates/check')).body, { webui: null, installed_as: 'npm-global' })
  t.match((await service.get('/api/system/health')).body, { installed_as: 'npm-global' })
  t.same(asked, [], 'nobody has looked')

  t.match(await check(service), { webui: { behind: 0, current_version: '0.1.0', latest_version: '0.1.0', repo_url: 'https://example.com/o/r' } })
  t.match(await apply(service), { status: 200, body: { ok: true, up_to_date: true } })
  tags = { latest: '0.2.0', next: '0.3.0-rc.1' }
  const found = await check(service)
  t.match(found, {
    installed_as: 'npm-global',
    webui: { behind: 1, current_version: '0.1.0', latest_version: '0.2.0', command: 'npm install --global agent-web-service@0.2.0', compare_url: 'https://example.com/o/r/compare/v0.1.0...v0.2.0' }
  })
  const before = asked.length
  t.match(await check(service, {}), { webui: found.webui })
  t.equal(asked.length, before, 'the last answer is young')
  t.match(await check(service, { channel: 'experimental' }), { webui: { latest_version: '0.3.0-rc.1', command: /@0\.3\.0-rc\.1$/ } })
  t.match(await apply(service), { status: 200, body: { ok: false, target: 'webui', message: /Stop the service, run this line/, command: 'npm install --global agent-web-service@0.2.0' } })
  t.match((await service.get('/api/updates/check')).body, { last_update: null }, 'nothing was tried')
  t.match((await service.get('/api/diagnostics')).body.checks.find(({ id }: { id: string }) => id === 'updates'), { status: 'warning', fix: /npm install --global/ })
})

t.test('a registry that does not answer is told in words; an archive and an image ask nobody', async (t) => {
  const asked = await registry(t, () => ({ status: 404, body: { error: 'not found' } }))
  const at = async (as: PublishedAs) => await start(t, { updates: { installation: { published: published(temporaryFolder(t, 'here'), as) } } })
  const npx = await at('npx')
  t.match(await check(npx), { webui: { behind: null, stale_check: true, current_version: '0.1.0', error: /^The npm registry could not be asked for newer versions: the registry has no such package \(E404\)/ } })
  t.match(await apply(npx), { status: 200, body: { ok: false, message: /registry could not be asked/ } })
  const before = asked.length
  for (const [as, message, command] of [['archive', /unpack the archive/, undefined], ['image', /Build the new image .* or pull it/, 'git pull && docker compose up --build --detach']] as const) {
    const service = await at(as)
    t.match(await check(service), { webui: { no_git: true, behind: null, message, command } })
    t.match(await apply(service), { status: 200, body: { ok: false, message, command } })
  }
  t.equal(asked.length, before)
})
