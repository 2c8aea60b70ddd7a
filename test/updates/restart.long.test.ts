import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from '#test'
import { readProcess } from '../../services/ground/process/processes.js'
import { eventually, gate, held } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { builtService, cannotListen, realInstallation, type Installation } from '../support/installation.js'
import { freePort } from '../support/listening.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer, type ServerProcess } from '../support/server.js'
import { assertTemporary } from '../support/temporary.js'

const program = builtService(t)

interface Installed extends ServerProcess { stateDir: string, check: () => Promise<any> } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into

/** Starts the service of an installation, on a port that its successors also use. All of them end with the test. */
async function serve (t: Test, project: Installation, folder: string, environment: Record<string, string> = {}): Promise<Installed> {
  const entry = join(project.folder, 'dist', 'server.js')
  assertTemporary(entry)
  const service = await spawnServer(t, folder, environment, entry)
  t.teardown(() => endAll(project.top))
  const stateDir = join(folder, 'home', 'webui')
  if (service.url !== '') {
    const { webui } = await service.json('/api/updates/check', { force: true })
    t.equal(webui.current_sha, project.git('rev-parse', 'HEAD'), 'the checkout of the test is what it would update')
  }
  return { ...service, stateDir, check: async () => await (await fetch(`${service.url}/api/updates/check`)).json() }
}

