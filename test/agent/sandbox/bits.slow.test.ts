import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import t from '#test'
import { Boundary } from '../../../services/agent/sandbox/index.js'
import { realPath } from '../../../services/agent/tools/containment.js'
import { confinedRun } from '../../support/confined.js'
import { needsSandbox, sandbox } from '../../support/needs-sandbox.js'

const signal = new AbortController().signal

t.test('what would run as the group of the service does not last, folders keep their bits', needsSandbox, async (t) => {
  const root = realPath(t.testdir({ state: {}, work: { own: 'text', hidden: {} } }))
  const work = join(root, 'work')
  const bits = (name: string): number => statSync(join(work, name)).mode & 0o7777
  chmodSync(join(work, 'own'), 0o2755)
  const boundary = new Boundary({ folder: join(root, 'state'), closed: [] })
  const run = confinedRun(sandbox, work)
  const command = async (text: string): Promise<string[]> => {
    const watch = await boundary.begin(work, signal)
    t.match(await run(text), { isError: false }, text)
    return (await watch.end()).lowered
  }
  const lowered = await command('mkdir d && chmod 2775 d && cp /bin/true d/one && chmod 2755 d/one && ln d/one two && install -m 2711 /bin/true "odd\nname" && touch plain')
  t.equal(lowered.length, 2, 'one of them has two names')
  t.ok(lowered.includes('odd\nname'))
  t.same([bits('d'), bits('d/one'), bits('two'), bits('odd\nname'), bits('own')], [0o2775, 0o755, 0o755, 0o711, 0o2755], 'what a person had stays')
  t.same(await command('cp /bin/true hidden/late && chmod 2755 hidden/late && chmod 0 hidden'), process.getuid?.() === 0 ? ['hidden/late'] : [])
  chmodSync(join(work, 'hidden'), 0o700)
  await command('chmod 755 hidden')
  t.equal(bits('hidden/late'), 0o755, 'what was out of sight is found when it comes into sight, however old it is')
  t.same(await command('echo other > own && chmod 2755 own'), ['own'], 'a program of before that says something else now')
  t.equal(bits('own'), 0o755)
  chmodSync(join(work, 'own'), 0o2755)
  t.same(await command('ln -s /usr/bin/passwd link; true'), [], 'links are not followed')
  t.equal(bits('own'), 0o2755)
  const watch = await boundary.begin(work, signal, false)
  t.same((await watch.end()).lowered, [])
})

t.test('of a command that was cut off the bits are taken away by whoever comes next', needsSandbox, async (t) => {
  const root = realPath(t.testdir({ state: {}, work: { own: '' } }))
  const work = join(root, 'work')
  chmodSync(join(work, 'own'), 0o2755)
  await new Boundary({ folder: join(root, 'state'), closed: [] }).begin(work, signal)
  const [record = ''] = readdirSync(join(root, 'state'))
  writeFileSync(join(root, 'state', record), JSON.stringify({ ...JSON.parse(spawnSync('cat', [join(root, 'state', record)], { encoding: 'utf8' }).stdout), owner: { pid: 1, startTicks: -1 } }))
  writeFileSync(join(work, 'made'), '')
  chmodSync(join(work, 'made'), 0o2755)
  await new Boundary({ folder: join(root, 'state'), closed: [] }).suspects(work)
  t.same(['made', 'own'].map((name) => statSync(join(work, name)).mode & 0o7777), [0o755, 0o2755])
})

t.test('what was out of sight counts as made by a command, however old it is, when one may have hidden it', async (t) => {
  const root = realPath(t.testdir({ state: {}, work: {} }))
  const [state, work] = [join(root, 'state'), join(root, 'work')]
  let count = 0
  const mode = (name: string): number => statSync(join(work, name, 'late')).mode & 0o7777
  const hidden = (): string => {
    const folder = join(root, `hidden${++count}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'late'), '')
    chmodSync(join(folder, 'late'), 0o2755)
    return folder
  }
  const shown = (folder: string, name: string): void => renameSync(folder, join(work, name))
  const boundary = new Boundary({ folder: state, closed: [] })

  const own = hidden()
  const alone = await boundary.begin(work, signal)
  shown(own, 'own')
  t.same((await alone.end()).lowered, [], 'it has not changed since, and no command was there to hide it')
  t.equal(mode('own'), 0o2755)

  writeFileSync(join(state, `${'1'.repeat(14)}-${'a'.repeat(12)}.json`), JSON.stringify({ kind: 'unsearched', workspace: work }))
  const older = hidden()
  const after = await boundary.begin(work, signal)
  shown(older, 'older')
  t.same((await after.end()).lowered, ['older/late'], 'one of before could not be searched')
  t.same([mode('older'), mode('own')], [0o755, 0o2755])
  t.same(readdirSync(state), [], 'everything was in sight now')

  const first = await boundary.begin(work, signal)
  const beside = hidden()
  const second = await new Boundary({ folder: state, closed: [] }).begin(work, signal)
  shown(beside, 'beside')
  t.same((await second.end()).lowered, ['beside/late'], 'another that still runs may have hidden it')
  await first.end()
  t.equal(mode('own'), 0o2755)

  if (process.getuid?.() === 0) return
  const hides = await boundary.begin(work, signal)
  chmodSync(join(work, 'beside'), 0o600)
  await hides.end()
  t.match(readFileSync(join(state, readdirSync(state)[0]!), 'utf8'), /unsearched/)
  chmodSync(join(work, 'beside'), 0o700)
})

t.test('programs outside are not reached by their sockets in the workspace', needsSandbox, async (t) => {
  const root = mkdtempSync('/var/tmp/sockets-') // a socket's path must be short
  t.teardown(() => rmSync(root, { recursive: true }))
  const work = join(root, 'work')
  mkdirSync(join(work, 'sub'), { recursive: true })
  let reached = 0
  const server = createServer((socket) => { socket.once('data', () => { reached++ }) })
  await new Promise<void>((resolve) => server.listen(join(work, 'sub', 'live'), resolve))
  t.teardown(() => server.close())
  spawnSync(process.execPath, ['-e', `require('net').createServer().listen(${JSON.stringify(join(work, 'dead'))}, () => process.kill(process.pid, 'SIGKILL'))`])
  const boundary = new Boundary({ folder: join(root, 'state'), closed: [] })
  const watch = await boundary.begin(work, signal)
  t.same(watch.sockets, [join(work, 'sub', 'live')])
  const run = confinedRun(sandbox, work)
  const talk = (path: string): string => `env -u NODE_OPTIONS node -e 'require("net").connect("${path}").end("x").on("error", (error) => { console.log(error.code); process.exit(1) })'`
  t.match(await run(talk('sub/live'), { hidden: [...watch.sockets] }), { text: /ECONNREFUSED|ENOTSOCK/, isError: true })
  t.match(await run('mv sub other; mv sub/live sub/x; rm sub/live; ls sub; rm dead', { hidden: [...watch.sockets] }), { text: /live/, isError: false }, 'what nobody answers to can be replaced')
  t.match(await run('env -u NODE_OPTIONS node -e \'const s = require("net").createServer((c) => c.end("own")).listen("own", () => require("net").connect("own").on("data", (d) => { console.log(String(d)); s.close() }))\'', { hidden: [...watch.sockets] }), { text: /^own/ }, 'a command has its own')
  await watch.end()
  t.equal(reached, 0)
})
