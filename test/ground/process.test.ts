import { getPriority } from 'node:os'
import t from '#test'
import { capture, type CaptureOptions } from '../../services/ground/process/capture.js'
import { searchPath } from '../../services/ground/process/environment.js'
import { readProcess } from '../../services/ground/process/processes.js'

const base: CaptureOptions = { cwd: '/', env: { PATH: searchPath(process.env.PATH) }, timeoutMs: 60_000, maxOutputBytes: 1024 }
const sh = async (script: string, options: Partial<CaptureOptions> = {}) => await capture('/bin/sh', ['-c', script], { ...base, ...options })

t.test('a program that ends by itself', async (t) => {
  t.match(await sh('printf out; printf err >&2; exit 3'), { stdout: Buffer.from('out'), stderr: 'err', exitCode: 3, killedBy: null, ended: 'exit' })
  t.match(await sh('kill -KILL $$'), { exitCode: null, killedBy: 'SIGKILL', ended: 'exit' }, 'by a signal of somebody else')
  const { stdout } = await sh('env')
  t.notMatch(stdout.toString(), 'HOME=', 'nothing of the own environment')
})

t.test('standard input', async (t) => {
  t.equal((await sh('cat', { input: 'words' })).stdout.toString(), 'words')
  t.equal((await sh('cat')).stdout.length, 0, 'is empty')
  t.match(await sh('exec <&-; printf done', { input: Buffer.alloc(1024 * 1024) }), { stdout: Buffer.from('done'), exitCode: 0 }, 'need not be read')
})

t.test('more output than is wanted', async (t) => {
  const { stdout, ended } = await sh('while :; do echo 0123456789; done', { maxOutputBytes: 25 })
  t.match({ ended, text: stdout.toString() }, { ended: 'enough', text: '0123456789\n0123456789\n012' })
  const pieces: Buffer[] = []
  const outcome = await sh('printf 0123456789', { maxOutputBytes: 10, onOutput: (chunk) => { pieces.push(chunk) } })
  t.match(outcome, { ended: 'exit', stdout: Buffer.alloc(0) })
  t.equal(Buffer.concat(pieces).toString(), '0123456789', 'a limit may be reached')
  t.equal((await sh('head -c 100000 /dev/zero >&2')).stderr.length, 64 * 1024)
})

t.test('it is stopped with all it has started', async (t) => {
  const stubborn = "trap '' TERM; (trap '' TERM; echo $$; while :; do sleep 60; done) & echo $!; wait; while :; do sleep 60; done"
  const isGone = (text: string): boolean => text.trim().split('\n').every((pid) => readProcess(pid) === null)
  const late = await sh(stubborn, { timeoutMs: 500, graceMs: 100 })
  t.match(late, { ended: 'timeout', exitCode: null, killedBy: 'SIGKILL' })
  t.ok(isGone(late.stdout.toString()))

  const controller = new AbortController()
  const aborted = await sh(stubborn.replace('wait;', 'echo ready; wait;'), {
    signal: controller.signal, graceMs: 100, onOutput: (chunk) => { if (chunk.includes('ready')) controller.abort() }
  })
  t.match(aborted, { ended: 'abort', killedBy: 'SIGKILL' })
  t.match(await sh('echo never', { signal: controller.signal }), { ended: 'abort', stdout: Buffer.alloc(0), exitCode: null })
})

t.test('output that somebody else holds open is not awaited for ever', { skip: process.platform !== 'linux' }, async (t) => {
  const { ended, stdout } = await sh('setsid sleep 60 & echo $!; exit 0', { timeoutMs: 500, graceMs: 100 })
  t.equal(ended, 'timeout')
  process.kill(Number(stdout.toString()), 'SIGKILL')
})

t.test('what cannot be started', async (t) => {
  await t.rejects(capture('/no/such/program', [], base), { code: 'ENOENT', syscall: 'spawn /no/such/program' })
  await t.rejects(sh('echo', { cwd: '/no/such/folder' }), { code: 'ENOENT' })
  await t.rejects(capture('/bin/echo', ['\0'], base), { code: 'ERR_INVALID_ARG_VALUE' })
})

t.test('work that nobody waits for gives way', async (t) => {
  const niceness = async (wanted?: number): Promise<number> => {
    let seen = NaN
    const controller = new AbortController()
    await sh('echo $$; sleep 60', {
      niceness: wanted,
      signal: controller.signal,
      onOutput: (chunk) => {
        seen = getPriority(Number(chunk.toString()))
        controller.abort()
      }
    })
    return seen
  }
  t.equal(await niceness(), getPriority())
  t.equal(await niceness(15), 15)
})

t.test('relative entries of PATH find nothing', async (t) => {
  t.equal(searchPath('bin:/usr/bin:.::/bin'), '/usr/bin:/bin')
  t.equal(searchPath('.'), '/usr/local/bin:/usr/bin:/bin')
  t.equal(searchPath(), '/usr/local/bin:/usr/bin:/bin')
})