/** Ends everything that was started from a folder. */
function endAll (top: string): void {
  assertTemporary(top)
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number)) {
    try {
      const isBelow = readlinkSync(`/proc/${pid}/cwd`).startsWith(`${top}/`) || readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${top}/`)
      if (pid !== process.pid && isBelow) process.kill(pid, 'SIGKILL')
    } catch {} // it has ended
  }
}

const ready = (service: ServerProcess): number => service.output().split('Ready at ').length - 1
const isUp = async (url: string): Promise<boolean> => await fetch(`${url}/health`).then(({ ok }) => ok, () => false)
const rename = async (service: ServerProcess, session: string, title: string) => await service.json('/api/session/rename', { session_id: session, title })

/** Returns how long the service does not answer, until `done`. */
async function outage (url: string, done: () => boolean): Promise<number> {
  let [longestMs, lastUp] = [0, performance.now()]
  while (!done() || !await isUp(url)) {
    if (await isUp(url)) lastUp = performance.now()
    longestMs = Math.max(longestMs, performance.now() - lastUp)
    await delay(10)
  }
  return Math.max(longestMs, performance.now() - lastUp)
}

t.test('the service goes to a new version of itself and comes back, or to the one before', async (t) => {
  const project = realInstallation(t, program)
  const first = project.git('rev-parse', 'HEAD')
  project.write('notes.txt', 'mine\n')
  const latest = project.release({ 'page.html': 'two\n' })
  const service = await serve(t, project, temporaryFolder(t, 'service'), { SVC_WEBUI_PORT: String(await freePort()), SVC_WEBUI_RESTART: 'self' })
  const { url } = service
  const session = (await service.json('/api/session/new', {})).session.session_id as string
  t.match(await service.json('/api/updates/apply', { target: 'webui' }), { ok: true, restart_scheduled: true }, service.output())
  // Sent after the answer, and stored before the end.
  t.match(await rename(service, session, 'Kept'), { session: { title: 'Kept' } })
  t.comment(`an update: ${Math.round(await outage(url, () => ready(service) === 2))} ms without service`)
  t.match(await service.check(), { webui: null, last_update: { ok: true, message: /Updated from .* to / } })
  t.equal(project.git('rev-parse', 'HEAD'), latest)
  t.equal(project.read('dist/web/page-of-version.html'), 'two\n')
  t.equal(project.read('notes.txt'), 'mine\n')
  t.match(await (await fetch(`${url}/api/session?session_id=${session}`)).json(), { session: { title: 'Kept' } })
  t.match(await (await fetch(`${url}/api/system/health`)).json(), { backup: { kept: 1 } }, 'a backup was made before')
  await eventually('nothing is left of it', () => !existsSync(join(project.folder, '.update')))
  t.not(first, latest)
  t.match(await eventually('who holds the state folder', () => existsSync(join(service.stateDir, 'server.pid')) && readFileSync(join(service.stateDir, 'server.pid'), 'utf8')), /^\d+\n$/)

  project.release({ 'page.html': 'three\n', 'change.js': cannotListen })
  t.match(await service.json('/api/updates/apply', { target: 'webui' }), { ok: true, restart_scheduled: true }, service.output())
  t.match(await rename(service, session, 'Kept again'), { session: { title: 'Kept again' } })
  t.comment(`an update that fails after its trial: ${Math.round(await outage(url, () => ready(service) === 3))} ms without service`)
  t.match(await service.check(), { last_update: { ok: false, message: /did not start; .* is back/ } }, service.output())
  t.equal(project.git('rev-parse', 'HEAD'), latest)
  t.equal(project.read('dist/web/page-of-version.html'), 'two\n')
  t.equal(project.read('notes.txt'), 'mine\n')
  t.equal(project.git('stash', 'list'), '')
  t.match(await (await fetch(`${url}/api/session?session_id=${session}`)).json(), { session: { title: 'Kept again' } }, 'the database is that of the version before, with all that was acknowledged')
  t.match(service.output(), /192\.0\.2\.1/, 'why it did not come up')
})

t.test('a turn goes on over an update, and still reads commands and changes files', async (t) => {
  const project = realInstallation(t, program)
  project.release({ 'page.html': 'two\n' })
  const folder = temporaryFolder(t, 'service')
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', 'config.yaml'), 'approvals:\n  allow: ["cmd:touch"]\n')
  const endpoint = await modelEndpoint(t)
  const wait = gate()
  let calls = 0
  endpoint.script(({ stream }) => {
    if (!stream) return [{ text: 'A title' }]
    return calls++ === 0
      ? held(wait, [{ text: 'Before, ' }], [{ text: 'after. ' }, { tool: 'terminal', args: { command: 'touch one' }, id: 'call_1' }, { tool: 'write_file', args: { path: 'two.txt', content: 'two\n' }, id: 'call_2' }])
      : [{ text: 'Done.' }]
  })
  const env = { SVC_WEBUI_PORT: String(await freePort()), SVC_WEBUI_RESTART: 'self', OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' }
  const service = await serve(t, project, folder, env)
  const { session: { session_id: sessionId } } = await service.json('/api/session/new', { model: 'scripted' })
  const { stream_id: streamId } = await service.json('/api/chat/start', { session_id: sessionId, message: 'Go' })
  await (await service.events(`/api/chat/stream?stream_id=${streamId}`)).until('token')
  t.match(await service.json('/api/updates/apply', { target: 'webui' }), { ok: true, restart_scheduled: true }, service.output())
  await eventually('the new version', () => ready(service) === 2)
  await eventually('what was before to be gone', () => !existsSync(join(project.folder, '.update')))
  wait.open()
  const card = async () => (await service.json(`/api/approval/pending?session_id=${sessionId}`)).pending
  await eventually('the file to be asked about', card)
  await service.respond(sessionId, 'once')
  const reader = await service.events(`/api/chat/stream?stream_id=${streamId}&replay=1&after_seq=0`)
  await reader.ended
  t.equal(reader.frames.map(({ event, data }) => event === 'token' ? data.text : '').join(''), 'Before, after. Done.')
  t.equal(reader.frames.at(-1)!.event, 'stream_end')
  t.same(['one', 'two.txt'].map((name) => existsSync(join(folder, 'workspace', name))), [true, true], service.output())
})

t.test('under a supervisor it ends with a code that has it started again, until it is up', async (t) => {
  const project = realInstallation(t, program)
  const head = project.git('rev-parse', 'HEAD')
  project.release({ 'page.html': 'two\n', 'change.js': cannotListen })
  const folder = temporaryFolder(t, 'service')
  const start = async () => await serve(t, project, folder, { SVC_WEBUI_RESTART: 'exit' })
  const service = await start()
  const session = (await service.json('/api/session/new', {})).session.session_id as string
  t.match(await service.json('/api/updates/apply', { target: 'webui' }), { ok: true, restart_scheduled: true }, service.output())
  t.match(await rename(service, session, 'Kept'), { session: { title: 'Kept' } })
  t.equal(await service.exited, 75)
  t.equal(await (await start()).exited, 75, 'the new version gives way')
  const again = await start()
  t.match(await again.check(), { last_update: { ok: false, message: /did not start/ } }, again.output())
  t.equal(project.git('rev-parse', 'HEAD'), head)
  t.match(await again.json(`/api/session?session_id=${session}`), { session: { title: 'Kept' } })
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('whoever stops the service while its successor loads stops both', async (t) => {
  const project = realInstallation(t, program)
  const loading = join(project.top, 'loading')
  project.release({
    'change.js': `const fs = require('node:fs')
fs.renameSync('dist/server.js', 'dist/service.js')
fs.writeFileSync('dist/server.js', ${JSON.stringify(`if (!process.argv.includes('--successor')) require('./service.js')
else {
  require('node:fs').writeFileSync(${JSON.stringify(loading)}, String(process.pid))
  setTimeout(() => require('./service.js'), 600_000)
  process.once('disconnect', () => process.exit(1))
}`)})
`
  })
  const folder = temporaryFolder(t, 'service')
  const first = await serve(t, project, folder, { SVC_WEBUI_RESTART: 'self' })
  t.match(await first.json('/api/updates/apply', { target: 'webui' }), { ok: true, restart_scheduled: true }, first.output())
  const successor = Number(await eventually('the successor', () => existsSync(loading) && readFileSync(loading, 'utf8')))
  t.match(await first.json('/api/chat/start', { session_id: (await first.json('/api/session/new', {})).session.session_id, message: 'Hello' }), { code: 'restarting' }, 'it serves, but begins nothing')
  t.equal(await first.end('SIGTERM'), 0)
  await eventually('its end', () => readProcess(successor) === null)
  const again = await serve(t, project, folder)
  t.match(await again.check(), { last_update: { ok: true, message: /Updated from/ } }, 'the next start is that of the new version')
  t.equal(await again.end('SIGTERM'), 0)
})

t.test('killed while a version is made', async (t) => {
  const project = realInstallation(t, program)
  const head = project.git('rev-parse', 'HEAD')
  const building = join(project.top, 'building')
  project.release({ 'build.js': `require('node:fs').writeFileSync(${JSON.stringify(building)}, String(process.pid)); setInterval(() => {}, 1000)\n` })
  const folder = temporaryFolder(t, 'service')
  const first = await serve(t, project, folder)
  first.json('/api/updates/apply', { target: 'webui' }).catch(() => {})
  const build = Number(await eventually('the build', () => existsSync(building) && readFileSync(building, 'utf8')))
  t.equal(await first.end('SIGKILL'), 'SIGKILL')
  const second = await serve(t, project, folder)
  t.match(await second.check(), { last_update: { ok: false, message: /interrupted before it changed anything/ } })
  t.equal(project.git('rev-parse', 'HEAD'), head)
  t.equal(project.git('worktree', 'list').split('\n').length, 1)
  t.equal(readProcess(build), null, 'nobody goes on with it')
  t.notOk(existsSync(join(project.folder, '.update')))
  t.equal(await second.end('SIGTERM'), 0)
})
