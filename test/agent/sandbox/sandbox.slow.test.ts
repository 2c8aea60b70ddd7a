import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import t from '#test'
import { confine, findSandbox, type SandboxStatus } from '../../../services/agent/sandbox/index.js'
import { unreadableToOthers } from '../../../services/agent/sandbox/private-files.js'
import { realPath } from '../../../services/agent/tools/containment.js'
import { createTools, type Tool, type ToolContext, type ToolResult } from '../../../services/agent/tools/index.js'
import { until } from '../../support/chat.js'
import { needsSandbox, sandbox } from '../../support/needs-sandbox.js'
import { toolContext } from '../../support/tool-context.js'

type Test = Pick<typeof t, 'testdir'>
type Files = Parameters<Test['testdir']>[0]

const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH ?? ''}`
/** The test runner gives every child Node options, which name files outside the sandbox. */
const node = 'env -u NODE_OPTIONS node'
const note = /\[ran in the sandbox: no network, writes only in the workspace/

interface Bench {
  root: string
  run (command: string, changes?: Partial<ToolContext>, args?: Record<string, unknown>): Promise<ToolResult>
  path (name: string): string
}

const terminal = (status: SandboxStatus) => createTools({ sandbox: status })[0]!

/** Creates folders on a real disk: `workspace` by default; `home` is the user's. */
function bench (t: Test, files: Files, tools?: Tool[]): Bench {
  return benchAt(realPath(t.testdir({ home: {}, workspace: {}, ...files as Record<string, never> })), tools)
}

function benchAt (root: string, tools = createTools({ sandbox })): Bench {
  const context = toolContext(join(root, 'workspace'), { childEnv: { PATH, HOME: join(root, 'home'), LANG: 'C.UTF-8' } })
  return {
    root,
    path: (name) => join(root, name),
    run: (command, changes = {}, args = {}) => tools[0]!.run({ command, ...args }, { ...context, ...changes })
  }
}

/** Returns how many processes of this machine have the text in their command line. */
function processesWith (text: string): number {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(text)
    } catch {
      return false
    }
  }).length
}

let marks = 0
const freshMark = (): string => `mark-${process.pid}-${++marks}`
/** Returns shell code that becomes a process with the mark and stays. */
const staying = (mark: string): string => `exec -a ${mark} sleep 300`

/** In a checkout below /tmp, the private /tmp contains the folders on the way to the workspace. */
const belowTmp = process.cwd().startsWith('/tmp/')

t.test('a command works as outside', needsSandbox, async (t) => {
  const { run, path } = bench(t, { workspace: { sub: {} } })
  t.same(await run('echo one; echo two >&2; echo three; pwd', {}, { cwd: 'sub' }), { text: `one\ntwo\nthree\n${path('workspace/sub')}\n[exit code 0]`, isError: false })
  t.same(await run('exit 3'), { text: '(no output)\n[exit code 3]', isError: true })
  t.match(await run('no-such-program-anywhere'), { text: /not found[^]*\[exit code 127\]/, isError: true })
  t.match(await run('kill -KILL $$'), { text: /\[exit code 137\]/, isError: true })
  t.equal((await run('seq 1000')).text, `${Array.from({ length: 1000 }, (_, index) => index + 1).join('\n')}\n[exit code 0]`)
  t.match(await run(`cat; ${node} -p "6 * 7"; cat <(echo through a pipe)`), { text: '42\nthrough a pipe\n[exit code 0]' })
  await t.rejects(run('pwd', {}, { cwd: 'missing' }), /could not be started/)
})

t.test('writes stay in the workspace', needsSandbox, async (t) => {
  const { run, path } = bench(t, { outside: { 'kept.txt': 'kept' } })
  symlinkSync(path('outside'), path('workspace/folder-link'))
  symlinkSync('../outside/kept.txt', path('workspace/file-link'))

  t.match(await run('mkdir -p a/b && echo text > a/b/c && ln -s c a/b/d && mv a/b/c a/e'), { isError: false })
  t.equal(readFileSync(path('workspace/a/e'), 'utf8'), 'text\n')
  t.equal(statSync(path('workspace/a/e')).uid, process.getuid?.())
  t.equal(statSync(path('workspace/a/e')).gid, process.getgid?.())

  for (const place of ['/', '/etc/', '/usr/', '/usr/local/bin/', '/run/', '/var/', '/sys/']) {
    t.match(await run(`echo x > ${place}intruder`), { text: note, isError: true }, place)
    t.notOk(existsSync(`${place}intruder`))
  }
  for (const place of ['folder-link/new', 'file-link', '../outside/new', ...belowTmp ? [] : ['../new'], path('outside/new')]) t.match(await run(`echo x > ${place}`), { isError: true }, place)
  t.same(readdirSync(path('outside')), ['kept.txt'])
  t.equal(readFileSync(path('outside/kept.txt'), 'utf8'), 'kept')
  t.match(await run('v=$(cat /proc/sys/vm/swappiness); echo $v > /proc/sys/vm/swappiness'), { isError: true })
})

t.test('what is private stays unread', needsSandbox, async (t) => {
  const { run, path } = bench(t, { home: { '.ssh': { id_rsa: 'key' }, 'notes.txt': 'private' }, outside: { 'x.txt': 'elsewhere' } })
  const places = ['/etc/shadow', path('home/.ssh/id_rsa'), path('home/notes.txt'), path('outside/x.txt'), ...await unreadableToOthers('/etc')]
  for (const place of places) t.match(await run(`ls -A ${place}/ 2>/dev/null | grep . || cat ${place}`), { isError: true }, place)
  t.same(await run(`ls -A ~; ${belowTmp ? '' : 'ls -A /tmp; '}ls -A /var/tmp; ls -A /run`), { text: '(no output)\n[exit code 0]', isError: false })
  for (const place of ['/boot', '/var/log', '/var/spool', '/proc/sysrq-trigger/']) t.match(await run(`ls ${place}`), { isError: true }, place)
})

t.test('home and temporary folder are private and new each time', needsSandbox, async (t) => {
  const { run, path } = bench(t, {})
  t.match(await run('echo x > ~/x && echo y > /tmp/y && echo z > /var/tmp/z && mktemp && ls ~'), { text: /^\/tmp\/tmp\.\w+\nx\n/ }, 'writable')
  t.match(await run('cat ~/x /tmp/y'), { isError: true })
  t.same(readdirSync(path('home')), [])
  t.match(await run('echo $HOME; touch ~/x', { childEnv: { PATH, HOME: '/' } }), { text: /\n\[exit code 0\]$/ })
  t.match(await run('touch ~/x', { childEnv: { PATH } }), { isError: false })
  t.match(await run('touch $TMPDIR/x', { childEnv: { PATH, TMPDIR: path('home') } }), { isError: false })
})

t.test('toolchains of the home folder are there, to be read', needsSandbox, async (t) => {
  const { run, path } = bench(t, { home: { '.local': { bin: { tool: '#!/bin/sh\necho works\n' }, share: { keyrings: { login: 'secret' } } }, '.cargo': { 'credentials.toml': 'secret', bin: {} }, own: { bin: { other: '#!/bin/sh\necho too\n' }, secret: 'secret' } } })
  chmodSync(path('home/.local/bin/tool'), 0o755)
  chmodSync(path('home/own/bin/other'), 0o755)
  const childEnv = { HOME: path('home'), PATH: `${path('home/.local/bin')}:${path('home/own/bin')}:${path('home')}:${PATH}` }
  t.match(await run('tool; other', { childEnv }), { text: 'works\ntoo\n[exit code 0]' })
  t.match(await run('echo x > ~/.local/bin/tool', { childEnv }), { isError: true })
  t.match(await run('cd ~; find . -type f | sort', { childEnv }), { text: './.local/bin/tool\n./own/bin/other\n[exit code 0]' })
})

t.test('there is no network, this machine included', needsSandbox, async (t) => {
  const { run } = bench(t, {})
  const folder = mkdtempSync('/var/tmp/sandbox-test-') // a socket's path must be short
  t.teardown(() => rmSync(folder, { recursive: true }))
  let reached = 0
  const listen = async (where: string | { host: string, port: number }) => {
    const server = createServer((socket) => { reached++; socket.end() })
    await new Promise<void>((resolve) => server.listen(typeof where === 'string' ? { path: where } : where, resolve))
    t.teardown(() => server.close())
    return server
  }
  const { port } = (await listen({ host: '127.0.0.1', port: 0 })).address() as AddressInfo
  const command = `exec 3<>/dev/tcp/127.0.0.1/${port} && echo connected`
  t.match(await run(command), { text: note, isError: true })
  await listen(join(folder, 'socket'))
  await listen(`\0${folder}`)
  for (const path of [join(folder, 'socket'), `\\0${folder}`]) t.match(await run(`${node} -e 'require("net").connect("${path}")'`), { text: /ENOENT|ECONNREFUSED/, isError: true })
  t.equal(reached, 0)
  t.match(await run(command, { confined: false }), { text: 'connected\n[exit code 0]' }, 'it leaves the sandbox when that is permitted')
  t.match(await run(`echo x > ${join(folder, 'new')}`, { confined: false }), { isError: false })
})

t.test('nothing of other processes and of the service\'s environment is seen', needsSandbox, async (t) => {
  process.env.SVC_TEST_SECRET = 'hush-hush'
  t.teardown(() => { delete process.env.SVC_TEST_SECRET })
  const { run } = bench(t, {})
  const { text } = await run('env; cat /proc/*/environ | tr "\\0" "\\n"; grep -h Cap /proc/self/status')
  t.notMatch(text, 'hush-hush')
  t.notMatch(text, /SVC_/)
  for (const set of ['CapPrm', 'CapEff', 'CapBnd', 'CapAmb']) t.match(text, `${set}:\t0000000000000000`)
  t.match(await run('ls -d /proc/[0-9]* | wc -l'), { text: /^\d\n/ })
  t.match(await run('kill -KILL 1; kill -KILL $PPID; echo still here'), { text: /still here/ })
})

t.test('folders of the service are hidden, wherever they lie', needsSandbox, async (t) => {
  t.test('in the workspace, and cannot be moved out of the way', async (t) => {
    const { run, path } = bench(t, { workspace: { deep: { er: { state: { db: 'secret' } }, file: '' }, 'keys.env': 'secret', 'own.txt': 'own' } })
    symlinkSync('deep/er/state', path('workspace/shortcut'))
    const hidden = ['shortcut', 'keys.env', 'missing', 'deep/missing/too'].map((name) => path(`workspace/${name}`))
    t.match(await run('cat own.txt deep/file; ls -A deep/er/state shortcut/', { hidden }), { text: 'owndeep/er/state:\n\nshortcut/:\n[exit code 0]' })
    for (const command of ['cat deep/er/state/db', 'cat shortcut/db', 'cat keys.env', 'echo x > deep/er/state/db', 'echo x > keys.env', 'rm -rf deep/er/state', 'rm keys.env',
      'mv deep elsewhere', 'mv deep/er elsewhere', 'mv deep/er/state elsewhere', 'mv keys.env elsewhere', 'umount deep/er/state']) t.match(await run(command, { hidden }), { isError: true }, command)
    t.equal(readFileSync(path('workspace/deep/er/state/db'), 'utf8'), 'secret')
    t.equal(readFileSync(path('workspace/keys.env'), 'utf8'), 'secret')
    // mv copies what it cannot rename: only files that are visible anyway.
    const copied = existsSync(path('workspace/elsewhere')) ? readdirSync(path('workspace/elsewhere'), { recursive: true }) : []
    t.notOk(copied.some((name) => String(name).endsWith('db')))
  })

  t.test('around the workspace', async (t) => {
    const { run, path } = bench(t, { profile: { 'config.yaml': 'secret', workspace: { inner: { 'x.txt': 'secret' }, 'own.txt': 'own' } } })
    const context = { workspace: path('profile/workspace'), hidden: [path('profile'), path('profile/workspace/inner')] }
    t.match(await run('cat own.txt; ls -A ..; ls -A inner; echo new > new.txt', context), { text: 'ownworkspace\n[exit code 0]' })
    t.match(await run('echo x > ../x', context), { isError: true })
    t.same(readdirSync(path('profile')).sort(), ['config.yaml', 'workspace'])
    t.equal(readFileSync(path('profile/workspace/new.txt'), 'utf8'), 'new\n')
  })
})

t.test('the program of the service cannot be changed, where it lies in the workspace', needsSandbox, async (t) => {
  const { path, run } = bench(t, { workspace: { project: { dist: { 'server.js': 'good', '.compiled': { 'a.bin': 'good' } }, src: { 'a.ts': 'x' } } } })
  const programs = [path('workspace/project/dist'), path('workspace/project/node_modules')]
  const { text } = await run('cd project; cat dist/server.js; echo bad > dist/server.js; echo bad > dist/.compiled/a.bin; echo bad > dist/new.js; rm -rf dist; mv dist old; cd ..; mv project other; echo more > project/src/a.ts', { programs })
  t.match(text, /^good/)
  t.match(text, /Read-only file system/)
  t.equal(readFileSync(path('workspace/project/dist/server.js'), 'utf8'), 'good')
  t.equal(readFileSync(path('workspace/project/dist/.compiled/a.bin'), 'utf8'), 'good')
  t.notOk(existsSync(path('workspace/project/dist/new.js')))
  t.equal(readFileSync(path('workspace/project/src/a.ts'), 'utf8'), 'more\n', 'the rest can be')
  await run('echo changed > dist/server.js', { workspace: path('workspace/project'), programs: [path('workspace/project')] })
  t.equal(readFileSync(path('workspace/project/dist/server.js'), 'utf8'), 'changed\n', 'a workspace that is the program as a whole is there to be worked in')
})

t.test('what the service goes by at its next start cannot be made or changed, where it lies in the workspace', needsSandbox, async (t) => {
  const { path, run } = bench(t, { workspace: { project: { 'package.json': 'good', sub: {} } } })
  const programs = ['package.json', '.npmrc'].map((name) => path(`workspace/project/${name}`))
  const hidden = [path('workspace/project/.env'), path('workspace/missing/.env')]
  const { text } = await run('cd project; for f in .env .npmrc package.json; do echo bad > $f; rm -f $f; mv sub $f; ln -sf sub $f; done; mv ../project ../old; mkdir ../missing; cat package.json; echo more > sub/x', { programs, hidden })
  t.match(text, /good/)
  for (const name of ['.env', '.npmrc', 'package.json']) t.equal(existsSync(path(`workspace/project/${name}`)) ? readFileSync(path(`workspace/project/${name}`), 'utf8') : '', name === 'package.json' ? 'good' : '', name)
  t.ok(existsSync(path('workspace/project/sub/x')), 'the rest can be')
  await run('echo changed > package.json', { workspace: path('workspace/project'), programs })
  t.equal(readFileSync(path('workspace/project/package.json'), 'utf8'), 'changed\n', 'whoever works on the program does so')
})

t.test('a workspace lies anywhere', needsSandbox, async (t) => {
  t.test('below the home folder', async (t) => {
    const { run, path } = bench(t, { home: { '.netrc': 'secret', project: { 'own.txt': 'own' } } })
    const context = { workspace: path('home/project') }
    t.match(await run('cat own.txt; ls -A ~; echo new > new.txt; echo lost > ~/lost', context), { text: 'ownproject\n[exit code 0]' })
    t.same(readdirSync(path('home')).sort(), ['.netrc', 'project'])
    t.equal(readFileSync(path('home/project/new.txt'), 'utf8'), 'new\n')
  })

  t.test('is the home folder', async (t) => {
    const { run, path } = bench(t, { home: { '.netrc': 'secret', '.bashrc': '', '.local': { bin: { tool: '' } }, bin: {}, project: { state: { db: 'secret' } }, 'notes.txt': 'notes' } })
    const context = { workspace: path('home'), hidden: [path('home/project/state')] }
    symlinkSync('project', path('home/link'))
    t.match(await run('ls -A; ls -A project/state; cat notes.txt; echo new > project/new.txt; cat link/new.txt; touch ~/private; [ ~ -ef . ]', context), { text: '.local\nbin\nlink\nnotes.txt\nproject\nnotesnew\n[exit code 1]' })
    for (const command of ['cat .netrc', 'echo x > .profile', 'echo x > .bashrc', 'echo x > new.txt', 'echo x > .local/bin/tool', 'mv project other', 'echo x > notes.txt']) t.match(await run(command, context), { isError: true }, command)
    t.equal(readFileSync(path('home/project/new.txt'), 'utf8'), 'new\n')
    t.same(readdirSync(path('home')).sort(), ['.bashrc', '.local', '.netrc', 'bin', 'link', 'notes.txt', 'project'])
  })

  t.test('holds the home folder', async (t) => {
    const { run, path, root } = bench(t, { home: { '.netrc': 'secret', project: {} }, data: {} })
    const context = { workspace: root }
    t.match(await run('echo new > data/new.txt; echo new > home/project/new.txt; ls -A home; touch ~/private', context), { text: 'project\n[exit code 0]' })
    t.match(await run('cat home/.netrc', context), { isError: true })
    t.match(await run('mv home other', context), { isError: true })
    t.ok(existsSync(path('data/new.txt')) && existsSync(path('home/project/new.txt')))
  })

  for (const place of ['/tmp', '/var/tmp']) {
    t.test(`below ${place}`, async (t) => {
      const root = realPath(mkdtempSync(join(place, 'sandbox-test-')))
      t.teardown(() => rmSync(root, { recursive: true }))
      for (const name of ['workspace', 'home']) mkdirSync(join(root, name))
      writeFileSync(join(root, 'x.txt'), 'outside')
      const { run } = benchAt(root)
      t.match(await run(`echo new > new.txt; ls -A .. ${place}; touch ${place}/x ~/x`), { isError: false })
      t.match(await run('cat ../x.txt'), { isError: true })
      t.same(readdirSync(join(root, 'workspace')), ['new.txt'])
      t.same(readdirSync(join(root, 'home')), [])
      t.notOk(existsSync(join(place, 'x')))
    })
  }

  t.test('but not in the system or in the service itself', async (t) => {
    const { run, path } = bench(t, {})
    for (const workspace of ['/', '/usr', '/usr/lib/x', '/etc', '/home', '/tmp', '/var', '/dev/shm', '/proc/self/cwd']) {
      await t.rejects(run('pwd', { workspace, approved: true }, { cwd: workspace }), /cannot be confined to this workspace[^]*unconfined: true/, workspace)
    }
    await t.rejects(run('pwd', { hidden: [path('workspace')] }), /cannot be confined/)
    await t.rejects(run('pwd', { approved: true }, { cwd: '../home' }), /outside the workspace, where the sandbox does not reach/)
  })
})

t.test('what git runs by itself cannot be changed', needsSandbox, async (t) => {
  const { run, path } = bench(t, { workspace: { '.git': { config: '[core]\n', HEAD: 'ref: refs/heads/main\n', objects: {}, refs: {}, hooks: { 'post-commit': 'echo hook\n' }, modules: { sub: { config: '' } } } } })
  for (const command of ['echo x > .git/hooks/post-commit', 'echo x > .git/hooks/pre-push', 'echo x >> .git/config', 'mv .git/config .git/old', 'rm -rf .git/hooks', 'mv .git other', 'echo x > .git/modules/sub/config']) {
    t.match(await run(command), { isError: true }, command)
  }
  t.match(await run('cat .git/hooks/post-commit; echo x > .git/objects/x; echo x > .git/index.lock; mv .git/index.lock .git/index'), { text: 'echo hook\n[exit code 0]' })
  t.same(readdirSync(path('workspace/.git/hooks')), ['post-commit'])

  rmSync(path('workspace/.git/hooks'), { recursive: true })
  t.match(await run('mkdir -p .git/hooks; echo x > .git/hooks/post-commit'), { isError: true }, 'not even where there were none')
})

t.test('everything ends with the command', needsSandbox, async (t) => {
  t.test('also what left its session', async (t) => {
    const { run } = bench(t, {})
    const mark = freshMark()
    const result = await run(`setsid bash -c '${staying(mark)}' > /dev/null 2>&1 & (${staying(mark)}) & until [ $(cat /proc/[0-9]*/cmdline | tr '\\0' '\\n' | grep -cx ${mark}) = 2 ]; do sleep 0.01; done; echo done`)
    t.match(result, { text: /^done\n/, isError: false })
    t.equal(processesWith(mark), 0)
  })

  t.test('by the time limit, also what ignores SIGTERM', async (t) => {
    const { run } = bench(t, {})
    const mark = freshMark()
    const startedMs = performance.now()
    t.match(await run(`trap '' TERM; setsid bash -c '${staying(mark)}' & while :; do sleep 0.05; done`, {}, { timeout_s: 1 }), { text: /time limit/, isError: true })
    t.ok(performance.now() - startedMs < 20_000)
    t.equal(processesWith(mark), 0)
  })

  t.test('by cancelling', async (t) => {
    const { run } = bench(t, {})
    const mark = freshMark()
    const controller = new AbortController()
    const running = run(`setsid bash -c '${staying(mark)}' & wait`, { signal: controller.signal })
    await until(() => processesWith(`\0${mark}`) > 0 || processesWith(mark) > 3)
    const abortedMs = performance.now()
    controller.abort()
    t.match(await running, { text: /cancelled/, isError: true })
    t.ok(performance.now() - abortedMs < 10_000)
    t.equal(processesWith(mark), 0)
  })

  t.test('whenever it is cancelled', async (t) => {
    const { run } = bench(t, {})
    const mark = freshMark()
    await Promise.all(Array.from({ length: 30 }, async (_, index) => {
      const controller = new AbortController()
      setTimeout(() => controller.abort(), index)
      t.match(await run(`setsid bash -c '${staying(mark)}' & wait`, { signal: controller.signal }), { isError: true })
    }))
    t.equal(processesWith(mark), 0)
  })

  t.test('by the end of the process that started it', async (t) => {
    const { path } = bench(t, {})
    const mark = freshMark()
    const workspace = path('workspace')
    const { file, args } = confine({ bwrap: sandbox.available ? sandbox.program : '', program: '/bin/bash', argv: ['-c', `setsid bash -c '${staying(mark)}' & echo started; wait`], workspace, cwd: workspace, hidden: [], env: { PATH } })
    const parent = spawn('/bin/sh', ['-c', '"$0" "$@" & wait', file, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
    await new Promise((resolve) => parent.stdout.once('data', resolve))
    t.ok(processesWith(mark) > 0)
    parent.kill('SIGKILL')
    await until(() => processesWith(mark) === 0)
  })
})

t.test('the model is told of the sandbox only where there is one', async (t) => {
  const without = terminal({ available: false, reason: 'none' })
  const within = terminal({ available: true, kind: 'bwrap', program: '/nowhere/bwrap', version: '1' })
  t.same(Object.keys(without.parameters.properties), ['command', 'timeout_s', 'cwd'])
  t.notMatch(without.description, /sandbox/)
  t.same(Object.keys(within.parameters.properties), ['command', 'timeout_s', 'cwd', 'unconfined', 'why'])
  t.match(within.description, /sandbox[^]*no network[^]*unconfined/)
  for (const [name, schema] of Object.entries(within.parameters.properties)) t.type(schema.description, 'string', name)
  t.same(within.targets({ command: 'ls', unconfined: true, why: 'x' }), { command: 'ls', unconfined: true, why: 'x' })
  t.same(within.targets({ command: 'ls' }), { command: 'ls' })
})

t.test('what is to be confined never runs without a sandbox', async (t) => {
  const nowhere = { available: true, kind: 'bwrap', program: '/nowhere/bwrap', version: '1' } as const
  for (const status of [undefined, { available: false, reason: 'none' } as const]) {
    await t.rejects(bench(t, {}, createTools({ sandbox: status })).run('touch x'), /was to run in the sandbox, but there is none[^]*not run/)
  }
  const { run, path } = bench(t, {}, createTools({ sandbox: nowhere }))
  t.match(await run('touch x'), { text: /not found/, isError: true })
  t.same(readdirSync(path('workspace')), [])
})

t.test('the search for bubblewrap', async (t) => {
  t.test('finds the real one', needsSandbox, async (t) => {
    t.match(await findSandbox(process.env), { available: true, kind: 'bwrap', program: /^\/.*bwrap$/, version: /^\d+\.\d+/ })
  })

  t.test('says what is missing', async (t) => {
    const folder = t.testdir({ folder: { bwrap: {} }, file: { bwrap: 'not executable' } })
    for (const PATH of ['', 'relative', '/nowhere', join(folder, 'folder'), join(folder, 'file')]) {
      t.same(await findSandbox({ PATH }), { available: false, reason: 'bubblewrap (bwrap) is not installed' }, PATH)
    }
    t.match(await findSandbox({}), { available: false })
  })

  const failing: Array<[script: string, reason: RegExp]> = [
    ['echo "bwrap: No permissions to create new namespace, likely because the kernel does not allow it. See <file:///usr/share/doc/x>." >&2; exit 1',
      /cannot make a sandbox here: No permissions to create new namespace, likely because the kernel does not allow it$/],
    ['echo "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2; exit 1', /here: Can't mount proc on … Operation not permitted$/],
    ['exit 1', /here: it ended without saying why$/],
    ['echo "pretends to work"', /here: pretends to work$/],
    ['sleep 300', /here: it did not answer within 2 seconds$/]
  ]
  for (const [script, reason] of failing) {
    t.test(script, async (t) => {
      const folder = t.testdir({ bwrap: `#!/bin/sh\n${script}\n` })
      chmodSync(join(folder, 'bwrap'), 0o755)
      const status = await findSandbox({ PATH: `${folder}:/usr/bin:/bin` }, 2_000)
      t.match(status, { available: false, reason })
      t.notMatch(status, { reason: folder })
    })
  }

  t.test('survives a program that is none', async (t) => {
    const folder = t.testdir({ bwrap: 'MZ\0\x01\x02' })
    chmodSync(join(folder, 'bwrap'), 0o755)
    t.match(await findSandbox({ PATH: folder }), { available: false, reason: /^bubblewrap is installed but [\x20-\x7e…]+$/ })
  })
})
