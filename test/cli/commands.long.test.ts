import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import t, { type Test } from '#test'
import { createMarks } from '../../services/agent/runtime/guardian.js'
import { findSandbox } from '../../services/agent/sandbox/index.js'
import { wayToSystemd } from '../../cli/supervised.js'
import { asset } from '../../services/ground/assets.js'
import { lockStateFolder } from '../../services/ground/database/index.js'
import { markVariable } from '../../services/ground/process/processes.js'
import { confinedRun } from '../support/confined.js'
import { temporaryFolder } from '../support/folder.js'
import { listening } from '../support/listening.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const program = asset('dist/cli/main.js')
interface Ended { code: number, output: string, errors: string }

const environmentOf = (folder: string, more: Record<string, string> = {}): Record<string, string> =>
  ({ PATH: process.env.PATH ?? '', HOME: folder, SVC_HOME: join(folder, 'home'), SVC_WEBUI_PROBE_LOCAL: '0', SVC_WEBUI_SANDBOX: '0', ...more })

/** Runs a command in a folder, with standard input. */
async function run (folder: string, args: readonly string[], { input = '', env = {} }: { input?: string, env?: Record<string, string> } = {}): Promise<Ended> {
  return await new Promise((resolve) => {
    const child = execFile(process.execPath, [program, ...args], { cwd: folder, env: environmentOf(folder, env) }, (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code), output, errors })
    })
    child.stdin?.on('error', () => {}).end(input)
  })
}

const json = async (folder: string, ...args: string[]): Promise<any> => JSON.parse((await run(folder, [...args, '--json'])).output) // eslint-disable-line @typescript-eslint/no-explicit-any -- what is printed is what a test looks into

async function signIn (server: Pick<ServerProcess, 'url'>, password: string): Promise<number> {
  return (await fetch(`${server.url}/api/auth/login`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password })
  })).status
}

const audited = async (folder: string): Promise<number> => (await json(folder, 'audit', 'verify')).entries

/** Returns the latest entry of the audit log. */
async function lastOf (server: ServerProcess, folder: string): Promise<unknown> {
  const { token, device } = await json(folder, 'token', 'create', '--name', 'reader', '--scope', 'admin')
  const { entries } = await server.json('/api/audit', undefined, { authorization: `Bearer ${token as string}` })
  await run(folder, ['token', 'revoke', device.id])
  return entries[1]
}

