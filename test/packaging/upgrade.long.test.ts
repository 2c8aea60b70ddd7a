import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import t, { type Test } from '#test'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { serving } from '../support/listening.js'
import { withoutRegistry } from '../support/registry.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const { name, version: first } = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string, version: string }
const [second, broken] = ['9.0.0', '9.0.1']
const kind = `${process.platform}-${process.arch}`
const missing = withoutRegistry()
const releases = temporaryFolder(t, 'releases')

/** Makes a release of this build under another version, in a copy of the project; `change` gets the build before. Returns its folder. */
function release (version: string, change: (build: string) => void = () => {}): string {
  const project = join(releases, `project-${version}`)
  const build = join('dist', /builds\/[\w-]+/.exec(readFileSync('dist/server.js', 'utf8'))?.[0] ?? '')
  mkdirSync(join(project, dirname(build)), { recursive: true })
  for (const path of ['scripts', 'node_modules', 'packaging', 'LICENSE']) symlinkSync(resolve(path), join(project, path))
  cpSync(build, join(project, build), { recursive: true })
  cpSync('dist/server.js', join(project, 'dist/server.js'))
  for (const path of ['package.json', 'package-lock.json', join(build, 'package.json')]) {
    writeFileSync(join(project, path), readFileSync(path, 'utf8').replace(`"version": "${first}"`, `"version": "${version}"`))
  }
  change(join(project, build))
  const out = join(releases, version)
  execFileSync(process.execPath, [
    '--preserve-symlinks-main', '--preserve-symlinks', 'scripts/release.js', '--package', '--archive', '--repository', 'https://example.com/o/r', out
  ], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] })
  return out
}

/** Gives a build one migration more. */
function migrates (build: string): void {
  const journal = JSON.parse(readFileSync(join(build, 'drizzle/meta/_journal.json'), 'utf8')) as { entries: Array<{ when: number }> }
  const { length } = journal.entries
  journal.entries.push(Object.assign({}, journal.entries.at(-1), { idx: length, when: (journal.entries.at(-1)?.when ?? 0) + 1, tag: '9999_later' }))
  writeFileSync(join(build, 'drizzle/meta/_journal.json'), JSON.stringify(journal))
  writeFileSync(join(build, 'drizzle/9999_later.sql'), 'create table later (id integer);')
}

const configured = (key: string): string => execFileSync('npm', ['config', 'get', key], { encoding: 'utf8' }).trim()

/** A registry that has the released versions of the package; for every other package it names npm's. */
async function registry (t: Test) {
  const upstream = configured('registry').replace(/\/?$/, '/')
  const versions: Record<string, object> = {}
  const files = new Map<string, Buffer>()
  let latest = ''
  const origin = await serving(t, ({ url = '/' }, response) => {
    const file = files.get(url)
    if (file !== undefined) response.end(file)
    else if (url === `/${name}`) response.setHeader('content-type', 'application/json').end(JSON.stringify({ name, 'dist-tags': { latest }, versions }))
    else if (url.startsWith(`/${name}-`)) response.writeHead(404).end()
    else response.writeHead(302, { location: new URL(url.slice(1), upstream).href }).end()
  })
  const address = `${origin}/`
  return {
    address,
    /** `of`: the release whose files it has. */
    publish (version: string, { of = version, ...more }: { of?: string, dependencies?: Record<string, string> } = {}) {
      const file = readFileSync(join(releases, of, `${name}-${of}.tgz`))
      const manifest = { ...JSON.parse(readFileSync(join(releases, of, 'package/package.json'), 'utf8')), version }
      const tarball = `${name}/-/${name}-${version}.tgz`
      files.set(`/${tarball}`, file)
      versions[version] = {
        ...manifest, ...more, _hasShrinkwrap: Object.keys(more).length === 0,
        dist: { tarball: `${address}${tarball}`, integrity: `sha512-${createHash('sha512').update(file).digest('base64')}` }
      }
      latest = version
    }
  }
}

