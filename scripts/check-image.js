// scripts/image.sh check [tag] [first]: starts the image in every way that docs/docker.md describes, or only in the first, and reports for
// each whether the health check, a turn, a commit and its push over ssh worked. Exit code 1 if something failed. Needs root, because it
// gives folders to the users of the containers; docker or podman; and sshd (openssh-server).
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from './free-port.js'

const [, , image = 'agent-web-service', extent] = process.argv
const startLimitMs = 120_000
const password = randomBytes(16).toString('hex')
if (process.getuid() !== 0) stop('Run it as root (sudo): it gives folders to the users of the containers.')
const engine = ['docker', 'podman'].find((name) => spawnSync(name, ['info'], { stdio: 'ignore' }).status === 0)
if (engine === undefined) stop('Neither docker nor podman works here.')
const isPodman = engine === 'podman'
const folder = mkdtempSync(join(tmpdir(), 'image-'))
chmodSync(folder, 0o755)

const readOnly = [
  '--read-only', '--tmpfs', '/tmp:exec,mode=1777', '--tmpfs', '/home/node:exec,mode=1777', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'
]
const sandbox = [
  `seccomp=${join(process.cwd(), 'packaging/seccomp.json')}`, isPodman ? 'unmask=ALL' : 'systempaths=unconfined', ...appArmor()
].flatMap((option) => ['--security-opt', option])
/** `user`: the owner of the mounted files. */
const ways = [
  { name: 'as it is, read-only', user: 1000, options: readOnly },
  { name: 'any user, --user 12345:0, read-only', user: 12_345, group: 0, options: [...readOnly, '--user', '12345:0'] },
  {
    name: 'PUID=99 PGID=100, started as root',
    user: 99,
    group: 100,
    options: ['--cap-drop', 'ALL', ...['SETUID', 'SETGID', 'CHOWN'].flatMap((name) => ['--cap-add', name]), '--user', '0:0', '--env', 'PUID=99', '--env', 'PGID=100']
  },
  { name: 'with a sandbox', user: 1000, options: [...readOnly, ...sandbox], kind: 'bwrap' },
  { name: 'the container is the boundary', user: 1000, options: [...readOnly, '--env', 'SVC_WEBUI_SANDBOX=container'], kind: 'container' },
  { name: 'the container is the boundary, any user', user: 12_345, group: 0, options: [...readOnly, '--user', '12345:0', '--env', 'SVC_WEBUI_SANDBOX=container'], kind: 'container' }
]

/** What a command tries in a container that is its boundary: none of these may print GOT. */
const attacks = [
  'cat /data/webui/service.db', 'ls -R /data', 'echo x >>/data/config.yaml', 'rm -rf /data/webui/service.db', 'mv /data/webui /data/w', 'mkdir /data/x', 'truncate -s 0 /data/webui/service.db',
  'cat /proc/1/environ', 'cat /proc/*/environ 2>/dev/null | grep -za SVC_', 'ls /home/node/.ssh', 'cat /home/node/.ssh/id_ed25519', 'echo x >/home/node/.gitconfig', 'ls /run/secrets', 'ls /app',
  'ln -s /data d && ls d/', 'ln /data/webui/service.db here', 'perl -MSocket -e "socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 1"', 'unshare -Ur ls /data', 'mount -t tmpfs none /tmp',
  'setpriv --landlock-access fs --landlock-rule path-beneath:read-dir:/data -- ls /data', 'for p in $(grep -lsx MainThread /proc/[0-9]*/comm | tr -dc "0-9\\n"); do kill -USR1 $p || exit 1; done',
  'ulimit -x 5', 'prlimit --locks=5 true', 'curl -sf http://127.0.0.1:9229/json'
]

let failures = 0
const service = await ssh()
try {
  sizes()
  programs()
  for (const way of extent === 'first' ? ways.slice(0, 1) : ways) await tryOut(way)
} finally {
  service.close()
  rmSync(folder, { recursive: true, force: true })
}
process.exitCode = failures === 0 ? 0 : 1

function stop (reason) {
  console.error(reason)
  process.exit(2)
}

function run (...args) {
  const { status, stdout, stderr } = spawnSync(engine, args, { encoding: 'utf8' })
  return { status, text: `${stdout}${stderr}`.trim() }
}

/** Returns the option that lets bubblewrap mount where the engine has a profile of AppArmor, after loading the one of docs/docker.md. */
function appArmor () {
  if (!run('info', '--format', '{{json .}}').text.includes('"name=apparmor')) return []
  const { status, stderr } = spawnSync('apparmor_parser', ['--replace', 'packaging/apparmor/agent-web-service'], { encoding: 'utf8' })
  if (status !== 0) console.log(`The profile of AppArmor could not be loaded: ${stderr}`)
  return [`apparmor=${status === 0 ? 'agent-web-service' : 'unconfined'}`]
}

