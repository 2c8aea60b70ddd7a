import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import t, { type Test } from '#test'
import { temporaryFolder } from '../support/folder.js'

const script = resolve('scripts/version.js')
const news = '# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One `$&` thing.\n\n## [0.1.0] - 2026-01-01\n\n- Before.\n'

function project (t: Test, changelog = news) {
  const folder = temporaryFolder(t, 'version')
  mkdirSync(join(folder, 'docs'))
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
  writeFileSync(join(folder, 'package.json'), json({ name: 'x', version: '0.1.0' }))
  writeFileSync(join(folder, 'package-lock.json'), json({ name: 'x', version: '0.1.0', packages: { '': { version: '0.1.0' }, 'node_modules/y': { version: '0.1.0' } } }))
  writeFileSync(join(folder, 'docs/openapi.json'), json({ info: { version: '0.1.0' }, paths: { '/a': { get: { summary: 'A', example: 1, operationId: 'a' } } }, components: { schemas: {}, responses: {} } }))
  writeFileSync(join(folder, 'docs/openapi-released.json'), '{}')
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog)
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const run = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' })
  return { read, run }
}

t.test('a version is raised everywhere, and its news get a date', (t) => {
  const { read, run } = project(t)
  const before = read('CHANGELOG.md')
  t.match(run('minor', '--dry-run'), { status: 0, stdout: /Would raise 0\.1\.0 to 0\.2\.0/ })
  t.equal(read('CHANGELOG.md'), before, 'nothing is written')
  t.match(run('minor', '--date', '2026-02-03'), { status: 0, stdout: /Raised 0\.1\.0 to 0\.2\.0/ })
  t.match(JSON.parse(read('package.json')), { version: '0.2.0' })
  t.match(JSON.parse(read('package-lock.json')), { version: '0.2.0', packages: { '': { version: '0.2.0' }, 'node_modules/y': { version: '0.1.0' } } })
  t.match(JSON.parse(read('docs/openapi.json')), { info: { version: '0.2.0' } })
  t.same(JSON.parse(read('docs/openapi-released.json')), { info: { version: '0.2.0' }, paths: { '/a': { get: { operationId: 'a' } } }, components: { schemas: {}, responses: {} } },
    'the interface is what later versions must keep')
  t.equal(read('CHANGELOG.md'), news.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n'))
  t.equal(run('--notes', 'v0.2.0').stdout, '### Added\n\n- One `$&` thing.\n')
  t.match(run('patch'), { status: 1, stderr: /Nothing is unreleased/ })
})

t.test('the first version keeps its number; what makes no sense is said', (t) => {
  const { run } = project(t, '## [Unreleased]\n\n- All.\n')
  t.match(run('0.1.0', '--dry-run'), { status: 0 })
  const { run: again } = project(t)
  t.match(again('0.1.0'), { status: 1, stderr: /has a section of 0\.1\.0 already/ })
  for (const wanted of ['0.0.9', 'v1', '1.2', 'newest', '']) t.match(again(wanted), { status: 1, stderr: /\S/ }, wanted)
  t.match(again('patch', '--date', 'today'), { status: 1, stderr: /2026-01-31/ })
  t.match(again('--notes', '9.9.9'), { status: 1, stderr: /no section of 9\.9\.9/ })
})
