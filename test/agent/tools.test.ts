import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, statSync, symlinkSync, utimesSync, writeFileSync, chmodSync, readdirSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import t from '#test'
import { type TodoItem } from '../../services/agent/protocol.js'
import { realPath, resolveInside } from '../../services/agent/tools/containment.js'
import { createTools, type ToolContext, type ToolResult, type ToolsOptions } from '../../services/agent/tools/index.js'
import { isPublicAddress } from '../../services/ground/network/public-address.js'
import { toMarkdown } from '../../services/agent/tools/markdown.js'
import { HeadAndTail } from '../../services/agent/tools/terminal.js'
import { plainOutput } from '../../services/agent/tools/wording.js'
import { eventually, until } from '../support/chat.js'
import { freePort, listening } from '../support/listening.js'
import { toolContext } from '../support/tool-context.js'

type Test = Pick<typeof t, 'testdir'>
interface Bench {
  workspace: string
  outside: string
  context: ToolContext
  /** Returns the list that the tool has left. */
  todos (): TodoItem[]
  call (name: string, args: Record<string, unknown>, changes?: Partial<ToolContext>): Promise<ToolResult>
  path (name: string): string
}

/** Creates a workspace and a folder beside it on a real disk, and the tools. */
function bench (t: Test, files: Parameters<Test['testdir']>[0] = {}, options: ToolsOptions = {}): Bench {
  const root = realPath(t.testdir({ workspace: files, outside: { 'secret.txt': 'secret\n' } }))
  const workspace = join(root, 'workspace')
  let todos: TodoItem[] = []
  const context = toolContext(workspace, {
    childEnv: { PATH: process.env.PATH ?? '', HOME: root, LANG: 'C.UTF-8' }, confined: false, setTodos: (next) => { todos = next }
  })
  const tools = createTools(options)
  return {
    workspace,
    outside: join(root, 'outside'),
    context,
    todos: () => todos,
    path: (name) => join(workspace, name),
    call: async (name, args, changes) => {
      const tool = tools.find((tool) => tool.name === name)
      if (tool === undefined) throw new Error(`no tool ${name}`)
      return await tool.run(args, { ...context, ...changes })
    }
  }
}

/** Returns options for a test that needs a system program: skipped by name if it is missing, but never on CI. */
function needs (program: string): { skip?: string } {
  try {
    execFileSync('/bin/sh', ['-c', `command -v ${program}`])
    return {}
  } catch {
    return process.env.CI === 'true' ? {} : { skip: `${program} is not installed` }
  }
}

/** Whether a process runs; false for one that has ended and was not collected yet. */
function alive (pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}

const pidIn = (path: string): number => Number(readFileSync(path, 'utf8').trim())
const written = (path: string): boolean => existsSync(path) && readFileSync(path, 'utf8').endsWith('\n')

t.test('every tool describes itself', async (t) => {
  for (const tool of createTools()) {
    t.match(tool.name, /^[a-z_]+$/)
    t.ok(tool.description.length > 40)
    for (const [name, schema] of Object.entries(tool.parameters.properties)) t.type(schema.description, 'string', `${tool.name}.${name} has a description`)
  }
  const preview = (name: string, args: Record<string, unknown>) => createTools().find((tool) => tool.name === name)?.preview(args) ?? ''
  t.equal(preview('terminal', { command: `echo\n${'x'.repeat(500)}` }).length, 120)
  t.ok(preview('write_file', { path: 'p'.repeat(500), content: 'x' }).length <= 120)
  t.ok(preview('search_files', { pattern: 'p'.repeat(500), path: 'q'.repeat(500) }).length <= 120)
})

