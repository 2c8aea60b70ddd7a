import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t from '#test'
import { ownPlaces } from '../../../services/agent/acp/own-places.js'
import { inTheContainer } from '../../../services/agent/sandbox/index.js'
import { agentOf } from '../../../services/providers/index.js'
import { scripted, startAgent, writeConfig, type AgentService } from '../../support/acp/agents.js'
import { eventually } from '../../support/chat.js'
import { temporaryFolder } from '../../support/folder.js'
import { needsSandbox } from '../../support/needs-sandbox.js'

/** Starts a service whose user's home is its folder, with a key for other machines in it, and an agent with its own folder. */
async function startIsolated (t: Parameters<typeof startAgent>[0]): Promise<AgentService> {
  const folder = mkdtempSync(join(tmpdir(), 'isolated-'))
  for (const [name, text] of [['.ssh/id', 'a private key'], ['.scripted/token', 'first'], ['notes.txt', 'of the user']] as const) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), text)
  }
  const service = await startAgent(t, {}, { folder, env: { SVC_WEBUI_SANDBOX: '1', SECRET_OF_SERVICE: 'hush' } })
  useAgent(service)
  return service
}

const useAgent = (service: AgentService, config: Record<string, unknown> = {}): void =>
  writeConfig(service.folder, { agent: { type: 'acp', ...scripted(), writable: ['~/.scripted'], ...config } })

/** Returns a script for the agent that tries each of these, and reports its value, or the code of its error. */
const trying = (tries: Record<string, string>): string => {
  const entries = Object.entries(tries).map(([name, code]) => `${JSON.stringify(name)}: await attempt(async () => ${code})`)
  return `script const fs = require('node:fs'); const attempt = async (work) => { try { return await work() ?? 'done' } catch (error) { return error.code ?? error.message } }; chunk(JSON.stringify({ ${entries.join(', ')} }))`
}

t.test('an agent in the sandbox comes to nothing but its workspace and what is its own', needsSandbox, async (t) => {
  const service = await startIsolated(t)
  const session = await service.newSession()
  const { folder, workspace } = service
  const state = join(folder, 'home', 'webui')
  writeFileSync(join(folder, 'home', '.env'), 'OPENAI_API_KEY=sk-secret')
  const { text, frames } = await service.turn(session, trying({
    key: `fs.readFileSync(${JSON.stringify(join(folder, '.ssh/id'))}, 'utf8')`,
    notes: `fs.readFileSync(${JSON.stringify(join(folder, 'notes.txt'))}, 'utf8')`,
    env: `fs.readFileSync(${JSON.stringify(join(folder, 'home/.env'))}, 'utf8')`,
    state: `fs.readdirSync(${JSON.stringify(state)}).length`,
    stateWrite: `fs.writeFileSync(${JSON.stringify(join(state, 'planted'))}, 'x')`,
    variable: 'process.env.SECRET_OF_SERVICE',
    outside: `fs.writeFileSync(${JSON.stringify(join(folder, 'planted'))}, 'x')`,
    system: "fs.writeFileSync('/usr/local/planted', 'x')",
    shadow: "fs.readFileSync('/etc/shadow', 'utf8').length",
    kill: `process.kill(${process.pid}, 'SIGKILL')`,
    processes: "fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name)).map((pid) => fs.readFileSync('/proc/' + pid + '/environ', 'utf8')).join().includes('SECRET_OF_SERVICE')",
    namespace: "require('node:child_process').spawnSync('unshare', ['-Ur', 'true']).status",
    own: `fs.readFileSync(${JSON.stringify(join(folder, '.scripted/token'))}, 'utf8')`,
    ownWrite: `fs.writeFileSync(${JSON.stringify(join(folder, '.scripted/token'))}, 'second')`,
    work: `fs.writeFileSync(${JSON.stringify(join(workspace, 'made'))}, 'made')`,
    where: 'process.cwd() === process.env.HOME'
  }))
  t.same(JSON.parse(text), {
    key: 'ENOENT', notes: 'ENOENT', env: 'ENOENT', state: 0, stateWrite: 'EROFS', variable: 'done', outside: 'done', system: 'EROFS', shadow: 'EACCES',
    kill: 'ESRCH', processes: false, namespace: 1, own: 'first', ownWrite: 'done', work: 'done', where: true
  })
  t.notOk(existsSync(join(folder, 'planted')), 'what it writes to its home is gone with it')
  t.equal(readFileSync(join(folder, '.scripted/token'), 'utf8'), 'second')
  t.equal(readFileSync(join(workspace, 'made'), 'utf8'), 'made')
  t.notOk(frames.some(({ event }) => event === 'warning'))
  t.match((await service.get('/api/agents')).body.agents[0], { isolation: 'auto', isolated: true, isolation_reason: { code: 'internet' }, isolation_note: /runs in the sandbox\. It reaches the internet/ })
})

