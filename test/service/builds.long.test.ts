import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import t, { type Test } from '#test'
import { builtFolder } from '../support/built.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const project = ['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', 'SECURITY.md', 'package-lock.json', 'app.ts', 'server.ts', 'audit.ts', 'doctor.ts', 'backup.ts', 'restore.ts', 'acp', 'cli', 'clients', 'formulas', 'machine', 'packaging', 'package.json', 'tsconfig.json', 'docs', 'drizzle', 'plugins', 'reasons', 'routes', 'schedules', 'schemas', 'scripts', 'services', 'site', 'skills', 'web']

const folder = temporaryFolder(t, 'builds')
for (const path of project) cpSync(path, join(folder, path), { recursive: true })
symlinkSync(realpathSync('node_modules'), join(folder, 'node_modules'))
const dist = join(folder, 'dist')
const build = (): string => {
  execFileSync(process.execPath, ['scripts/build-service.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  return basename(builtFolder(dist))
}
/** Changes a source whose code a service only loads with its first turn. */
const change = (mark: string): void => {
  const source = join(folder, 'services/agent/model/demo-words/en.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace(/'(?:MARK-\w+ )?Fixed rules/, `'${mark} Fixed rules`))
}
const builds = (): string[] => readdirSync(join(dist, 'builds')).sort()
const start = async (name: string): Promise<ServerProcess> => await spawnServer(t, join(folder, name), {}, join(dist, 'server.js'))

/** Returns what npm run build makes: only what is necessary. */
const buildAll = (): string[] => execFileSync(process.execPath, ['scripts/build.js'], { cwd: folder, encoding: 'utf8' }).trim().split('\n').filter(Boolean)
/**
 * Loads everything that a service loads on first use: a thread, an agent process and its model, documents, files of the app.
 * Returns what its model says.
 */
async function loadsAll (t: Test, service: ServerProcess, name: string): Promise<string> {
  const { session: { session_id: id } } = await service.json('/api/session/new', {})
  writeFileSync(join(folder, name, 'workspace/a.txt'), 'a')
  t.match(await service.json(`/api/list?session_id=${id}`), { entries: [{ name: 'a.txt' }] }, 'a thread')
  const { stream_id: streamId } = await service.json('/api/chat/start', { session_id: id, message: 'hello' })
  const { frames, until } = await service.events(`/api/chat/stream?stream_id=${streamId}`)
  await until('stream_end')
  for (const path of ['/docs/json', '/docs/static/swagger-ui.css', '/login', '/sw.js', '/api/skills']) t.equal((await fetch(service.url + path)).status, 200, path)
  const page = await (await fetch(service.url, { headers: { accept: 'text/html' } })).text()
  const files = [...page.matchAll(/(?:src|href)="(\/[^"]+\.(?:js|css))"/g)].map(([, path]) => path!)
  t.ok(files.length > 0)
  for (const path of files) t.equal((await fetch(service.url + path)).status, 200, path)
  return frames.filter(({ event }) => event === 'token').map(({ data }) => String((data as { text: string }).text)).join('')
}

t.test('what runs keeps the files that it was started with, whatever is built beside it; builds that nobody runs go', async (t) => {
  const first = build()
  t.equal(build(), first, 'what has not changed is not built beside itself')
  t.same(builds(), [first])
  const one = await start('one')

  change('MARK-TWO')
  const second = build()
  t.not(second, first)
  const two = await start('two')
  t.match(await loadsAll(t, two, 'two'), 'MARK-TWO')
  change('MARK-THREE')
  const third = build()
  change('MARK-FOUR')
  const fourth = build()
  t.same(builds(), [first, second, third, fourth].sort(), 'two that run, the one before and the newest')
  const said = await loadsAll(t, one, 'one')
  t.notMatch(said, 'MARK', 'it loads what it was started with')
  t.not(said, '')
  t.match(await loadsAll(t, two, 'two'), 'MARK-TWO')

  t.equal(await one.end('SIGTERM'), 0)
  t.equal(await two.end('SIGKILL'), 'SIGKILL')
  change('MARK-FIVE')
  const fifth = build()
  t.same(builds(), [fourth, fifth].sort(), 'the others are held by nobody any more')
  const last = await start('one')
  t.match(await loadsAll(t, last, 'one'), 'MARK-FIVE')
  t.equal(await last.end('SIGTERM'), 0)
})

t.test('a build that was damaged is made anew, and one that was cut off is none', async (t) => {
  const current = build()
  const damaged = readdirSync(join(dist, 'builds', current, 'chunks')).find((name) => name.startsWith('server-'))!
  truncateSync(join(dist, 'builds', current, 'chunks', damaged))
  mkdirSync(join(dist, 'builds', '.1', 'chunks'), { recursive: true })
  utimesSync(join(dist, 'builds', '.1'), 1, 1)
  t.not(build(), current)
  t.notOk(existsSync(join(dist, 'builds', '.1')))
  const service = await start('one')
  t.equal((await fetch(`${service.url}/health`)).status, 200)
  t.equal(await service.end('SIGTERM'), 0)
})

t.test('what has not changed is not built again, and what was not finished is', async (t) => {
  const service = ['Building the service …']
  t.same(buildAll(), service, 'the app and the site came with the copy')
  t.same(buildAll(), [])

  change('MARK-SIX')
  t.same(buildAll(), service)
  t.same(buildAll(), [])

  writeFileSync(join(folder, 'docs/faq.md'), `${readFileSync(join(folder, 'docs/faq.md'), 'utf8')}\nOne more sentence.\n`)
  t.same(buildAll(), ['Building the site …', ...service], 'the service holds the site')

  change('MARK-SEVEN')
  const cut = spawn(process.execPath, ['scripts/build.js'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  await eventually('the build has begun', () => readFileSync(join(dist, '.stamp'), 'utf8') === '')
  process.kill(-cut.pid!, 'SIGKILL')
  await once(cut, 'close')
  change('MARK-SIX')
  t.same(buildAll(), service, 'a build was begun over the one of these sources')

  rmSync(join(dist, 'cli/main.js'))
  t.same(buildAll(), service)
  rmSync(dist, { recursive: true })
  t.same(buildAll(), service)
  rmSync(join(folder, 'web/built/THIRD-PARTY-NOTICES.txt'))
  t.same(buildAll(), service)
  t.ok(existsSync(join(folder, 'web/built/THIRD-PARTY-NOTICES.txt')))
  t.same(buildAll(), [])
})