t.test('terminal', needs('bash'), async (t) => {
  t.test('returns output of both streams in order, and the exit code', async (t) => {
    const { call } = bench(t)
    const result = await call('terminal', { command: 'echo one; echo two >&2; echo three; [[ -n $BASH_VERSION ]] && echo bash' })
    t.same(result, { text: 'one\ntwo\nthree\nbash\n[exit code 0]', isError: false })
  })

  t.test('a failing command is an error with its code', async (t) => {
    const { call } = bench(t)
    t.same(await call('terminal', { command: 'echo no; exit 3' }), { text: 'no\n[exit code 3]', isError: true })
    t.match(await call('terminal', { command: 'kill -KILL $$' }), { text: /\[ended by signal SIGKILL\]/, isError: true })
    t.match(await call('terminal', { command: 'no-such-program-anywhere' }), { text: /not found[^]*\[exit code 127\]/, isError: true })
  })

  t.test('has no input, the given environment and the asked-for folder', async (t) => {
    const { call, path } = bench(t, { sub: {} })
    t.match(await call('terminal', { command: 'cat; pwd; echo "[$SECRET]"', cwd: 'sub' }), { text: `${path('sub')}\n[]\n[exit code 0]` })
    t.match(await call('terminal', { command: 'echo "$1" "$0"' }), { isError: false })
  })

  t.test('falls back to another shell', async (t) => {
    const { call } = bench(t, {}, { shell: '/bin/sh' })
    t.same(await call('terminal', { command: 'echo "it\'s $((1 + 1))"' }), { text: "it's 2\n[exit code 0]", isError: false })
  })

  t.test('keeps the start and the end of long output', async (t) => {
    const { call } = bench(t)
    const { text } = await call('terminal', { command: 'echo first; head -c 1000000 /dev/zero | tr "\\0" x; echo; echo last' })
    t.ok(Buffer.byteLength(text) < 70_000)
    t.match(text, /^first\n/)
    t.match(text, /\[… [\d,]+ bytes left out …\]/)
    t.match(text, /\nlast\n\[exit code 0\]$/)
  })

  t.test('shows plain text', async (t) => {
    const { call } = bench(t)
    t.match(await call('terminal', { command: "printf '\\033[31mred\\033[0m \\033]0;title\\007x\\n10%%\\r50%%\\r100%%\\nend\\a'" }), { text: 'red x\n100%\nend\n[exit code 0]' })
  })

  t.test('the time limit ends the whole group, also what ignores SIGTERM', async (t) => {
    const { call, path } = bench(t)
    const result = await call('terminal', { command: "(trap '' TERM; echo $BASHPID > pid; while :; do sleep 0.05; done) & wait", timeout_s: 1 })
    t.match(result, { text: /time limit/, isError: true })
    await eventually('the process is gone', () => !alive(pidIn(path('pid'))))
  })

  t.test('cancelling ends the whole group', async (t) => {
    const { call, path } = bench(t)
    const controller = new AbortController()
    const running = call('terminal', { command: 'sleep 300 & echo $! > a; (sleep 300 & echo $! > b; wait) | cat & echo $$ > c; wait' }, { signal: controller.signal })
    const pids = ['a', 'b', 'c'].map(path)
    await until(() => pids.every(written))
    t.ok(pids.map(pidIn).every(alive))
    controller.abort()
    t.match(await running, { text: /cancelled/, isError: true })
    await eventually('all are gone', () => !pids.map(pidIn).some(alive))
  })

  t.test('a turn that is already cancelled starts nothing', async (t) => {
    const { call, path } = bench(t)
    t.match(await call('terminal', { command: 'touch x' }, { signal: AbortSignal.abort() }), { isError: true })
    t.notOk(existsSync(path('x')))
  })

  t.test('a process left in the background neither holds up the answer nor lives on', async (t) => {
    const { call, path } = bench(t)
    const result = await call('terminal', { command: 'sleep 300 & echo $! > pid; echo done' })
    t.match(result, { text: /^done\n\[processes left in the background were stopped\]\n\[exit code 0\]$/, isError: false })
    await eventually('the process is gone', () => !alive(pidIn(path('pid'))))
  })

  t.test('a process that has left the group neither holds up the answer nor lives on', needs('setsid'), async (t) => {
    const { call, path } = bench(t)
    const result = await call('terminal', { command: "setsid sh -c 'echo $$ > pid; exec sleep 300' & until [ -s pid ]; do sleep 0.01; done; echo done" })
    t.match(result, { text: /^done\n\[processes left in the background were stopped\]\n\[exit code 0\]$/, isError: false })
    await eventually('the process is gone', () => !alive(pidIn(path('pid'))))
  })

  t.test('cancelling ends what has left the group, also what ignores SIGTERM and starts others', needs('setsid'), async (t) => {
    const { call, path } = bench(t)
    const controller = new AbortController()
    const stubborn = "trap '' TERM; echo $$ > a; setsid sh -c 'echo $$ > b; exec sleep 300' & while :; do sleep 0.05; done"
    writeFileSync(path('stubborn'), stubborn)
    const running = call('terminal', { command: 'setsid sh stubborn > /dev/null 2>&1 & sleep 300' }, { signal: controller.signal })
    const pids = ['a', 'b'].map(path)
    await until(() => pids.every(written))
    controller.abort()
    t.match(await running, { text: /cancelled/, isError: true })
    await eventually('all are gone', () => !pids.map(pidIn).some(alive))
  })

  t.test('starts only inside the workspace, unless approved', async (t) => {
    const { call, outside } = bench(t)
    await t.rejects(call('terminal', { command: 'pwd', cwd: '../outside' }), /outside the workspace/)
    t.match(await call('terminal', { command: 'pwd', cwd: '../outside' }, { approved: true }), { text: new RegExp(`^${outside}\n`) })
    await t.rejects(call('terminal', { command: 'pwd', cwd: 'missing' }), /could not be started/)
    await t.rejects(call('terminal', { command: 'echo \0' }), /NUL/)
  })
})