/** Looks for the programs that a variant of the image is for. */
function programs () {
  const wanted = ['bwrap', 'git', 'rg', 'ssh', ...image.endsWith(':full') ? ['python3', 'pip3', 'make', 'cc', 'curl', 'jq', 'espeak-ng', 'ffmpeg'] : []]
  const script = `for name in ${wanted.join(' ')}; do command -v "$name" >/dev/null || { echo "$name is missing"; missing=yes; }; done; [ -z "\${missing:-}" ]`
  const { status, text } = run('run', '--rm', ...isPodman ? ['--no-healthcheck'] : [], '--network', 'none', '--entrypoint', 'sh', image, '-c', script)
  say('has its programs', status === 0, text)
}

function sizes () {
  const layers = run('history', '--format', '{{.Size}}\t{{.CreatedBy}}', '--no-trunc', image).text.split('\n')
  const bytes = Number(run('image', 'inspect', '--format', '{{.Size}}', image).text)
  console.log(`${image}: ${Math.round(bytes / 1e6)} MB`)
  for (const layer of layers.filter((line) => !/^0 ?B/.test(line)).slice(0, 12)) console.log(`  ${layer.slice(0, 110)}`)
}

/** Starts a server for pushes, with the keys in `folder`. */
async function ssh () {
  const port = await freePort()
  const keys = join(folder, 'keys')
  mkdirSync(keys)
  for (const name of ['host', 'client']) execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(keys, name)])
  const program = ['/usr/sbin/sshd', '/usr/local/sbin/sshd'].find((path) => spawnSync(path, ['-V']).error === undefined) ?? stop('Install sshd: apt-get install openssh-server')
  mkdirSync('/run/sshd', { recursive: true })
  // A server without PAM refuses the key of an account whose password is locked, as root's is on Ubuntu.
  const isLocked = /^root:!/m.test(readFileSync('/etc/shadow', 'utf8'))
  const server = spawn(program, ['-D', '-e', '-p', String(port), '-h', join(keys, 'host'), '-f', '/dev/null', '-o', `AuthorizedKeysFile=${join(keys, 'client.pub')}`,
    '-o', 'StrictModes=no', '-o', `UsePAM=${isLocked ? 'yes' : 'no'}`, '-o', 'ListenAddress=127.0.0.1', '-o', 'PidFile=none'], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  server.stderr.on('data', (text) => { said = `${said}${text}`.slice(-2_000) })
  return { port, keys, said: () => said, close: () => server.kill() }
}