t.test('what an agent has left for git is undone or told of, and between turns it does nothing', needsSandbox, async (t) => {
  const service = await startIsolated(t)
  const session = await service.newSession()
  const { workspace } = service
  execFileSync('git', ['init', '--quiet', workspace])
  const ticks = join(workspace, 'ticks')
  const { text, frames } = await service.turn(session, trying({
    hook: `fs.writeFileSync(${JSON.stringify(join(workspace, '.git/hooks/pre-commit'))}, '#!/bin/sh\\ntouch /tmp/owned\\n', { mode: 0o755 })`,
    settings: `fs.appendFileSync(${JSON.stringify(join(workspace, '.git/config'))}, '[core]\\n\\tfsmonitor = touch /tmp/owned\\n')`,
    inner: `(fs.mkdirSync(${JSON.stringify(join(workspace, 'inner/.git/hooks'))}, { recursive: true }), require('node:child_process').execFileSync('git', ['init', '--quiet', ${JSON.stringify(join(workspace, 'inner'))}]), fs.writeFileSync(${JSON.stringify(join(workspace, 'inner/.git/hooks/pre-commit'))}, 'x', { mode: 0o755 }))`,
    timer: `(globalThis.ticking = setInterval(() => fs.appendFileSync(${JSON.stringify(ticks)}, 'x'), 5), require('node:child_process').spawn('sh', ['-c', 'while :; do printf y >>"$0"; sleep 0.01; done', ${JSON.stringify(ticks)}], { detached: true, stdio: 'ignore' }).unref())`,
    ticking: `(async () => { while (!fs.existsSync(${JSON.stringify(ticks)})) await pause(5) })()`
  }))
  t.match(JSON.parse(text), { hook: 'EROFS', settings: 'EROFS', inner: 'done', timer: 'done', ticking: 'done' })
  t.match(frames.filter(({ event }) => event === 'warning').map(({ data }) => data.message), [/Scripted left something that git would run.*inner/])
  const ticked = (): number => statSync(ticks).size
  const before = ticked()
  await delay(100)
  t.equal(ticked(), before, 'nor does what it has started')
  // An agent that waited for the disk too long to stand still has been ended instead: nothing of it ticks any more.
  const again = await service.turn(session, `script const { statSync } = require('node:fs'); while (globalThis.ticking && statSync(${JSON.stringify(ticks)}).size === ${before}) await pause(5); chunk("goes on")`)
  t.match(again.text, /goes on/)
  const stopped = await service.send(session, 'wait')
  const reader = await service.watch(stopped)
  await reader.until('token')
  await service.post('/api/chat/cancel', { stream_id: stopped })
  await reader.ended
  await eventually('its standstill', async () => {
    const size = ticked()
    await delay(60)
    return ticked() === size
  })
})

