import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { AgentPipe } from '../../services/agent/acp/pipe.js'
import { StdioTransport } from '../../services/agent/mcp/stdio.js'
import { forkTransport } from '../../services/agent/runtime/fork.js'
import { specialFiles } from '../../services/agent/sandbox/special-bits.js'
import { unreadableToOthers } from '../../services/agent/sandbox/private-files.js'
import { entriesIn } from '../../services/ground/files/folder-entries.js'
import { acceptedFile, acceptedPlugins } from '../../services/ground/home/accepted-plugins.js'
import { editFile } from '../../services/ground/home/file-edits.js'
import { readProfileSettings } from '../../services/ground/home/settings.js'
import { capture } from '../../services/ground/process/capture.js'

// This process has as many files open as it may: a program that is started then has no streams at all, not even as Node sees it.

execFileSync('prlimit', ['--pid', String(process.pid), '--nofile=400:'])

/** Runs `act` with only `left` free handles; the work must not yield in between. */
async function without<T> (left: number, act: () => T): Promise<Awaited<T>> {
  const held: number[] = []
  try {
    for (;;) held.push(openSync('/dev/null', 'r'))
  } catch {}
  for (const each of held.splice(0, left)) closeSync(each)
  try {
    return await act()
  } finally {
    for (const each of held) closeSync(each)
  }
}

const program = { file: '/bin/sh', args: ['-c', 'cat'], cwd: '/', env: {} }

t.test('a program that cannot be started for lack of handles is an error in words, and ends nothing', async (t) => {
  const noHandles = { code: 'EMFILE' }
  await t.rejects(without(0, async () => await capture('/bin/sh', ['-c', 'true'], { cwd: '/', env: {}, timeoutMs: 60_000, maxOutputBytes: 10 })), noHandles)
  await t.rejects(without(0, async () => { await new StdioTransport({ ...program, onStderr: () => {}, onGarbage: () => {} }).start() }), noHandles, 'an MCP server')
  await t.rejects(without(0, async () => await AgentPipe.start({ ...program, onMessage: () => true } as unknown as Parameters<typeof AgentPipe.start>[0])), noHandles, 'an agent of another maker')
  const folder = t.testdir({ state: {}, work: {} })
  t.same(await without(0, async () => await specialFiles(join(folder, 'work'))), [], 'a look for programs with bits')
  const transport = forkTransport({ stateDir: join(folder, 'state'), profileHome: () => folder, env: {}, serviceRoots: [], otherHomes: () => [], boundaryFolder: folder } as unknown as Parameters<typeof forkTransport>[0])
  const reason = await without(0, async () => await new Promise<string>((resolve) => { transport('default').onExit(resolve) }))
  t.match(reason, /EMFILE/, 'a host')
  await transport.close?.()
})

t.test('what cannot be read for a moment is not taken for gone, and nothing is written in its place', async (t) => {
  const home = t.testdir({ 'config.yaml': 'approvals:\n  deny: [cmd:rm]\n', '.env': 'OPENAI_API_KEY=one\n', webui_state: { plugins: {} } })
  const accepted = JSON.stringify({ plugins: { lint: 'a'.repeat(64) } })
  mkdirSync(join(acceptedFile(home), '..'), { recursive: true })
  writeFileSync(acceptedFile(home), accepted)
  const env = {}
  t.match(await without(0, () => readProfileSettings(home, env)), { config: {}, configError: 'config.yaml cannot be read.' })
  t.match(await without(0, () => acceptedPlugins(home)), [])
  t.match(readProfileSettings(home, env), { config: { approvals: { deny: ['cmd:rm'] } }, configError: undefined, env: { OPENAI_API_KEY: 'one' } })
  t.match(acceptedPlugins(home), [{ name: 'lint' }])
  const { version } = readProfileSettings(home, env)
  writeFileSync(join(home, '.env'), 'OPENAI_API_KEY=second\n')
  writeFileSync(acceptedFile(home), `${accepted}\n`)
  t.match(await without(0, () => readProfileSettings(home, env)), { config: { approvals: { deny: ['cmd:rm'] } }, env: { OPENAI_API_KEY: 'one' }, version }, 'what was read before holds meanwhile')
  t.match(await without(0, () => acceptedPlugins(home)), [{ name: 'lint' }])
  t.match(readProfileSettings(home, env), { env: { OPENAI_API_KEY: 'second' } })
  await t.rejects(without(0, async () => await editFile(join(home, 'config.yaml'), () => 'x: 1\n')), { code: 'no_handles' })
  t.match(readFileSync(join(home, 'config.yaml'), 'utf8'), 'cmd:rm')
})

t.test('a folder that cannot be looked at for a moment is not an empty one', async (t) => {
  const folder = t.testdir({ hooks: { 'pre-commit': '' }, file: '' })
  const noHandles = { code: 'no_handles' }
  await t.rejects(without(0, async () => await entriesIn(join(folder, 'hooks'))), noHandles)
  await t.rejects(without(0, async () => await unreadableToOthers(folder)), noHandles, 'what is hidden from commands in the sandbox')
  t.match(await entriesIn(join(folder, 'hooks')), [{ name: 'pre-commit' }])
  t.same(await entriesIn(join(folder, 'nothing')), [])
  t.same(await entriesIn(join(folder, 'file')), [])
})