/** A person's machine: a home folder, a service, and a shell in which the program is found. */
function machine (t: Test, environment: Record<string, string>) {
  const home = temporaryFolder(t, 'machine')
  const env = { HOME: home, SVC_HOME: join(home, 'home'), SVC_WEBUI_PORT: '0', ...environment }
  // The registry answers meanwhile.
  const type = async (line: string): Promise<{ code: number, stdout: string, stderr: string }> => await new Promise((resolve) => {
    execFile('bash', ['-c', line], { env, cwd: home }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
  return {
    home,
    type,
    value: async (line: string) => JSON.parse((await type(`${line} --json`)).stdout),
    start: async () => await spawnServer(t, home, environment, ['bash', '-c', `exec ${name}`])
  }
}
type Machine = ReturnType<typeof machine>

const pendingIn = async (service: ServerProcess, session: string) =>
  (await service.json(`/api/approval/pending?session_id=${session}`)).pending
const messagesOf = async (service: ServerProcess, session: string) =>
  (await service.json(`/api/session?session_id=${session}`)).session.messages.map(({ role, content }: { role: string, content: string }) => `${role}: ${content}`)

/** Does with a service what its person would miss: a conversation, a turn that waits for permission, a message behind it, a job, a token. */
async function furnish (service: ServerProcess, { value }: Machine) {
  const session = async (): Promise<string> => (await service.json('/api/session/new', {})).session.session_id
  const [over, waiting] = [await session(), await session()]
  const { stream_id: stream } = await service.json('/api/chat/start', { session_id: over, message: 'list' })
  await eventually('the end of the turn', async () => (await service.json(`/api/chat/stream/status?stream_id=${stream}`)).active === false)
  await service.json('/api/chat/start', { session_id: waiting, message: 'run mkdir -p old && rm -r old' })
  const { approval_id: approval } = await eventually('an approval', async () => await pendingIn(service, waiting))
  await service.json('/api/chat/start', { session_id: waiting, message: 'list', if_busy: 'queue' })
  const { job } = await service.json('/api/crons/create', { prompt: 'list', schedule: 'every weekday at 9:00', name: 'Morning' })
  const { token } = await value(`${name} token create --name script --scope read`)
  return { over, waiting, approval, job: job.id, token, messages: await messagesOf(service, over) }
}
type Kept = Awaited<ReturnType<typeof furnish>>

async function hasAll (t: Test, service: ServerProcess, kept: Kept): Promise<void> {
  t.same(await messagesOf(service, kept.over), kept.messages)
  t.match(await pendingIn(service, kept.waiting), { approval_id: kept.approval })
  t.match(await service.json(`/api/session/queue?session_id=${kept.waiting}`), { queue: [{ message: 'list' }] })
  t.match(await service.json('/api/crons'), { jobs: [{ id: kept.job, name: 'Morning' }] })
  t.match(await service.json('/api/auth/status', undefined, { authorization: `Bearer ${kept.token as string}` }), { token_scope: 'read' })
}

/** Answers the approval that waits since before the upgrade: its turn ends, and the message behind it begins. */
async function answers (t: Test, service: ServerProcess, { waiting, approval }: Kept): Promise<void> {
  t.match(await service.respond(waiting, 'once', approval), { ok: true })
  await eventually('the end of the turn behind it', async () =>
    (await service.json(`/api/session/queue?session_id=${waiting}`)).queue.length === 0 &&
    (await service.json(`/api/session/status?session_id=${waiting}`)).active_stream_id === null)
  t.same((await messagesOf(service, waiting)).filter((line: string) => line.startsWith('user: ')), ['user: run mkdir -p old && rm -r old', 'user: list'])
}

t.before(() => {
  if (missing !== false) return
  release(first)
  release(second, migrates)
})

t.test('from package to package, and back, by the lines that the program says', { skip: missing }, async (t) => {
  const prefix = temporaryFolder(t, 'prefix')
  const published = await registry(t)
  published.publish(first)
  const user = machine(t, {
    PATH: [join(prefix, 'bin'), dirname(process.execPath), process.env.PATH].join(':'), npm_config_prefix: prefix, npm_config_registry: published.address,
    // What npm must know to reach its registry from here, also where a network inspects TLS.
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => /^(?:NODE_EXTRA_CA_CERTS|(?:https?|no)_proxy)$/i.test(name))),
    ...Object.fromEntries(['cache', 'userconfig', 'globalconfig'].map((key) => [`npm_config_${key}`, configured(key)])), npm_config_update_notifier: 'false'
  })
  t.match(await user.type(`npm install --global ${name}`), { code: 0 })
  let service = await user.start()
  const kept = await furnish(service, user)
  t.match(await user.type(`${name} update`), { code: 0, stdout: 'This is the newest version.\n' })

  published.publish(second)
  const told = await user.type(`${name} update`)
  t.match(told, { code: 1, stderr: `Version ${second} is available. Stop the service, run this line in a terminal, and start it again: npm install --global ${name}@${second}` })
  const { path: backup } = await user.value(`${name} backup`)
  t.match(await user.type(`${name} stop`), { code: 0 })
  t.match(await user.type(told.stderr.split('again: ')[1] ?? ''), { code: 0 })
  t.equal((await user.type(`${name} --version`)).stdout, `${second}\n`)
  service = await user.start()
  t.match(await service.json('/api/system/health'), { version: second, installed_as: 'npm-global' }, service.output())
  await hasAll(t, service, kept)
  await answers(t, service, kept)

  published.publish(broken, { of: second, dependencies: { [`${name}-that-nobody-publishes`]: '1.0.0' } })
  t.match(await user.type(`npm install --global ${name}@latest`), { code: 1 }, 'a version that cannot be installed')
  t.equal((await user.type(`${name} --version`)).stdout, `${second}\n`, 'leaves the one before')
  t.match(await user.value(`${name} status`), { running: true, version: second })

  t.match(await user.type(`${name} stop`), { code: 0 })
  t.match(await user.type(`npm install --global ${name}@${first}`), { code: 0 })
  t.match(await user.type(name), { code: 1, stderr: /written by a newer program, 9\.0\.0/ }, 'an older version does not touch what a newer one has changed')
  t.match(await user.type(`${name} restore ${String(backup)}`), { code: 0 })
  service = await user.start()
  t.match(await service.json('/api/system/health'), { version: first }, service.output())
  await hasAll(t, service, kept)
  // A message may have been sent since the backup, so that a person decides whether it is sent again.
  t.match(await service.json(`/api/session/queue?session_id=${kept.waiting}`), { held: { reason: 'restored' } })
  await service.json('/api/session/queue', { session_id: kept.waiting, action: 'resume' })
  await answers(t, service, kept)
  t.equal(await service.end('SIGTERM'), 0)
})

const noNode = process.report.getReport() as { header: { glibcVersionRuntime?: string } }
t.test('from archive to archive, beside each other', { skip: noNode.header.glibcVersionRuntime === undefined ? 'npm has no Node for this machine' : missing }, async (t) => {
  const programs = temporaryFolder(t, 'programs')
  mkdirSync(join(programs, 'bin'))
  const unpack = (version: string): void => {
    execFileSync('tar', ['--extract', '--file', join(releases, version, `${name}-${version}-${kind}.tar.gz`), '--directory', programs])
  }
  const link = (version: string): void => {
    rmSync(join(programs, 'bin', name), { force: true })
    symlinkSync(join('..', `${name}-${version}-${kind}`, 'bin', name), join(programs, 'bin', name))
  }
  const user = machine(t, { PATH: `${join(programs, 'bin')}:/usr/bin:/bin` })
  unpack(first)
  link(first)
  let service = await user.start()
  const kept = await furnish(service, user)
  t.match(await user.type(`${name} update`), { code: 1, stderr: /Stop it, unpack the archive of the new version beside its folder, and start it from there/ })

  unpack(second)
  t.match(await user.type(`${name} stop`), { code: 0 })
  // A version that does not even start, as on a machine that lacks what it needs.
  const server = join(programs, `${name}-${second}-${kind}`, 'package/dist/server.js')
  const text = readFileSync(server)
  writeFileSync(server, 'process.exit(1)')
  link(second)
  t.match(await user.type(name), { code: 1 })
  link(first)
  service = await user.start()
  await hasAll(t, service, kept)
  t.equal(await service.end('SIGTERM'), 0)

  writeFileSync(server, text)
  link(second)
  service = await user.start()
  t.match(await service.json('/api/system/health'), { version: second, installed_as: 'archive' }, service.output())
  await hasAll(t, service, kept)
  await answers(t, service, kept)
  t.equal(await service.end('SIGTERM'), 0)
})