t.test('where an agent runs is chosen, and said where there is no sandbox', needsSandbox, async (t) => {
  const service = await startIsolated(t)
  const session = await service.newSession()
  const look = trying({ notes: `fs.readFileSync(${JSON.stringify(join(service.folder, 'notes.txt'))}, 'utf8')` })
  t.match(await service.post('/api/providers/test', { provider: 'agent' }), { body: { ok: true } })
  const set = async (isolation: string): Promise<{ status: number, body: unknown }> => await service.post('/api/agents/isolation', { id: 'agent', isolation })
  t.match(await set('none'), { status: 200, body: { ok: true, agent: { isolation: 'none', isolated: false, isolation_reason: { code: 'outside', params: {} }, isolation_note: /outside the sandbox/ } } })
  t.same(JSON.parse((await service.turn(session, look)).text), { notes: 'of the user' })
  t.match(await set('sandbox'), { body: { agent: { isolation: 'sandbox', isolated: true } } })
  t.same(JSON.parse((await service.turn(session, look)).text), { notes: 'ENOENT' })
  for (const body of [{ id: 'agent' }, { id: 'agent', isolation: 'all' }]) t.match(await service.post('/api/agents/isolation', body), { status: 400 })
  t.match(await service.post('/api/agents/isolation', { id: 'nobody', isolation: 'none' }), { status: 404 })
  t.match(await set('auto'), { body: { agent: { isolation: 'auto' } } })
  t.notMatch(readFileSync(join(service.folder, 'home', 'config.yaml'), 'utf8'), /isolation/)

  const bare = await startAgent(t, {}, { env: { SVC_WEBUI_SANDBOX: '1', PATH: dirname(process.execPath) } })
  const { frames, text } = await bare.turn(await bare.newSession(), 'say hello')
  t.match(text, /hello/)
  t.match(frames.find(({ data }) => data?.type === 'agent_not_isolated')?.data.message, /^Scripted runs outside the sandbox, with the rights of the service: bubblewrap \(bwrap\) is not installed\.$/)
  t.match((await bare.get('/api/agents')).body.agents[0], { isolated: false, isolation_reason: { code: 'outside_for_lack', params: { reason: /not installed/ } }, isolation_note: /runs outside the sandbox.*not installed/, problem: null })
  writeConfig(bare.folder, { agent: { type: 'acp', ...scripted(), isolation: 'sandbox' } })
  t.match((await bare.turn(await bare.newSession(), 'say hello')).last.data, { message: /set to run in the sandbox only, and there is none here: bubblewrap/, hint: /isolation: none/ })
  t.match((await bare.get('/api/agents')).body.agents[0], { isolated: false, problem: /sandbox only/ })
})

t.test('many turns at once, in several folders, each with what was uploaded to it', { ...needsSandbox, long: true }, async (t) => {
  const service = await startIsolated(t)
  const other = join(service.workspace, 'other')
  mkdirSync(other)
  const sessions = await Promise.all(Array.from({ length: 8 }, async (_, index) => await service.newSession(index % 2 === 0 ? {} : { workspace: other })))
  for (const round of [1, 2]) {
    const turns = await Promise.all(sessions.map(async (session, index) => await service.turn(session, `say ${round} of ${index}`)))
    t.same(turns.map(({ text }) => text), sessions.map((_, index) => `${round} of ${index}`))
  }
  const [session = ''] = sessions
  const form = new FormData()
  form.set('session_id', session)
  form.set('file', new Blob(['uploaded']), 'note.txt')
  const uploaded = await (await fetch(`${service.url}/api/upload`, { method: 'POST', body: form })).json() as { path: string }
  const reads = trying({ upload: `fs.readFileSync(${JSON.stringify(uploaded.path)}, 'utf8')`, write: `fs.writeFileSync(${JSON.stringify(uploaded.path)}, 'x')` })
  t.same(JSON.parse((await service.turn(session, reads)).text), { upload: 'uploaded', write: 'EROFS' })
  t.same(JSON.parse((await service.turn(sessions[2] ?? '', reads)).text), { upload: 'ENOENT', write: 'ENOENT' }, 'and not what was uploaded to another')

  useAgent(service, { writable: ['~/home'] })
  t.match((await service.turn(session, 'say hello')).last.data.message, /"writable" opens a folder of the system or of this service/)
  useAgent(service)
  const inHome = await service.newSession({ workspace: service.folder })
  const home = trying({
    key: `fs.readFileSync(${JSON.stringify(join(service.folder, '.ssh/id'))}, 'utf8')`,
    start: `fs.writeFileSync(${JSON.stringify(join(service.folder, '.profile'))}, 'x')`,
    env: `fs.readFileSync(${JSON.stringify(join(service.folder, 'home/config.yaml'))}, 'utf8')`,
    own: `fs.readFileSync(${JSON.stringify(join(service.folder, '.scripted/token'))}, 'utf8')`,
    work: `fs.writeFileSync(${JSON.stringify(join(other, 'made'))}, 'made')`
  })
  t.same(JSON.parse((await service.turn(inHome, home)).text), { key: 'ENOENT', start: 'EROFS', env: 'ENOENT', own: 'first', work: 'done' }, 'a folder that is the home')
})