t.test('output of any size is collected in bounded memory, without a torn character', async (t) => {
  const output = new HeadAndTail(10)
  for (const piece of ['äö', 'ü'.repeat(1000), 'end']) output.add(Buffer.from(piece))
  t.match(output.text(), /^äö\n\[… [\d,]+ bytes left out …\]\nü?end$/)
  t.notMatch(output.text(), '\uFFFD')
  const short = new HeadAndTail(10)
  short.add(Buffer.from('12345'))
  short.add(Buffer.from('67890'))
  t.equal(short.text(), '1234567890')
  t.equal(plainOutput('\u001b]unclosed'.repeat(3)), '')
})

t.test('read_file', async (t) => {
  t.test('numbers lines and continues where it stopped', async (t) => {
    const { call } = bench(t, { 'a.txt': '\uFEFFone\r\ntwo\nthree\n', empty: '' })
    t.equal((await call('read_file', { path: 'a.txt' })).text, '     1\tone\n     2\ttwo\n     3\tthree')
    t.equal((await call('read_file', { path: 'a.txt', limit: 1 })).text, '     1\tone\n[lines 1–1 of 3; continue with offset 2]')
    t.equal((await call('read_file', { path: './a.txt', offset: 3 })).text, '     3\tthree\n[lines 3–3 of 3; end of the file]')
    t.equal((await call('read_file', { path: 'empty' })).text, 'empty is empty.')
    await t.rejects(call('read_file', { path: 'a.txt', offset: 9 }), /has 3 lines; offset 9 is past its end/)
  })

  t.test('is capped in lines, bytes and line length', async (t) => {
    const { call } = bench(t, { lines: 'x\n'.repeat(5000), wide: `${'y'.repeat(1500)}\n`.repeat(500), long: 'z'.repeat(50_000) })
    t.match((await call('read_file', { path: 'lines' })).text, /\[lines 1–2000 of 5000; continue with offset 2001\]$/)
    const wide = (await call('read_file', { path: 'wide' })).text
    t.ok(wide.length < 210_000)
    t.match(wide, /continue with offset \d+\]$/)
    t.match((await call('read_file', { path: 'long' })).text, /line of 50,000 characters, cut/)
  })

  t.test('says what a thing is that cannot be read', needs('mkfifo'), async (t) => {
    const { call, path } = bench(t, { folder: {}, latin: Buffer.from([0x61, 0xe9, 0x0a]) })
    writeFileSync(path('binary'), Buffer.from([1, 2, 0, 3]))
    execFileSync('mkfifo', [path('fifo')])
    await t.rejects(call('read_file', { path: 'missing' }), /does not exist/)
    await t.rejects(call('read_file', { path: 'folder' }), /is a folder. Use list_files/)
    await t.rejects(call('read_file', { path: 'fifo' }), /a named pipe/)
    await t.rejects(call('read_file', { path: 'binary' }), /a binary file \(4 bytes\)/)
    await t.rejects(call('read_file', { path: '/dev/zero' }, { approved: true }), /a device/)
    t.match((await call('read_file', { path: 'latin' })).text, /not valid UTF-8/)
  })
})

t.test('no file tool leaves the workspace without approval', async (t) => {
  const { call, outside, path, workspace, context } = bench(t, { 'in.txt': 'in\n' })
  symlinkSync(join(outside, 'secret.txt'), path('file-link'))
  symlinkSync('../outside', path('folder-link'))
  symlinkSync('../outside/new.txt', path('dangling'))
  symlinkSync('in.txt', path('inner-link'))
  symlinkSync('loop', path('loop'))
  const ways = ['../outside/secret.txt', join(outside, 'secret.txt'), 'file-link', 'folder-link/secret.txt', 'x/../../outside/secret.txt', 'folder-link/../outside/secret.txt']
  for (const way of ways) {
    await t.rejects(call('read_file', { path: way }), /outside the workspace/, `read ${way}`)
    await t.rejects(call('write_file', { path: way, content: 'x' }), /outside the workspace/, `write ${way}`)
    await t.rejects(call('edit_file', { path: way, old_string: 'secret', new_string: 'x' }), /outside the workspace/, `edit ${way}`)
    await t.rejects(call('search_files', { path: way, pattern: 'secret' }), /outside the workspace/, `search ${way}`)
  }
  for (const way of ['..', '/', 'folder-link', outside]) await t.rejects(call('list_files', { path: way }), /outside the workspace/, `list ${way}`)
  await t.rejects(call('write_file', { path: 'dangling', content: 'x' }), /outside the workspace/)
  await t.rejects(call('write_file', { path: 'folder-link/new/deep.txt', content: 'x' }), /outside the workspace/)
  t.same(readdirSync(outside), ['secret.txt'])
  t.equal(readFileSync(join(outside, 'secret.txt'), 'utf8'), 'secret\n')

  for (const name of ['read_file', 'write_file', 'list_files']) {
    await t.rejects(call(name, { path: 'a\0b', content: '' }), /NUL/)
    await t.rejects(call(name, { path: '', content: '' }), /empty/)
    await t.rejects(call(name, { path: '~/x', content: '' }), /not expanded/)
  }
  await t.rejects(call('read_file', { path: 'loop' }), /loop/)
  t.throws(() => resolveInside(context, `${workspace}-2/x`), /outside/, 'a folder whose name starts like the workspace')

  t.match((await call('read_file', { path: 'inner-link' })).text, /in$/)
  t.match((await call('read_file', { path: join(workspace, 'in.txt') })).text, /in$/)
  t.match((await call('read_file', { path: 'file-link' }, { approved: true })).text, /secret/)
  await call('write_file', { path: 'dangling', content: 'approved' }, { approved: true })
  t.equal(readFileSync(join(outside, 'new.txt'), 'utf8'), 'approved')
})

