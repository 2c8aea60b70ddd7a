import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { eventually } from '../support/chat.js'
import { freePort } from '../support/listening.js'

// A log that cannot be written costs lines of the log, and nothing else.

const service = asset('dist/server.js')

type Output = number | 'pipe'

/** Starts the service with the given outputs; resolves when it is up. */
async function startWith (t: Test, [stdout, stderr]: [Output, Output], more: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'log-service-'))
  mkdirSync(join(folder, 'workspace'))
  const port = await freePort()
  const child = spawn(process.execPath, [service], {
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      SVC_HOME: join(folder, 'home'),
      SVC_WEBUI_DEFAULT_WORKSPACE: join(folder, 'workspace'),
      SVC_WEBUI_PORT: String(port),
      SVC_WEBUI_PROBE_LOCAL: '0',
      SVC_WEBUI_SANDBOX: '0',
      LOG_LEVEL: 'debug',
      ...more
    },
    stdio: ['ignore', stdout, stderr]
  })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  const url = `http://127.0.0.1:${port}`
  await eventually('the service to be up', async () => await fetch(`${url}/livez`).then(({ ok }) => ok, () => false))
  return { child, url, end: async () => { child.kill('SIGTERM'); return (await exited)[0] as number | null } }
}

const health = async (url: string) => await (await fetch(`${url}/health`)).json() as { status: string, log_lines_dropped: number }

/** Sends requests, each of which is a line in the log. */
async function ask (url: string, times: number): Promise<void> {
  for (let count = 0; count < times; count++) await (await fetch(`${url}/api/session?session_id=none`)).text()
}

/** Runs a turn, which starts a host process. */
async function converse (t: Test, url: string): Promise<void> {
  const post = async (path: string, body: unknown) => await (await fetch(url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).json() as Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  const { session } = await post('/api/session/new', {})
  await post('/api/chat/start', { session_id: session.session_id, message: 'hello' })
  await eventually('the answer', async () => {
    const { session: now } = await (await fetch(`${url}/api/session?session_id=${session.session_id}`)).json() as Record<string, any> // eslint-disable-line @typescript-eslint/no-explicit-any -- the same
    return now.active_stream_id === null && now.messages.length >= 2
  })
  t.pass('a turn goes through')
}

async function staysUp (t: Test, outputs: [Output, Output], drop: (child: ChildProcess) => void = () => {}): Promise<void> {
  const { child, url, end } = await startWith(t, outputs)
  drop(child)
  await ask(url, 3)
  await converse(t, url)
  await eventually('lost lines to be counted', async () => (await health(url)).log_lines_dropped >= 3)
  t.match(await health(url), { status: 'ok', log_lines_dropped: Number })
  t.ok(Number.isInteger((await (await fetch(`${url}/api/system/health`)).json() as { log_lines_dropped: number }).log_lines_dropped))
  t.equal(await end(), 0, 'and stops in order')
}

t.test('nothing can be written from the start', { skip: !existsSync('/dev/full') && 'no /dev/full' }, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => { closeSync(full) })
  await staysUp(t, [full, full])
})

t.test('a reader that goes away', async (t) => {
  await staysUp(t, ['pipe', 'pipe'], (child) => {
    child.stdout?.destroy()
    child.stderr?.destroy()
  })
})

t.test('a reader that stands still holds nothing up, and gets what waited', async (t) => {
  const { child, url, end } = await startWith(t, ['pipe', 'pipe'])
  child.stdout?.pause()
  await ask(url, 2_000)
  t.equal((await health(url)).status, 'ok')
  let text = ''
  child.stdout?.setEncoding('utf8').on('data', (piece: string) => { text += piece })
  child.stdout?.resume()
  await eventually('the last line', () => text.split('"statusCode":404').length > 2_000)
  t.equal(await end(), 0)
})

t.test('a disk that fills up, and has room again', async (t) => {
  const disk = mkdtempSync(join(tmpdir(), 'log-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'none', disk], { stdio: 'ignore' })
  } catch {
    if (process.env.CI === 'true') throw new Error('disks cannot be mounted here')
    t.pass('disks cannot be mounted here (mount needs root)')
    return
  }
  t.teardown(() => {
    execFileSync('umount', ['-l', disk])
    rmSync(disk, { recursive: true })
  })
  const [log, ballast] = ['log', 'ballast'].map((name) => join(disk, name)) as [string, string]
  const file = openSync(log, 'a')
  t.teardown(() => { closeSync(file) })
  const { url, end } = await startWith(t, [file, file])
  fill(ballast)
  await ask(url, 40)
  await converse(t, url)
  await eventually('lost lines to be counted', async () => (await health(url)).log_lines_dropped > 0)
  rmSync(ballast)
  await ask(url, 1)
  const { log_lines_dropped: dropped } = await health(url)
  const lines = await eventually('the log to go on', () => {
    const now = readFileSync(log, 'utf8').split('\n').slice(0, -1)
    const notice = now.findIndex((line) => line.includes('could not be written'))
    return notice >= 0 && now.slice(notice).some((line) => line.includes('"statusCode":404')) && now.slice(notice)
  })
  t.match(lines[0], new RegExp(`"lines":${dropped},"code":"ENOSPC","msg":"${dropped} lines? of the log could not be written`))
  t.doesNotThrow(() => lines.map((line) => JSON.parse(line) as unknown), 'with whole lines')
  fill(ballast)
  t.equal(await end(), 0, 'and stops in order on a full disk')
  const again = await startWith(t, [file, file])
  t.equal((await health(again.url)).status, 'ok', 'and starts on one')
  t.equal(await again.end(), 0)
})

/** Fills the disk to the last byte. */
function fill (path: string): void {
  for (let bytes = 64 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    try {
      for (;;) writeFileSync(path, Buffer.alloc(bytes), { flag: 'a' })
    } catch {}
  }
}

for (const [name, args] of [['a machine that joins', ['machine/main.js', '--help']], ['a backup', ['backup.js']], ['what ends an update', ['../scripts/finish-update.js']]] as const) {
  t.test(`${name}, with nothing that can be written to`, { skip: !existsSync('/dev/full') && 'no /dev/full' }, async (t) => {
    const full = openSync('/dev/full', 'w')
    t.teardown(() => { closeSync(full) })
    const folder = t.testdir({ '.update': { one: { before: {}, next: { dist: {}, node_modules: {} } } } })
    mkdirSync(join(folder, 'home'))
    const [program, ...rest] = args
    const child = spawn(process.execPath, [asset(`dist/${program}`), ...rest], { cwd: folder, env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home') }, stdio: ['ignore', full, full] })
    const [code, signal] = await once(child, 'exit') as [number | null, string | null]
    t.equal(signal, null)
    // There is no database to back up.
    t.equal(code, name === 'a backup' ? 1 : 0)
    if (name === 'what ends an update') t.ok(existsSync(join(folder, 'dist')) && existsSync(join(folder, 'node_modules')), 'it has done its work')
  })
}

t.test('an editor that takes nothing any more ends its agent', { skip: !existsSync('/dev/full') && 'no /dev/full' }, async (t) => {
  const full = openSync('/dev/full', 'w')
  t.teardown(() => { closeSync(full) })
  const child = spawn(process.execPath, [asset('dist/acp/main.js')], { stdio: ['pipe', full, 'pipe'] })
  let errors = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => { errors += text })
  child.stdin?.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n')
  const [code] = await once(child, 'exit') as [number | null]
  t.equal(code, 0)
  t.equal(errors, '')
})
