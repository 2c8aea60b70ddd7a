// node scripts/first-approval.js package <file.tgz> | clone [--proxy nginx]
// Measures how long a new user needs: from an empty folder, with the commands of the documentation, to an approval that a paired phone has
// answered behind TLS. `package` installs a packed release (npm run release), `clone` clones this repository and builds it. Prints the
// seconds of each step. Needs git, curl and caddy; or, for the recipe of nginx in docs/reverse-proxy.md, nginx and openssl.
import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs, promisify } from 'node:util'
import { freePort } from './free-port.js'

const limitMs = 5 * 60_000
const message = 'run mkdir -p old && rm -r old'

const { positionals: [kind, archive], values: { proxy } } = parseArgs({ allowPositionals: true, options: { proxy: { type: 'string', default: 'caddy' } } })
if (!['caddy', 'nginx'].includes(proxy) || (kind !== 'clone' && !(kind === 'package' && archive !== undefined))) {
  console.error('usage: node scripts/first-approval.js package <file.tgz> | clone [--proxy nginx]')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'first-approval-'))
const home = join(folder, 'home')
const own = homedir()
const environment = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_') && name !== 'CI')),
  // The cache and the settings of npm are those of the person who runs this; everything else is new.
  HOME: home, npm_config_cache: process.env.npm_config_cache ?? join(own, '.npm'), npm_config_userconfig: join(own, '.npmrc'),
  XDG_DATA_HOME: join(folder, 'data'),
  SVC_WEBUI_PASSWORD_FILE: join(folder, 'password'), SVC_WEBUI_TRUSTED_PROXIES: 'loopback', SVC_WEBUI_PROBE_LOCAL: '0'
}
const started = []
let address = ''
/** The file with the certificate that the phone trusts. */
let authority = ''
const beganMs = performance.now()
let lastMs = beganMs

try {
  mkdirSync(home)
  writeFileSync(join(folder, 'password'), 'a long password\n', { mode: 0o600 })
  const program = install()
  step('installed')
  // Chosen late, because another program may take a free port meanwhile.
  const [port, tlsPort] = [await freePort(), await freePort()]
  environment.SVC_WEBUI_PORT = String(port)
  address = `https://localhost:${tlsPort}`
  start(program.start, program.folder)
  await until('the service', async () => (await fetch(`http://127.0.0.1:${port}/health`)).status === 200)
  step('started')
  authority = proxy === 'caddy' ? caddy(port) : nginx(port, tlsPort)
  await until('the proxy', async () => (await ask('/livez')).length > 0)
  step('behind TLS')
  const { code } = JSON.parse(run([...program.command, 'pair', '--json', '--url', address], program.folder))
  const { token } = JSON.parse(await ask('/api/auth/pair', { code }))
  step('paired')
  const asPhone = async (path, body) => JSON.parse(await ask(path, body, token))
  const { session: { session_id: session } } = await asPhone('/api/session/new', {})
  await asPhone('/api/chat/start', { session_id: session, message })
  let approval
  await until('the approval', async () => {
    const { pending } = await asPhone(`/api/approval/pending?session_id=${session}`)
    approval = pending?.approval_id
    return approval !== undefined
  })
  await asPhone('/api/approval/respond', { session_id: session, approval_id: approval, choice: 'once' })
  await until('the end of the turn', async () => (await asPhone(`/api/session/status?session_id=${session}`)).active_stream_id === null)
  step('approval answered')
  console.log(`${kind}: ${seconds(beganMs)} s in all`)
} finally {
  for (const child of started.toReversed()) {
    child.kill('SIGTERM')
    await Promise.race([once(child, 'close'), delay(15_000, undefined, { ref: false })])
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

/** Installs as the README says. Returns the commands that start the service, and that administer it. */
function install () {
  const place = join(folder, 'program')
  if (kind === 'clone') {
    execFileSync('git', ['clone', '--quiet', '--no-hardlinks', resolve('.'), place], { stdio: 'inherit' })
    run(['npm', 'ci'], place)
    return { folder: place, start: ['npm', 'start'], command: ['node', 'scripts/cli.js'] }
  }
  mkdirSync(place)
  run(['npm', 'install', resolve(archive)], place)
  const command = [join(place, 'node_modules/.bin/agent-web-service')]
  return { folder: place, start: command, command }
}

function caddy (port) {
  writeFileSync(join(folder, 'Caddyfile'), '{\n\tskip_install_trust\n\tadmin off\n\tauto_https disable_redirects\n}\n' +
    `${address} {\n\ttls internal\n\treverse_proxy 127.0.0.1:${port} {\n\t\tflush_interval -1\n\t}\n}\n`)
  start(['caddy', 'run', '--config', join(folder, 'Caddyfile')], folder)
  return join(environment.XDG_DATA_HOME, 'caddy/pki/authorities/local/root.crt')
}

/** Starts nginx with the recipe of the documentation, at these ports and with a certificate of its own. */
function nginx (port, tlsPort) {
  const [certificate, key] = ['pem', 'key'].map((end) => join(folder, `localhost.${end}`))
  run(['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost', '-keyout', key, '-out', certificate], folder)
  const recipe = /```nginx\n([^]*?)```/.exec(readFileSync('docs/reverse-proxy.md', 'utf8'))[1]
    .replace('443', String(tlsPort)).replaceAll('chat.example.org', 'localhost').replace('8787', String(port))
    .replace('/etc/ssl/localhost.pem', certificate).replace('/etc/ssl/localhost.key', key)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(folder, name)};`).join('\n')
  writeFileSync(join(folder, 'nginx.conf'), `daemon off;\npid ${join(folder, 'nginx.pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${recipe}}\n`)
  start(['nginx', '-p', folder, '-e', 'stderr', '-c', join(folder, 'nginx.conf')], folder)
  return certificate
}

function run ([program, ...args], cwd) {
  return execFileSync(program, args, { cwd, env: environment, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function start ([program, ...args], cwd) {
  const child = spawn(program, args, { cwd, env: environment, stdio: ['ignore', 'ignore', 'pipe'] })
  child.said = ''
  child.stderr.on('data', (text) => { child.said = `${child.said}${text}`.slice(-2_000) })
  child.once('error', (error) => { child.said = error.message })
  started.push(child)
}

/** Sends a request through the proxy, with the certificate of its own authority. */
async function ask (path, body, token) {
  const args = ['-sS', '--fail-with-body', '--cacert', authority]
  if (token !== undefined) args.push('-H', `Authorization: Bearer ${token}`)
  if (body !== undefined) args.push('-H', 'Content-Type: application/json', '--data', JSON.stringify(body))
  const { stdout } = await promisify(execFile)('curl', [...args, `${address}${path}`])
  return stdout
}

async function until (what, isSo) {
  let reason
  for (const endMs = performance.now() + limitMs; performance.now() < endMs; await delay(50)) {
    try {
      if (await isSo()) return
    } catch (error) {
      reason = error
    }
    const gone = started.find(({ exitCode }) => exitCode !== null)
    if (gone !== undefined) throw new Error(`A program ended while ${what} was awaited: ${gone.said}`)
  }
  throw new Error(`Waited for ${what} in vain: ${reason?.message ?? ''}`)
}

function step (what) {
  console.log(`${what}: ${seconds(lastMs)} s`)
  lastMs = performance.now()
}

function seconds (sinceMs) {
  return ((performance.now() - sinceMs) / 1_000).toFixed(1)
}