t.test('a folder swapped for a link while files are written never leads out', async (t) => {
  const { call, outside, path } = bench(t, { folder: {} })
  const swaps = { going: true }
  const swapping = (async () => {
    while (swaps.going) {
      renameSync(path('folder'), path('aside'))
      symlinkSync('../outside', path('folder'))
      await new Promise((resolve) => setImmediate(resolve))
      renameSync(path('folder'), path('link'))
      renameSync(path('aside'), path('folder'))
      await new Promise((resolve) => setImmediate(resolve))
    }
  })()
  for (let round = 0; round < 200; round++) {
    await call('write_file', { path: 'folder/secret.txt', content: 'overwritten' }).catch(() => {})
    await call('read_file', { path: 'folder/secret.txt' }).then(({ text }) => { t.notMatch(text, /1\tsecret/) }, () => {})
  }
  swaps.going = false
  await swapping
  t.same(readdirSync(outside), ['secret.txt'])
  t.equal(readFileSync(join(outside, 'secret.txt'), 'utf8'), 'secret\n')
})

t.test('write_file', async (t) => {
  t.test('creates folders, replaces text, keeps the mode and leaves nothing else', async (t) => {
    const { call, path } = bench(t, { 'run.sh': '#!/bin/sh\n' })
    chmodSync(path('run.sh'), 0o755)
    t.equal((await call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' })).text, 'Created a/b/c.txt: 2 lines, 8 bytes.')
    t.match((await call('write_file', { path: 'run.sh', content: '#!/bin/bash\n' })).text, /^Replaced run\.sh: 1 line,/)
    t.equal(statSync(path('run.sh')).mode & 0o777, 0o755)
    t.equal(readFileSync(path('run.sh'), 'utf8'), '#!/bin/bash\n')
    t.same(readdirSync(path('.')).sort(), ['a', 'run.sh'])
    t.same(readdirSync(path('a/b')), ['c.txt'])
  })

  t.test('writes through a link that stays inside, and keeps the link', async (t) => {
    const { call, path } = bench(t, { 'target.txt': 'old' })
    symlinkSync('target.txt', path('link'))
    await call('write_file', { path: 'link', content: 'new' })
    t.equal(readFileSync(path('target.txt'), 'utf8'), 'new')
    t.equal(realPath(path('link')), path('target.txt'))
  })

  t.test('says why it cannot write', async (t) => {
    const { call, path } = bench(t, { folder: {}, file: 'x', locked: 'x' })
    chmodSync(path('locked'), 0o444)
    await t.rejects(call('write_file', { path: 'folder', content: '' }), /is a folder/)
    await t.rejects(call('write_file', { path: 'file/below', content: '' }), /is a file, not a folder|already exists|EEXIST/)
    await t.rejects(call('write_file', { path: 'locked', content: '' }), /read-only/)
    await t.rejects(call('write_file', { path: 'n'.repeat(300), content: '' }), /name is too long/)
    t.same(readdirSync(path('.')).sort(), ['file', 'folder', 'locked'])
  })
})

t.test('edit_file', async (t) => {
  t.test('replaces one exact text and shows the change', async (t) => {
    const { call, path } = bench(t, { 'a.txt': 'one\ntwo\nthree\n' })
    const { text } = await call('edit_file', { path: 'a.txt', old_string: 'two', new_string: 'zwei $& $1' })
    t.equal(readFileSync(path('a.txt'), 'utf8'), 'one\nzwei $& $1\nthree\n')
    t.equal(text, 'Changed a.txt: 1 added, 1 removed.\n@@ line 1 @@\n one\n-two\n+zwei $& $1\n three')
  })

  t.test('keeps line ends, byte order mark and mode', async (t) => {
    const { call, path } = bench(t, { 'dos.txt': '\uFEFFa\r\nb\r\nc\r\n' })
    chmodSync(path('dos.txt'), 0o600)
    await call('edit_file', { path: 'dos.txt', old_string: 'a\nb', new_string: 'x\ny' })
    t.equal(readFileSync(path('dos.txt'), 'utf8'), '\uFEFFx\r\ny\r\nc\r\n')
    t.equal(statSync(path('dos.txt')).mode & 0o777, 0o600)
  })

  t.test('says what to do when the text is missing, ambiguous or the same', async (t) => {
    const { call, path } = bench(t, { 'a.txt': 'x\nx\nx\n' })
    const edit = async (args: Record<string, unknown>) => await call('edit_file', { path: 'a.txt', ...args })
    await t.rejects(edit({ old_string: 'y', new_string: 'z' }), /not found.*Read the file again/)
    await t.rejects(edit({ old_string: 'x', new_string: 'z' }), /occurs 3 times.*context.*replace_all/)
    await t.rejects(edit({ old_string: '', new_string: 'z' }), /old_string is empty/)
    await t.rejects(edit({ old_string: 'x' }), /Pass old_string and new_string, or patch/)
    await t.rejects(edit({ old_string: 'x', new_string: 'x', replace_all: true }), /changes nothing/)
    await t.rejects(edit({ old_string: 'x', new_string: 'y', patch: '@@' }), /not both/)
    await t.rejects(call('edit_file', { path: 'missing', old_string: 'x', new_string: 'y' }), /does not exist/)
    t.equal(readFileSync(path('a.txt'), 'utf8'), 'x\nx\nx\n')
    await edit({ old_string: 'x', new_string: 'y', replace_all: true })
    t.equal(readFileSync(path('a.txt'), 'utf8'), 'y\ny\ny\n')
  })

  t.test('applies a unified diff of one file', async (t) => {
    const { call, path } = bench(t, { 'a.txt': 'one\ntwo\nthree\n' })
    const patch = async (patch: string) => await call('edit_file', { path: 'a.txt', patch })
    await t.rejects(patch('@@ -1,2 +1,2 @@\n eins\n-two\n+zwei\n'), /does not apply.*context lines/)
    await t.rejects(patch('@@ -1,9 +1,2 @@\n one\n-two\n+zwei\n'), /line counts/)
    await t.rejects(patch('hello'), /no hunks/)
    await t.rejects(patch('--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- c\n+++ d\n@@ -1 +1 @@\n-a\n+b\n'), /2 files/)
    await t.rejects(patch('--- a\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n'), /cannot delete/)
    t.match((await patch('--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+zwei\n three\n')).text, /1 added, 1 removed/)
    t.equal(readFileSync(path('a.txt'), 'utf8'), 'one\nzwei\nthree\n')
  })

  t.test('does not damage what is not text', async (t) => {
    const { call, path } = bench(t)
    writeFileSync(path('latin'), Buffer.from([0x61, 0xe9]))
    writeFileSync(path('big'), 'x'.repeat(5_000_000))
    await t.rejects(call('edit_file', { path: 'latin', old_string: 'a', new_string: 'b' }), /not valid UTF-8/)
    await t.rejects(call('edit_file', { path: 'big', old_string: 'x', new_string: 'b' }), /more than can be edited/)
  })

  t.test('a big change is summed up', async (t) => {
    const { call } = bench(t, { 'a.txt': 'x\n'.repeat(3000), 'b.txt': 'x\n'.repeat(200) })
    t.match((await call('edit_file', { path: 'a.txt', old_string: 'x', new_string: 'y', replace_all: true })).text, /too many changes/)
    t.match((await call('edit_file', { path: 'b.txt', old_string: 'x', new_string: 'y', replace_all: true })).text, /200 added, 200 removed[^]*more lines of the diff/)
  })
})

t.test('a file that changed between reading and writing is left alone', async (t) => {
  const { context, path } = bench(t, { 'a.txt': 'one\n' })
  const { readText, writeText } = await import('../../services/agent/tools/text-files.js')
  for (const change of [
    () => { writeFileSync(path('a.txt'), 'somebody else\n') },
    () => { utimesSync(path('a.txt'), 1, 1) },
    () => { writeFileSync(path('b.txt'), 'one\n'); renameSync(path('b.txt'), path('a.txt')) }
  ]) {
    const file = await readText(context, 'a.txt', 1000)
    change()
    const before = readFileSync(path('a.txt'), 'utf8')
    await t.rejects(writeText(context, file.real, 'a.txt', 'mine', { expected: file.seen }), /was changed by somebody else.*read it again/)
    t.equal(readFileSync(path('a.txt'), 'utf8'), before)
  }
  t.same(readdirSync(path('.')), ['a.txt'])
})

t.test('list_files', async (t) => {
  t.test('is sorted, marks folders and links, and does not follow links', async (t) => {
    const { call, path } = bench(t, { 'b.txt': '', a: { deep: { er: {} }, 'x.txt': '' }, '.git': { HEAD: '' }, node_modules: { pkg: {} }, c: {} })
    symlinkSync('..', path('up'))
    await t.rejects(call('list_files', { path: 'up' }), /outside the workspace/)
    t.equal((await call('list_files', {})).text, [
      './', '.git/ (content not listed)', 'a/', 'a/deep/', 'a/x.txt', 'b.txt', 'c/', 'node_modules/ (content not listed)', 'up@'
    ].join('\n'))
    t.equal((await call('list_files', { path: 'a', depth: 1 })).text, 'a/\ndeep/\nx.txt')
    t.equal((await call('list_files', { path: 'node_modules' })).text, 'node_modules/\npkg/')
    t.equal((await call('list_files', { path: 'c' })).text, 'c/ is empty.')
    await t.rejects(call('list_files', { path: 'b.txt' }), /not a folder. Use read_file/)
    await t.rejects(call('list_files', { path: 'missing' }), /does not exist/)
  })

  t.test('is capped and can be cancelled', async (t) => {
    const { call, path } = bench(t)
    mkdirSync(path('many'))
    for (let number = 0; number < 1100; number++) writeFileSync(path(`many/${number}`), '')
    const { text } = await call('list_files', {})
    t.equal(text.split('\n').length, 1002)
    t.match(text, /more than 1,000 entries/)
    await t.rejects(call('list_files', {}, { signal: AbortSignal.abort() }))
  })
})

for (const [kind, options] of [['ripgrep', {}], ['no ripgrep', { ripgrep: null }], ['a ripgrep that is missing', { ripgrep: 'no-such-ripgrep' }]] as const) {
  t.test(`search_files with ${kind}`, async (t) => {
    const { call, path, outside } = bench(t, {
      'a.ts': 'const needle = 1\nconst Needle = 2\n', sub: { 'b.txt': 'needle: here\n', 'c.ts': 'nothing' }, '.hidden': { 'd.ts': 'needle' }, many: { 'e.txt': 'hay\n'.repeat(500) }
    }, options)
    symlinkSync(outside, path('link'))
    symlinkSync(join(outside, 'secret.txt'), path('link.txt'))
    writeFileSync(path('binary'), Buffer.from('\0needle'))
    const search = async (args: Record<string, unknown>) => (await call('search_files', args)).text.replace(/\n\[ripgrep is not installed.*/, '')
    t.equal(await search({ pattern: 'needle' }), 'a.ts:1: const needle = 1\nsub/b.txt:1: needle: here')
    t.equal(await search({ pattern: 'needle', glob: '*.ts' }), 'a.ts:1: const needle = 1')
    t.equal(await search({ pattern: 'NEEDLE', ignore_case: true, path: 'a.ts' }), 'a.ts:1: const needle = 1\na.ts:2: const Needle = 2')
    t.equal(await search({ pattern: 'needle', path: '.hidden' }), '.hidden/d.ts:1: needle')
    t.match(await search({ pattern: 'secret' }), /^No matches/, 'a link out of the workspace is not followed')
    for (const glob of ['link*', '*.txt', '**/secret*']) t.match(await search({ pattern: 'secret', glob }), /^No matches/, `nor by ${glob}`)
    for (const link of ['link', 'link.txt', 'link/secret.txt']) await t.rejects(call('search_files', { pattern: 'secret', path: link }), /outside the workspace/, link)
    t.match(await search({ pattern: '-e' }), /^No matches/, 'a pattern is never an option')
    const capped = await search({ pattern: 'hay', max_results: 10 })
    t.equal(capped.split('\n').length, 11)
    t.match(capped, /more than 10 matches/)
    t.match(await call('search_files', { pattern: 'hay' }, { signal: AbortSignal.abort() }), { isError: true })
    await t.rejects(search({ pattern: 'x', path: 'missing' }), /does not exist/)
    t.match((await call('search_files', { pattern: 'secret', path: '../outside' }, { approved: true })).text, new RegExp(`^${outside}/secret.txt:1: secret`))
  })
}

t.test('search_files takes regular expressions and explains wrong ones', async (t) => {
  const { call, path } = bench(t, { 'a.ts': `a1b\n${'x'.repeat(5000)}a2b\n`, '.env': 'KEY=a1b\n', '.gitignore': '', deep: { '.secret': 'a1b' } })
  writeFileSync(path('rc'), '--invert-match\n')
  const childEnv = { PATH: process.env.PATH ?? '', RIPGREP_CONFIG_PATH: path('rc') }
  t.match((await call('search_files', { pattern: 'a\\db$' }, { childEnv })).text, /^a\.ts:1: a1b\na\.ts:2: x+ \[/)
  await t.rejects(call('search_files', { pattern: '(' }), /unclosed group[^]*escape its special characters/)
  for (const glob of ['**/.*', '.env', '**', '.*']) t.notMatch((await call('search_files', { pattern: 'KEY|a1b', glob })).text, /KEY|\.secret/, `hidden files stay hidden with ${glob}`)
  t.match((await call('search_files', { pattern: 'KEY', path: '.env' })).text, /^\.env:1: KEY/)
})

t.test('a page that is no page is read by its words, at once', async (t) => {
  const { signal } = new AbortController()
  t.match(await toMarkdown('<style '.repeat(200_000) + '<script>x</script> words', signal, 0), /words$/)
})

t.test('web_fetch', async (t) => {
  const pages: Record<string, RequestListener> = {
    '/page': (_request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.end('<html><head><title>A title</title><style>p{}</style></head><body><script>alert(1)</script><h1>Hello</h1><p>A <a href="/x">link</a></p><img src="data:x" alt="pic"></body></html>')
    },
    '/json': (_request, response) => { response.setHeader('content-type', 'application/json'); response.end('{"a":1}') },
    '/latin': (_request, response) => { response.setHeader('content-type', 'text/plain; charset=iso-8859-1'); response.end(Buffer.from([0xe9])) },
    '/image': (_request, response) => { response.setHeader('content-type', 'image/png'); response.end('x') },
    '/missing': (_request, response) => { response.statusCode = 404; response.setHeader('content-type', 'text/plain'); response.end('no such page') },
    '/once': (_request, response) => { response.writeHead(302, { location: '/json' }).end() },
    '/loop': (_request, response) => { response.writeHead(302, { location: '/loop' }).end() },
    '/file': (_request, response) => { response.writeHead(302, { location: 'file:///etc/passwd' }).end() },
    '/inward': (_request, response) => { response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end() },
    '/big': (_request, response) => { response.setHeader('content-type', 'text/plain'); response.end('x'.repeat(3 * 1024 * 1024)) },
    '/bomb': (_request, response) => { response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' }); response.end(gzipSync(Buffer.alloc(50 * 1024 * 1024, 'x'))) },
    '/deep': (_request, response) => { response.setHeader('content-type', 'text/html'); response.end(`${'<div>'.repeat(50_000)}words`) },
    '/hang': () => {}
  }
  const server = createServer((request, response) => pages[request.url ?? '']?.(request, response))
  const port = await listening(t, server)
  const local = { fetch: { allowAddress: (address: string) => address === '127.0.0.1' || address === '::1' } }
  const at = (path: string) => `http://127.0.0.1:${port}${path}`

  t.test('text comes as it is, HTML as Markdown', async (t) => {
    const { call } = bench(t, {}, local)
    const page = await call('web_fetch', { url: at('/page') })
    t.match(page.text, /answered 200.*not instructions\.\n\nTitle: A title\n\n# Hello\n\nA \[link\]\(\/x\)\n\npic$/)
    t.notMatch(page.text, /alert|p\{\}/)
    t.match((await call('web_fetch', { url: at('/json') })).text, /\{"a":1\}$/)
    t.match((await call('web_fetch', { url: at('/latin') })).text, /é$/)
    t.match((await call('web_fetch', { url: `http://localhost:${port}/json` })).text, /\{"a":1\}$/, 'names are looked up')
  })

  t.test('a page made to keep the converter busy comes as plain words', async (t) => {
    const { call } = bench(t, {}, { fetch: { ...local.fetch, convertMs: 100 } })
    t.match((await call('web_fetch', { url: at('/deep') })).text, /\n\s*words$/)
  })

  t.test('what cannot be used is named', async (t) => {
    const { call } = bench(t, {}, local)
    t.match(await call('web_fetch', { url: at('/missing') }), { text: /answered 404[^]*no such page/, isError: true })
    await t.rejects(call('web_fetch', { url: at('/image') }), /of type image\/png/)
    await t.rejects(call('web_fetch', { url: 'ftp://a.example/x' }), /Only http and https/)
    await t.rejects(call('web_fetch', { url: 'http://user:pw@a.example/' }), /user name or password/)
    await t.rejects(call('web_fetch', { url: 'nonsense' }), /not a valid address/)
    await t.rejects(call('web_fetch', { url: 'http://127.0.0.1:1/' }), /could not be fetched: bad port/)
    await t.rejects(call('web_fetch', { url: `http://127.0.0.1:${await freePort()}/` }), /could not be fetched \(ECONNREFUSED\)/)
  })

  t.test('redirects are followed by hand, a few', async (t) => {
    const { call } = bench(t, {}, local)
    t.match((await call('web_fetch', { url: at('/once') })).text, /\/json answered 200/)
    await t.rejects(call('web_fetch', { url: at('/loop') }), /redirects more than 5 times/)
    await t.rejects(call('web_fetch', { url: at('/file') }), /Only http and https[^]*the redirect from/)
    await t.rejects(call('web_fetch', { url: at('/inward') }), /redirects to another host: http:\/\/169\.254[^]*has not been allowed/, 'what was allowed is one host')
    const allowing = bench(t, {}, local)
    allowing.context.mayFetch = async (url) => url.startsWith('http://169.')
    await t.rejects(allowing.call('web_fetch', { url: at('/inward') }), /169\.254\.169\.254 is not on the public internet/)
  })

  t.test('size, time and cancel', async (t) => {
    const { call } = bench(t, {}, local)
    const big = await call('web_fetch', { url: at('/big'), max_chars: 1000 })
    t.ok(big.text.length < 1500)
    t.match(big.text, /more characters left out[^]*larger than 2 MB/)
    t.match((await call('web_fetch', { url: at('/bomb'), max_chars: 1000 })).text, /larger than 2 MB/)
    const impatient = bench(t, {}, { fetch: { ...local.fetch, timeoutMs: 50 } })
    await t.rejects(impatient.call('web_fetch', { url: at('/hang') }), /did not answer completely/)
    await t.rejects(bench(t, {}, local).call('web_fetch', { url: at('/hang') }, { pageLimitMs: 150 }), /within 0\.15 seconds/, 'as long as the profile gives it')
    const controller = new AbortController()
    const running = call('web_fetch', { url: at('/hang') }, { signal: controller.signal })
    controller.abort()
    await t.rejects(running, /cancelled/)
  })

  t.test('this machine cannot be reached, however it is written', async (t) => {
    const { call } = bench(t)
    const reached = new Set<string>()
    server.on('request', (request) => { reached.add(request.url ?? '') })
    for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0', '127.1']) {
      await t.rejects(call('web_fetch', { url: `http://${host}:${port}/json` }), /not on the public internet/, host)
    }
    t.equal(reached.size, 0)
  })
})

t.test('only globally routable unicast addresses are public', async (t) => {
  for (const address of ['8.8.8.8', '1.1.1.1', '2606:4700::1111', '::ffff:8.8.8.8', '2002:808:808::1', '64:ff9b::808:808']) t.equal(isPublicAddress(address), true, address)
  for (const address of ['127.0.0.1', '10.1.2.3', '172.16.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1', '240.0.0.1', '255.255.255.255', '192.0.2.1', '198.18.0.1',
    '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fec0::1', 'ff02::1', '2001:db8::1', '2001::1', '100::1', '4000::1', '::ffff:127.0.0.1', '::127.0.0.1', '::ffff:0:127.0.0.1',
    '2002:7f00:1::', '2002:a00:1::', '64:ff9b::7f00:1', '64:ff9b::a00:1', '64:ff9b:1::808:808', '5f00::1', 'localhost', '', '8.8.8.8/8']) t.equal(isPublicAddress(address), false, address)
})

t.test('todo replaces the list and numbers what has no id', async (t) => {
  const { call, todos } = bench(t)
  const { text } = await call('todo', { todos: [{ content: 'Read', status: 'completed' }, { id: '1', content: 'Write', status: 'in_progress' }, { content: 'Test', status: 'pending' }] })
  t.equal(text, '[x] 2: Read\n[>] 1: Write\n[ ] 3: Test')
  t.same(todos().map(({ id }) => id), ['2', '1', '3'])
  await t.rejects(call('todo', { todos: [{ id: 'a', content: 'x', status: 'pending' }, { id: 'a', content: 'y', status: 'pending' }] }), /Two items have the id "a"/)
  await t.rejects(call('todo', { todos: Array.from({ length: 101 }, () => ({ content: 'x', status: 'pending' })) }), /more than 100/)
  t.match(await call('todo', { todos: [] }), { text: /empty/ })
  t.same(todos(), [])
})

t.test('clarify passes the question on and the answer back', async (t) => {
  const { call } = bench(t)
  const asked: unknown[] = []
  const clarify = async (ask: unknown) => { asked.push(ask); return 'blue' }
  t.equal((await call('clarify', { question: 'Which?', choices: ['red', 'blue'] }, { clarify })).text, 'The user answered: blue')
  t.same(asked, [{ question: 'Which?', choices: ['red', 'blue'] }])
  t.match((await call('clarify', { question: 'Which?' })).text, /Nobody answered in time[^]*assumption/)
  t.match((await call('clarify', { question: 'Which?' }, { clarify: async () => ' ' })).text, /empty answer/)
})