t.test('the settings of a known agent are copies, and its sessions and sign-in are kept', (t) => {
  const home = temporaryFolder(t, 'home')
  const scratch = temporaryFolder(t, 'scratch')
  for (const name of ['.claude/settings.json', '.claude/.credentials.json', '.claude/skills/one/SKILL.md', '.claude/debug/log', '.claude/projects/-other/session.jsonl', '.claude.json']) {
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), name)
  }
  const agent = agentOf({}, 'claude-code', undefined)!
  const places = ownPlaces(agent, { env: { HOME: home }, workspace: '/srv/my.app', scratch })
  const below = (path: string): string => path.replace(`${home}/`, '~/').replace(scratch, '')
  t.same(Object.fromEntries(places.map(({ path, access, from }) => [below(path), [access, from === undefined ? null : below(from)]])), {
    '~/.claude': ['write', '/folder-0'],
    '~/.claude/skills': ['read', '~/.claude/skills'],
    ...Object.fromEntries(['projects', 'shell-snapshots', 'session-env', 'debug', 'todos', 'file-history', 'statsig', 'telemetry', 'cache', 'backups'].map((name) => [`~/.claude/${name}`, ['write', `/folder-0-${name}`]])),
    '~/.claude/.credentials.json': ['write', '~/.claude/.credentials.json'],
    '~/.claude/projects/-srv-my-app': ['write', '~/.claude/projects/-srv-my-app'],
    '~/.claude.json': ['write', '/file-0']
  })
  t.same(readdirSync(join(scratch, 'folder-0')), ['settings.json'])
  t.equal(readFileSync(join(scratch, 'file-0'), 'utf8'), '.claude.json')

  const limited = ownPlaces(agent, { env: { HOME: home }, workspace: '/srv/my.app', scratch: null })
  t.same(limited.map(({ path, access }) => [below(path), access]), [['~/.claude', 'read'], ['~/.claude/.credentials.json', 'write'], ['~/.claude/projects/-srv-my-app', 'write'], ['~/.claude/projects', 'write'], ['~/.claude/debug', 'write'], ['~/.claude.json', 'read']])
  const workspace = temporaryFolder(t, 'workspace')
  const { args, release } = inTheContainer({ setpriv: '/usr/bin/setpriv', program: 'agent', argv: [], workspace, cwd: workspace, hidden: [], env: { PATH: '/usr/bin', HOME: home }, beside: limited })
  release()
  t.ok(args.some((arg) => /path-beneath:[^:]*write-file[^:]*:.*-srv-my-app$/.test(arg)))
  t.ok(args.some((arg) => arg === `--landlock-rule=path-beneath:execute,read-file,read-dir:${home}/.claude`))
  t.notMatch(args[1], /\.home/, 'its home is the user\'s own')
  rmSync(home, { recursive: true, force: true })
  t.same(ownPlaces(agentOf({ agents: { 'gemini-cli': { writable: ['~/x', 'relative'] } } }, 'gemini-cli', undefined)!, { env: { HOME: home, CLAUDE_CONFIG_DIR: '/nowhere' }, workspace: '/srv', scratch }).map(({ path }) => below(path)), ['~/.gemini', '~/.gemini/history', '~/.gemini/tmp'])
})