t.test('beside a service: what it does, who may use it, its end', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  t.match(await run(folder, ['update', '--wait', '--now']), { code: 2, errors: /^--wait and --now cannot be used together\n/ })
  t.match(await run(folder, ['update', '--cancel']), { code: 3, errors: /\. Start it: npm start\n$/ }, 'without a service, no update waits')
  for (const args of [['status'], ['stop'], ['pair'], ['update']]) t.match(await run(folder, args), { code: 3, [args[0] === 'status' ? 'output' : 'errors']: `(state folder ${folder}/home/webui)` }, args.join(' '))
  t.match(await run(folder, ['token', 'list']), { code: 1, errors: /no database .*--home/ })
  t.match(await run(folder, ['audit', 'verify']), { code: 2, errors: /^There is no database: .* is missing\. .*--home\n$/ })
  t.match(await run(folder, ['token', 'revoke']), { code: 2, errors: /^Give either --all, or ids that "token list" shows\n.*token revoke --help/ })
  const server = await spawnServer(t, folder)
  const { port } = new URL(server.url)

  t.match(await run(folder, ['status']), { code: 0, output: new RegExp(`^The service is running at http://127\\.0\\.0\\.1:${port}: version [^,]+, process ${server.pid}, up .*\\n0 running turns.*\\nNo sign-in is needed`) })
  t.match(await json(folder, 'status'), { running: true, answers: true, address: server.url, pid: server.pid, active_turns: 0, sign_in: [] })
  t.match(await run(join(folder), ['status', '--home', join(folder, 'home')], { env: { SVC_HOME: '/nowhere' } }), { code: 0 })

  const secret = 'the first password'
  const reset = await run(folder, ['reset-password'], { input: `${secret}\r\nnot this line\n` })
  t.match(reset, { code: 0, output: /The new password is set/ })
  t.equal(await signIn(server, secret), 200)
  t.match(await json(folder, 'sessions', 'list'), { sign_ins: [{ method: 'password' }] })
  writeFileSync(join(folder, 'new'), 'the second password\n')
  t.match(await json(folder, 'reset-password', '--password-file', 'new'), { ok: true })
  t.match(await lastOf(server, folder), { kind: 'auth.password', actor: { kind: 'console' }, details: { change: 'changed' } })
  t.same(await json(folder, 'sessions', 'list'), { sign_ins: [] }, 'every sign-in has ended')
  t.same([await signIn(server, secret), await signIn(server, 'the second password')], [401, 200])
  for (const [args, input, said] of [
    [['reset-password'], '', /empty/], [['reset-password'], '\n\n', /empty/], [['reset-password', '--password-file', 'none'], '', /none does not exist: correct the path/], [['reset-password', '--password-file', '.'], '', /is a folder/]
  ] as const) t.match(await run(folder, args, { input }), { code: 1, errors: said })

  const made = await run(folder, ['token', 'create', '--name', 'ci \u202e\nx', '--scope', 'chat', '--expires-in', '90d'])
  t.match(made, { code: 0, output: /^svct_[A-Za-z0-9]{12}_[A-Za-z0-9]{40}\n$/, errors: '' })
  t.match(await server.json('/api/auth/status', undefined, { authorization: `Bearer ${made.output.trim()}` }), { token_scope: 'chat' })
  const { tokens: [{ id }] } = await json(folder, 'token', 'list')
  const list = await run(folder, ['token', 'list'])
  t.match(list, { code: 0, output: new RegExp(`^ID .*\\n${id as string} +chat +token .*ci x\\n$`) })
  t.notOk(list.output.includes(made.output.trim().slice(-40)))
  t.match(await run(folder, ['token', 'revoke', 'nope']), { code: 1, errors: /not found/ })
  t.match(await run(folder, ['token', 'revoke', id]), { code: 0, output: '1 token revoked.\n' })
  const { token: parent, device: { id: parentId } } = await json(folder, 'token', 'create', '--name', 'parent', '--scope', 'admin')
  const { device: { id: childId } } = await server.json('/api/auth/tokens/create', { name: 'child', scope: 'read' }, { authorization: `Bearer ${parent as string}` })
  t.match(await run(folder, ['token', 'revoke', parentId, childId, 'nope']), { code: 1, errors: new RegExp(`^nope: Token not found\\. Revoked before it: .*${childId as string}`) }, 'a token that ended with another one is no mistake')
  for (const args of [['create', '--name', 'x'], ['create', '--scope', 'read'], ['create', '--name', 'x', '--scope', 'all'], ['create', '--name', 'x', '--scope', 'read', '--expires-in', 'soon'], ['revoke'], ['revoke', 'x', '--all']]) {
    t.match(await run(folder, ['token', ...args]), { code: 2, output: '' }, args.join(' '))
  }
  const { sign_ins: [{ id: signedIn }] } = await json(folder, 'sessions', 'list')
  t.match(await run(folder, ['sessions', 'revoke', signedIn]), { code: 0, output: '1 sign-in ended.\n' })
  t.match(await json(folder, 'sessions', 'revoke', 'nope'), { error: 'There is no such sign-in', exit_code: 1 })

  t.match(await run(folder, ['update', '--check']), { code: 1, errors: /\S/ })
  t.match(await json(folder, 'doctor'), { service: { checks: Array } })
  t.match(await json(folder, 'backup'), { path: /backups/, manifest: { rows: { sessions: 0 } } })
  t.match(await json(folder, 'audit', 'verify'), { whole: true })
  t.match(await run(folder, ['restore', 'x']), { code: 1, errors: /There is no backup at/ })
  t.match(await run(folder, ['start', '--port', '0']), { code: 1, errors: /in use by another server \(process \d+\)/ })

  t.match(await run(folder, ['stop']), { code: 0, output: 'The service has stopped.\n' })
  t.equal(await server.exited, 0, 'in order')
  t.notOk(existsSync(join(folder, 'home', 'webui', 'console', 'socket')))
  t.notOk(server.output().includes(secret))
})