async function tryOut ({ name, user, group = user, options, kind = null }) {
  console.log(`\n${name}`)
  const owner = ['--user', `${user}:${group}`]
  const container = `image-check-${process.pid}`
  const port = await freePort()
  const home = join(folder, `user-${user}-${port}`)
  const repository = join(home, 'remote.git')
  for (const path of ['ssh', 'data', 'workspace']) mkdirSync(join(home, path), { recursive: true, mode: 0o700 })
  chmodSync(home, 0o755)
  execFileSync('git', ['init', '--quiet', '--bare', repository])
  writeFileSync(join(home, 'ssh/id_ed25519'), readFileSync(join(service.keys, 'client')), { mode: 0o600 })
  writeFileSync(join(home, 'ssh/known_hosts'), `[127.0.0.1]:${service.port} ${readFileSync(join(service.keys, 'host.pub'), 'utf8')}`)
  for (const path of ['ssh', 'ssh/id_ed25519', 'data', 'workspace']) chownSync(join(home, path), user, user)
  const startedMs = performance.now()
  // Podman's health checks are systemd timers, which not every machine has.
  const started = run('run', '--detach', '--name', container, '--network', 'host', ...isPodman ? ['--no-healthcheck'] : [], ...options, '--env', `SVC_WEBUI_PORT=${port}`, '--env', `SVC_WEBUI_PASSWORD=${password}`,
    '--env', 'SVC_WEBUI_PROBE_LOCAL=0', ...['AUTHOR', 'COMMITTER'].flatMap((who) => ['--env', `GIT_${who}_NAME=Ada`, '--env', `GIT_${who}_EMAIL=ada@example.org`]),
    '--volume', `${join(home, 'data')}:/data`, '--volume', `${join(home, 'workspace')}:/workspace`, '--volume', `${join(home, 'ssh')}:/home/node/.ssh:ro`, image)
  try {
    if (!say('starts', started.status === 0, started.text)) return
    const address = `http://127.0.0.1:${port}`
    const isUp = await until(async () => (await fetch(`${address}/health`).catch(() => null))?.status === 200)
    if (!say('answers', isUp, isUp ? `${Math.round(performance.now() - startedMs)} ms` : run('logs', container).text.slice(-1_500))) return
    const health = run('exec', ...owner, container, 'bash', '-c', 'for command in healthcheck "node -e 0"; do begun=$(date +%s%3N); $command || exit 1; echo "$(($(date +%s%3N) - begun)) ms"; done')
    say('health check, beside the mere start of node', health.status === 0, health.text.replaceAll('\n', ', '))
    const first = run('exec', container, 'sh', '-c', 'echo "$(tr "\\0" " " </proc/1/cmdline | cut -c1-40), user $(stat -c %u /proc/1)"')
    say('runs below an init', first.text.startsWith('tini ') && first.text.endsWith(` user ${user}`), first.text)

    const call = await signIn(address)
    const { sandbox: found } = await call('/api/system/health')
    say('commands', found.kind === kind, found.note)
    run('exec', ...owner, container, 'git', 'init', '--quiet', '--initial-branch', 'main', '/workspace')
    run('exec', ...owner, container, 'git', '-C', '/workspace', 'remote', 'add', 'origin', `ssh://${userInfo().username}@127.0.0.1:${service.port}${repository}`)
    const { session: { session_id: session } } = await call('/api/session/new', {})
    const wrote = await turn(call, session, 'write a.txt: hello', 'once')
    say('a turn', /a\.txt/.test(wrote), wrote.slice(0, 200))
    const committed = await call('/api/git/commit-selected', { session_id: session, message: 'By the service', paths: ['a.txt'] })
    say('a commit', committed.ok === true, JSON.stringify(committed).slice(0, 200))
    const pushed = await call('/api/git/push', { session_id: session })
    const log = spawnSync('git', ['--git-dir', repository, 'log', '--format=%an <%ae>, %cn: %s', 'main'], { encoding: 'utf8' })
    say('a push over ssh', log.stdout.trim() === 'Ada <ada@example.org>, Ada: By the service', `${log.stdout.trim()} ${pushed.error ?? ''} ${log.status === 0 ? '' : service.said()}`)
    if (kind !== null) {
      const ran = await turn(call, session, 'run id -u && touch made && git log --oneline && getent hosts localhost')
      say('a command, without asking', ran.includes('By the service'), ran.slice(-300))
    }
    if (kind === 'container') {
      for (const attack of attacks) {
        // Written to a script, whose contents the policy does not read.
        writeFileSync(join(home, 'workspace/attack.sh'), `(${attack}) && echo GOT; echo tried\n`)
        const answer = await turn(call, session, 'run bash attack.sh')
        say(attack, answer.includes('tried') && !answer.includes('GOT'), answer.split('tried')[0].trim().slice(-150))
      }
    }
    const doctor = run('exec', ...owner, container, 'node', 'dist/doctor.js')
    say('doctor', /Sandbox for commands/.test(doctor.text), doctor.text.split('\n').filter((line) => /^[✗!] /.test(line)).join('; '))
    const stoppingMs = performance.now()
    run('stop', '--time', '20', container)
    const code = run('inspect', '--format', '{{.State.ExitCode}}', container).text
    say('stops', code === '0', `${code}, ${Math.round(performance.now() - stoppingMs)} ms`)
  } finally {
    run('rm', '--force', container)
  }
}

function say (what, isGood, details = '') {
  if (!isGood) failures++
  console.log(`  ${isGood ? '✓' : '✗'} ${what}${details === '' ? '' : `: ${details.replaceAll('\n', '\n      ')}`}`)
  return isGood
}

async function signIn (address) {
  const answer = await fetch(`${address}/api/auth/login`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password }) })
  const cookie = answer.headers.getSetCookie().map((line) => line.split(';', 1)[0]).join('; ')
  const { csrf_token: token } = await (await fetch(`${address}/api/auth/status`, { headers: { cookie } })).json()
  return async (path, body) => await (await fetch(`${address}${path}`, {
    headers: { cookie, 'x-svc-csrf-token': token, 'content-type': 'application/json' }, ...body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  })).json()
}

/** Starts a turn and waits for its end. Returns what its tools and its answer said. `choice` answers every approval. */
async function turn (call, session, message, choice = 'deny') {
  await call('/api/chat/start', { session_id: session, message })
  const isOver = await until(async () => {
    const { pending } = await call(`/api/approval/pending?session_id=${session}`)
    if (pending?.approval_id !== undefined) await call('/api/approval/respond', { session_id: session, approval_id: pending.approval_id, choice })
    const { session: { active_stream_id: stream } } = await call(`/api/session?session_id=${session}`)
    return stream === null || stream === undefined
  })
  const { session: { messages } } = await call(`/api/session?session_id=${session}`)
  const last = messages.slice(messages.findLastIndex(({ role }) => role === 'user') + 1)
  return `${isOver ? '' : '(did not end) '}${last.map(({ content }) => content).join('\n')}`
}

async function until (isSo) {
  for (const endMs = performance.now() + startLimitMs; performance.now() < endMs; await delay(100)) if (await isSo()) return true
  return false
}