t.test('a phone is paired by the code that is shown, and a code that nobody waits for any more ends', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  const server = await spawnServer(t, folder)
  t.match(await run(folder, ['pair']), { code: 1, errors: /Only this machine can reach the service.*--url.*--host 0\.0\.0\.0/ })
  t.match(await json(folder, 'pair', '--url', 'https://agent.example.org'), { code: /^\w{5}-\w{5}$/, url: /^https:\/\/agent\.example\.org\/pair#\w{5}-\w{5}$/, is_https: true })
  const waiting = async (args: string[]) => {
    const child = spawn(process.execPath, [program, 'pair', ...args], { cwd: folder, env: environmentOf(folder), stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
    const exited = once(child, 'close')
    while (!output.includes('Ctrl-C')) await delay(20)
    return { child, output: () => output, code: /enter the code (\w{5}-\w{5})/.exec(output)![1]!, exited: exited.then(([code]) => code as number) }
  }
  const phone = await waiting(['--url', 'http://192.168.1.20:8787', '--name', "Ann's phone", '--scope', 'chat'])
  t.match(phone.output(), /█{8}[^]*open http:\/\/192\.168\.1\.20:8787\/pair#[^]*This address has no https/)
  t.match(await server.json('/api/auth/pair', { code: phone.code }), { token: /^svct_/, device: { name: "Ann's phone", scope: 'chat' } })
  t.equal(await phone.exited, 0)
  t.match(phone.output(), /Ann's phone is paired\.\n$/)

  const given = await waiting(['--url', 'https://agent.example.org'])
  t.notMatch(given.output(), 'not https')
  given.child.kill('SIGINT')
  t.equal(await given.exited, 1)
  t.match(await server.json('/api/auth/pair', { code: given.code }), { error: /wrong, already used/ })

  // The reader takes what it needs, and goes.
  const script = '"$0" "$1" pair --url https://agent.example.org | grep --max-count=1 enter'
  const read = spawnSync('sh', ['-c', script, process.execPath, program], { cwd: folder, env: environmentOf(folder), encoding: 'utf8', timeout: 30_000 })
  t.match(await server.json('/api/auth/pair', { code: /\w{5}-\w{5}/.exec(read.stdout)![0] }), { token: /^svct_/ })
})

t.test('where no service runs, its database is asked, under its lock', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  const stateDir = join(folder, 'home', 'webui')
  await (await spawnServer(t, folder)).end('SIGKILL')
  t.ok(existsSync(join(stateDir, 'console', 'socket')), 'it was left')
  t.match(await run(folder, ['status']), { code: 3 })
  const before = await audited(folder)
  t.match(await run(folder, ['reset-password'], { input: 'offline' }), { code: 0, output: /that password applies instead/ })
  t.match(await run(folder, ['reset-password'], { input: 'other', env: { SVC_WEBUI_PASSWORD: 'pinned' } }), { code: 1, errors: /SVC_WEBUI_PASSWORD/ })
  const { token } = await json(folder, 'token', 'create', '--name', 'x', '--scope', 'read')
  t.equal(await audited(folder), before + 2)
  const unlock = lockStateFolder(stateDir)
  t.match(await run(folder, ['token', 'list']), { code: 1, errors: /does not answer at its socket/ })
  t.match(await json(folder, 'status'), { running: true, answers: false })
  unlock()
  const both = await Promise.all(['a', 'b'].map(async (name) => await run(folder, ['token', 'create', '--name', name, '--scope', 'read'])))
  t.ok(both.some(({ code }) => code === 0), 'of two at once one has the lock')
  for (const { code, errors } of both) if (code !== 0) t.match(errors, /in use|does not answer/)
  t.equal((await json(folder, 'token', 'list')).tokens.length, 1 + both.filter(({ code }) => code === 0).length)

  const server = await spawnServer(t, folder)
  t.same([await signIn(server, 'offline'), await signIn(server, 'other')], [200, 401])
  t.match(await server.json('/api/auth/status', undefined, { authorization: `Bearer ${token as string}` }), { token_scope: 'read' })
  await server.end('SIGTERM')
  for (const file of readdirSync(stateDir).filter((name) => name.startsWith('service.db') && name !== 'service.db.exists')) rmSync(join(stateDir, file))
  writeFileSync(join(stateDir, 'service.db'), 'no database')
  t.match(await run(folder, ['token', 'list']), { code: 1, errors: /is not a database of this service/ })
})

t.test('commands of the agent administer nothing: neither unconfined, nor in the sandbox', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  const stateDir = join(folder, 'home', 'webui')
  const server = await spawnServer(t, folder)
  const env = { [markVariable]: `${createMarks(stateDir).folder}0123456789ab.x` }
  for (const args of [['reset-password'], ['token', 'create', '--name', 'x', '--scope', 'admin'], ['pair'], ['stop'], ['sessions', 'list']]) {
    t.match(await run(folder, args, { input: 'x', env }), { code: 1, output: '', errors: /Commands of the agent/ }, args.join(' '))
  }
  // Without its own mark: its parent has the mark.
  const below = await new Promise<Ended>((resolve) => {
    execFile('/bin/sh', ['-c', `env -u ${markVariable} "$0" "$1" token list; exit $?`, process.execPath, program], { cwd: folder, env: environmentOf(folder, env) }, (error, output, errors) => { resolve({ code: Number(error?.code ?? 0), output, errors }) })
  })
  t.match(below, { code: 1, errors: /Commands of the agent/ })
  t.match(await run(folder, ['status'], { env }), { code: 0 }, 'how it is may be seen')
  t.match(await run(folder, ['token', 'list'], { env: { [markVariable]: `${createMarks('/elsewhere').folder}x.` } }), { code: 0 }, 'the agent of another service works on this one')

  const sandbox = await findSandbox(process.env)
  if (sandbox.available) {
    const confined = confinedRun(sandbox, folder)
    const { text } = await confined(`ls ${stateDir} ${stateDir}/console; ${process.execPath} ${program} token list`, { hidden: [join(folder, 'home')] })
    t.match(text, /console': No such file/)
    t.notMatch(text, /socket\n|service\.db\n|ID +SCOPE/)
  } else t.comment(sandbox.reason)
  t.equal((await server.json('/health')).status, 'ok')
})

/** Runs `start` as typed, until it is ready or has ended. */
async function started (t: Test, folder: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [program, 'start', '--port', '0', ...args], { cwd: folder, env: environmentOf(folder, env), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const channel of [child.stdout, child.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { output += text })
  const exited = once(child, 'close').then(([code]) => code as number)
  t.teardown(async () => {
    if (child.exitCode === null) child.kill('SIGKILL')
    await exited
  })
  const isOver = exited.then(() => true)
  while (!output.includes('Ready at') && !await Promise.race([isOver, delay(20, false)]));
  return { pid: child.pid!, output: () => output, exited }
}

t.test('start becomes the service, opens its app, and says in a sentence what keeps it from it', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'xdg-open'), '#!/bin/sh\n{ echo "$1"; env; } > "$HOME/opening"\nmv "$HOME/opening" "$HOME/opened"\n', { mode: 0o755 })
  writeFileSync(join(folder, 'password'), 'typed in a file\n')
  const PATH = `${programs}${delimiter}${process.env.PATH ?? ''}`
  writeFileSync(join(folder, '.env'), 'SVC_WEBUI_PASSWORD=overridden by the option\n')
  const service = await started(t, folder, ['--open', '--password-file', 'password', '--workspace', 'work'], { PATH, OPENAI_API_KEY: 'sk-0123456789' })
  rmSync(join(folder, '.env'))
  t.match(service.output(), /Ready at http:\/\/127\.0\.0\.1:\d+ — .*; sign-in required\.\n/)
  t.match(await json(folder, 'status'), { pid: service.pid, sign_in: ['password'] }, 'the same process')
  t.equal(await signIn({ url: /Ready at (\S+)/.exec(service.output())?.[1] ?? '' }, 'typed in a file'), 200)
  if (process.platform === 'linux') {
    while (!existsSync(join(folder, 'opened'))) await delay(20)
    const opened = readFileSync(join(folder, 'opened'), 'utf8')
    t.match(opened, /^http:\/\/localhost:\d+\/\n/)
    t.notMatch(opened, /PASSWORD|sk-0123456789|typed in a file/)
    if (process.execve !== undefined) t.match(readFileSync(`/proc/${service.pid}/cmdline`, 'utf8'), /--max-semi-space-size=4\0.*server\.js\0/)
    t.notMatch(readFileSync(`/proc/${service.pid}/environ`, 'utf8'), 'typed in a file')
  }
  t.match(await run(folder, ['reset-password'], { input: 'x' }), { code: 1, errors: /set by SVC_WEBUI_PASSWORD/ })
  t.match(await run(folder, ['stop', '--timeout', '20']), { code: 0 })
  t.equal(await service.exited, 0)

  const port = await listening(t, createServer())
  for (const [args, said] of [
    [['--port', String(port)], /Another program already listens on .*--port \d+/], [['--password-file', 'none'], /^The password file none does not exist: correct the path, or write the secret to this file\n$/],
    [['--host', '0.0.0.0'], /SVC_WEBUI_HOST=0\.0\.0\.0 is reachable from other machines: set SVC_WEBUI_PASSWORD/], [['--home', 'password'], /password.* cannot be used: there is a file where a folder should be/]
  ] as const) t.match(await run(folder, ['start', ...args]), { code: 1, errors: said }, args.join(' '))
  for (const port of ['x', '70000', '-1']) t.match(await run(folder, ['start', `--port=${port}`]), { code: 2, errors: /from 0 to 65535/ })
  if (process.getuid?.() !== 0) {
    mkdirSync(join(folder, 'closed'))
    chmodSync(join(folder, 'closed'), 0o500)
    t.match(await run(folder, ['start', '--home', 'closed/home']), { code: 1, errors: /cannot be opened.*must be able to read and write/ })
  }
})

t.test('what a command says arrives whole, or it fails', { skip: process.platform !== 'linux' }, async (t) => {
  const shell = async (script: string): Promise<Ended> => await new Promise((resolve) => {
    execFile('/bin/bash', ['-c', script, process.execPath, program, 'x'.repeat(100_000)], (error, output, errors) => {
      resolve({ code: error === null ? 0 : Number(error.code), output, errors })
    })
  })
  const slow = await shell('"$0" "$1" "$2" --json | { sleep 1; cat; }')
  t.match(JSON.parse(slow.output), { error: /^There is no command "xxx/, exit_code: 2 }, 'to a reader that is slow, more than a pipe holds')
  t.match(await shell('"$0" "$1" --version > /dev/full'), { code: 1, errors: /could not be written \(ENOSPC\)/ })
  t.match(await shell('"$0" "$1" --help | true; echo "$PIPESTATUS"'), { output: '0\n', errors: '' }, 'whoever has gone has read enough')
})

t.test('a user who may not open the state folder is told so, not that no service runs', { skip: process.getuid?.() === 0 ? false : 'needs root' }, async (t) => {
  const folder = temporaryFolder(t, 'cli')
  mkdirSync(join(folder, 'home', 'webui'), { recursive: true, mode: 0o700 })
  for (const at of [folder, dirname(folder)]) chmodSync(at, 0o755)
  for (const [words, exitCode] of [['status', 1], ['stop', 1], ['update', 1], ['backup', 1], ['restore x', 1], ['audit verify', 2]] as const) {
    const { status, stderr } = spawnSync(process.execPath, [program, ...words.split(' ')], { uid: 65_534, gid: 65_534, env: environmentOf(folder), encoding: 'utf8' })
    t.match({ status, stderr }, { status: exitCode, stderr: /may not open the state folder .*sudo -u '#0' / }, words)
  }
})

t.test('a service that does not listen to commands is stopped by a signal', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  const server = await spawnServer(t, folder)
  rmSync(join(folder, 'home', 'webui', 'console'), { recursive: true })
  t.match(await run(folder, ['status']), { code: 1, output: new RegExp(`process ${server.pid}`) })
  t.match(await run(folder, ['stop']), { code: 0 })
  t.equal(await server.exited, 0)
})

t.test('a state folder in which no socket can be made keeps nobody from serving', async (t) => {
  const folder = temporaryFolder(t, 'cli')
  mkdirSync(join(folder, 'home', 'webui'), { recursive: true, mode: 0o700 })
  writeFileSync(join(folder, 'home', 'webui', 'console'), 'a file')
  const server = await spawnServer(t, folder)
  t.equal((await server.json('/health')).status, 'ok')
  t.match(server.output(), /could not be opened/)
})

t.test('the unit of systemd is one that systemd takes', async (t) => {
  const folder = temporaryFolder(t, 'a cli $HOME 100%')
  const { code, output } = await run(folder, ['service', 'install', '--print', '--port', '9000', '--workspace', 'my "work"'])
  t.equal(code, 0)
  t.match(output, /ExecStart=.*server\.js"\n[^]*SVC_WEBUI_PORT=9000[^]*WantedBy=default\.target/)
  const fromNpx = { PATH: `/tmp/node_modules/.bin:/npm/bin/node-gyp-bin:/usr/bin:${process.env.PATH ?? ''}`, npm_execpath: '/npm/bin/npx-cli.js' }
  t.match(await run(folder, ['service', 'install', '--print'], { env: fromNpx }), { code: 0, output: /"PATH=\/usr\/bin:/ }, 'without what npx has put in front')
  const programs = join(folder, 'programs')
  mkdirSync(programs)
  writeFileSync(join(programs, 'systemctl'), `#!/bin/sh
echo "$*" >> "$HOME/systemctl.log"
[ -e "$HOME/no-bus" ] && { echo "Failed to connect to bus" >&2; exit 1; }
[ -e "$HOME/looks" ] && read -r active sub status < "$HOME/looks"
case "$*" in
  *=ActiveState*) if rm "$HOME/first" 2> /dev/null; then echo active; echo failed > "$HOME/state"; else cat "$HOME/state" 2> /dev/null || echo "$active"; fi;;
  *is-enabled*) if [ -e "$HOME/enabled" ]; then echo enabled; else echo disabled; exit 1; fi;;
  *=SubState*) echo "$sub";;
  *=ExecMainStatus*) echo "$status"; rm "$HOME/looks";;
esac
exit 0
`, { mode: 0o755 })
  writeFileSync(join(programs, 'journalctl'), '#!/bin/sh\ncat "$HOME/problems" 2> /dev/null || echo "Another program already listens"\n', { mode: 0o755 })
  const env = { PATH: `${programs}${delimiter}${process.env.PATH ?? ''}`, XDG_CONFIG_HOME: join(folder, 'config') }
  const unit = join(folder, 'config', 'systemd', 'user', 'agent-web-service.service')
  if (process.platform === 'linux') {
    writeFileSync(join(folder, 'no-bus'), '')
    t.match(await run(folder, ['service', 'install'], { env }), { code: 1, errors: /systemctl --user daemon-reload failed: Failed to connect to bus\. (systemd does not run on this machine\. Make whatever starts programs here run|su and sudo open no session for)/ })
    t.match(await run(folder, ['service', 'install'], { env: { ...env, PATH: programs.replace('programs', 'none') } }), { code: 1, errors: /^This machine has no systemctl\. Make whatever starts programs here run / })
    t.match(wayToSystemd(true, 'agent'), /^su and sudo open no session for agent\. Sign in as agent with ssh or "sudo machinectl shell agent@"/)
    t.notOk(existsSync(unit))
    rmSync(join(folder, 'no-bus'))
    writeFileSync(join(folder, 'state'), 'failed\n')
    t.match(await run(folder, ['service', 'install', '--port', '9000'], { env }), { code: 1, output: '', errors: 'The service does not start: Another program already listens\n' })
    t.notOk(existsSync(unit))
    rmSync(join(folder, 'state'))
    t.match(await run(folder, ['service', 'install', '--port', '9000'], { env }), { code: 0, output: /^Installed: [^]*sudo loginctl enable-linger/ })
    t.match(readFileSync(unit, 'utf8'), 'SVC_WEBUI_PORT=9000')
    t.match(await run(folder, ['status'], { env }), { code: 3, output: /Start it: systemctl --user start agent-web-service\n$/ })
    t.match(await run(folder, ['status', '--home', 'other'], { env }), { code: 3, output: /Start it: npm start\n$/ }, 'of which nothing is installed')
    const elsewhere = { ...env, SVC_WEBUI_STATE_DIR: join(folder, 'elsewhere') }
    t.match(await run(folder, ['status'], { env: elsewhere }), { code: 3, output: /Start it: npm start\n$/ }, 'which has another state folder')
    const own = readFileSync(unit, 'utf8')
    writeFileSync(join(folder, 'state'), 'failed\n')
    t.match(await run(folder, ['service', 'install', '--port', '9001'], { env }), { code: 1, errors: /^The service does not start: Another program already listens/ })
    t.equal(readFileSync(unit, 'utf8'), own, 'the unit that was there is kept')
    t.match(readFileSync(join(folder, 'systemctl.log'), 'utf8'), /--user show [^\n]*\n--user daemon-reload\n--user stop agent-web-service\n--user disable agent-web-service\n$/)
    // The first look is at the service that was installed before, which runs.
    for (const [isEnabled, last] of [[true, ''], [false, '--user disable agent-web-service\n']] as const) {
      rmSync(join(folder, 'state'), { force: true })
      writeFileSync(join(folder, 'first'), '')
      if (isEnabled) writeFileSync(join(folder, 'enabled'), '')
      t.match(await run(folder, ['service', 'install', '--home', 'other'], { env }), { code: 1 })
      t.equal(readFileSync(unit, 'utf8'), own)
      t.match(readFileSync(join(folder, 'systemctl.log'), 'utf8'), new RegExp(`ActiveState[^\n]*\n[^]*--user reset-failed agent-web-service\n--user restart agent-web-service\n${last}$`), 'the service of another home runs again')
      rmSync(join(folder, 'enabled'), { force: true })
    }
    writeFileSync(join(folder, 'problems'), 'The configuration is invalid:\n- SVC_WEBUI_PORT must be a port number\n- LOG_LEVEL must be a level\n')
    t.match(await run(folder, ['service', 'install'], { env }), { code: 1, errors: 'The service does not start:\n  - SVC_WEBUI_PORT must be a port number\n  - LOG_LEVEL must be a level\n' })
    rmSync(join(folder, 'problems'))
    t.match(await run(folder, ['doctor'], { env }), { output: /The service does not run; port 9000 is free\./ })
    mkdirSync(`${unit}.d`)
    writeFileSync(join(`${unit}.d`, 'override.conf'), '[Service]\nEnvironment=SVC_WEBUI_PORT=9002\n')
    t.match(await run(folder, ['doctor'], { env }), { output: /The service does not run; port 9002 is free\./ }, 'as its owner has edited it')
    const inUnit = (path: string): string => path.replaceAll('%', '%%')
    writeFileSync(join(folder, '.env'), 'SVC_WEBUI_PORT=9003\n')
    writeFileSync(join(`${unit}.d`, 'override.conf'), `[Service]\nEnvironment=\nEnvironment="SVC_HOME=${inUnit(join(folder, 'home'))}"\nWorkingDirectory=${inUnit(folder)}\n`)
    t.match(await run(folder, ['doctor'], { env }), { output: /The service does not run; port 9003 is free\./ }, 'with .env of the folder that the service is started in')
    rmSync(join(folder, '.env'))
    rmSync(`${unit}.d`, { recursive: true })
    t.match(await run(folder, ['doctor', '--home', 'other'], { env }), { output: /The service does not run; port 8787 is free\./ })
    rmSync(join(folder, 'state'))
    t.match(await run(folder, ['service', 'install'], { env: elsewhere }), { code: 0 })
    t.match(await run(folder, ['status'], { env: elsewhere }), { code: 3, output: /Start it: systemctl --user start agent-web-service\n$/ })
    t.match(await run(folder, ['status'], { env }), { code: 3, output: /Start it: npm start\n$/ }, 'whose state folder the unit does not use')
    rmSync(unit)
    mkdirSync(unit)
    t.match(await run(folder, ['status'], { env }), { code: 3, output: /Start it: npm start\n$/ }, 'a unit that cannot be read')
    rmSync(unit, { recursive: true })
    for (const [states, result] of [
      ['activating auto-restart 75', { code: 0, output: /^Installed: / }],
      ['activating auto-restart 64', { code: 1, errors: 'The service does not start: Another program already listens\n' }]
    ] as const) {
      // The next look finds no state, which ends the wait.
      writeFileSync(join(folder, 'looks'), states)
      t.match(await run(folder, ['service', 'install'], { env }), result, states)
    }
    writeFileSync(unit, own)
    t.match(await run(folder, ['service', 'uninstall'], { env }), { code: 0 })
    t.notOk(existsSync(unit))
    t.match(readFileSync(join(folder, 'systemctl.log'), 'utf8'), /--user enable agent-web-service\n--user reset-failed agent-web-service\n--user restart agent-web-service\n[^]*--user disable --now agent-web-service\n--user daemon-reload\n$/)
  }
  t.match(await run(folder, ['service', 'logs']), { code: 1, errors: /No service is installed/ })
  t.match(await run(folder, ['service', 'uninstall']), { code: 1, errors: /No service is installed/ })
  if (process.platform !== 'linux') return
  const file = join(folder, 'agent-web-service.service')
  writeFileSync(file, output)
  const verdict = await new Promise<{ error: Error | null, errors: string }>((resolve) => {
    execFile('systemd-analyze', ['verify', '--user', '--man=no', file], { env: { PATH: process.env.PATH, XDG_RUNTIME_DIR: folder } }, (error, _output, errors) => { resolve({ error, errors }) })
  })
  if ((verdict.error as NodeJS.ErrnoException | null)?.code === 'ENOENT') t.comment('there is no systemd-analyze')
  else t.notMatch(verdict.errors, /agent-web-service\.service:\d+|Unknown|Failed to parse|not absolute|Invalid/, verdict.errors)
})
