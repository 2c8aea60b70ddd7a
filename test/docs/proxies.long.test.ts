import { execFile, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from '#test'
import { asset } from '../../services/ground/assets.js'
import { temporaryFolder } from '../support/folder.js'
import { readDocument } from '../support/documents.js'
import { freePort } from '../support/listening.js'
import { needs } from '../support/programs.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const password = 'correct horse'
/** Names in the recipes, which are replaced here. */
const publicName = 'chat.example.org'
const listens = '127.0.0.1:8787'

const recipe = (language: string): string => {
  const found = readDocument('docs/reverse-proxy.md').blocks.find((block) => block.language === language)
  if (found === undefined) throw new Error(`docs/reverse-proxy.md has no recipe for ${language}`)
  return found.code
}

interface Place { folder: string, port: number, service: ServerProcess, certificate: string, key: string }

/** Starts a service with a password that trusts the proxy on its machine, with what a proxy needs for TLS. */
async function place (t: Test): Promise<Place> {
  const folder = temporaryFolder(t, 'proxy')
  const [certificate, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-keyout', key, '-out', certificate, '-subj', '/CN=localhost',
    '-addext', 'subjectAltName=DNS:localhost'
  ], { stdio: 'ignore' })
  const service = await spawnServer(t, folder, { SVC_WEBUI_PASSWORD: password, SVC_WEBUI_TRUSTED_PROXIES: 'loopback', OFFLINE_DEMO_WORDS_PER_SECOND: '20' })
  return { folder, port: await freePort(), service, certificate, key }
}

/** Runs a proxy until the test is over; resolves when it accepts connections. */
async function runProxy (t: Test, { port, certificate }: Place, program: string, args: string[], environment: Record<string, string> = {}): Promise<void> {
  const proxy = spawn(program, args, { env: { PATH: process.env.PATH, ...environment }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const channel of [proxy.stdout, proxy.stderr]) channel.setEncoding('utf8').on('data', (text: string) => { said += text })
  const ended = once(proxy, 'close')
  t.teardown(async () => {
    proxy.kill('SIGTERM')
    await ended
  })
  while (await ask({ port, certificate }, '/livez').then(() => false, () => true)) {
    if (proxy.exitCode !== null) throw new Error(`${program} ended: ${said}`)
    await pause(50)
  }
}

interface Answer { status: number, headers: Record<string, string | string[] | undefined>, text: string, at: number[] }

/** Sends a request through the proxy, and records when each piece of the answer arrived. */
async function ask (
  { port, certificate }: Pick<Place, 'port' | 'certificate'>, path: string, { headers = {}, body }: { headers?: Record<string, string>, body?: string | Buffer } = {}
): Promise<Answer> {
  return await new Promise((resolve, reject) => {
    const json = typeof body === 'string' ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) } : {}
    const asked = request({
      host: '127.0.0.1', servername: 'localhost', port, path, method: body === undefined ? 'GET' : 'POST', ca: readFileSync(certificate),
      headers: { host: `localhost:${port}`, ...json, ...headers }
    }, (answer) => {
      const [pieces, at]: [Buffer[], number[]] = [[], []]
      answer.on('data', (piece: Buffer) => {
        pieces.push(piece)
        at.push(performance.now())
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(pieces).toString(), at }))
      answer.on('error', reject)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

/** Does what a person and their phone do, through the proxy: sign in, pair, follow a turn, resume it, upload, and ask the doctor. */
async function useThrough (t: Test, through: Place): Promise<void> {
  const { port, service, folder, certificate } = through
  const signedIn = await ask(through, '/api/auth/login', { body: JSON.stringify({ password }), headers: { origin: `https://localhost:${port}` } })
  t.equal(signedIn.status, 200, signedIn.text)
  const cookie = String(signedIn.headers['set-cookie']?.[0])
  t.match(cookie, /; Secure/, 'the service knows that the way is encrypted')
  const me = { cookie: cookie.split(';')[0] ?? '', origin: `https://localhost:${port}` }
  const { csrf_token: csrf } = JSON.parse((await ask(through, '/api/auth/status', { headers: me })).text) as { csrf_token: string }
  const post = async (path: string, body: object, headers: Record<string, string> = { ...me, 'x-csrf-token': csrf }): Promise<Answer> =>
    await ask(through, path, { headers, body: JSON.stringify(body) })

  const code = JSON.parse((await post('/api/auth/tokens/pair', { name: 'phone', scope: 'admin' })).text) as { code: string }
  const { token } = JSON.parse((await post('/api/auth/pair', { code: code.code }, {})).text) as { token: string }
  t.match(token, /^svct_/, 'a phone is paired')
  const phone = { authorization: `Bearer ${token}` }

  const { session: { session_id: id } } = JSON.parse((await post('/api/session/new', {}, phone)).text) as { session: { session_id: string } }
  const { stream_id: stream } = JSON.parse((await post('/api/chat/start', { session_id: id, message: 'slow 60' }, phone)).text) as { stream_id: string }
  const live = await ask(through, `/api/chat/stream?stream_id=${stream}`, { headers: phone })
  t.match(live.text, /event: stream_end/)
  t.ok(live.at.length > 10 && (live.at.at(-1) ?? 0) - (live.at[0] ?? 0) > 1_000, 'it arrives while it is written')
  const seen = live.text.split('\n\n').filter((frame) => frame.includes('id: '))
  const resumed = await ask(through, `/api/chat/stream?stream_id=${stream}`, { headers: { ...phone, 'last-event-id': `${stream}:5` } })
  t.match(resumed.text, `id: ${stream}:6`)
  t.notMatch(resumed.text, `id: ${stream}:5\n`)
  t.ok(seen.length > 10)

  const boundary = 'of-the-test'
  const part = (name: string, rest: string): string => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${rest}\r\n\r\n`
  const upload = Buffer.concat([
    Buffer.from(`${part('session_id', '')}${id}\r\n${part('file', '; filename="large.bin"')}`), Buffer.alloc(20 * 1_048_576 - 1), Buffer.from(`\r\n--${boundary}--\r\n`)
  ])
  const sent = await ask(through, '/api/workspace/upload', { headers: { ...phone, 'content-type': `multipart/form-data; boundary=${boundary}` }, body: upload })
  t.equal(sent.status, 200, sent.text)

  const report = await new Promise<{ connection: Array<{ id: string, status: string, message: string }> }>((resolve) => {
    execFile(process.execPath, [asset('dist/doctor.js'), `--url=https://localhost:${port}`, '--hold=8', '--json'], {
      cwd: folder, env: { PATH: process.env.PATH, HOME: folder, SVC_HOME: join(folder, 'home'), SVC_TOKEN: token, SVC_WEBUI_PORT: new URL(service.url).port, NODE_EXTRA_CA_CERTS: certificate }
    }, (_error, output) => resolve(JSON.parse(output)))
  })
  t.ok(report.connection.length > 8, 'the way is checked')
  t.same(report.connection.filter(({ status }) => status !== 'ok' && status !== 'skipped'), [])
}

t.test('nginx as the recipe has it', { ...needs('nginx') }, async (t) => {
  const through = await place(t)
  const server = recipe('nginx').replace('listen 443 ssl', `listen 127.0.0.1:${through.port} ssl`).replace(publicName, 'localhost')
    .replace(/\/etc\/ssl\/.*\.pem/, through.certificate).replace(/\/etc\/ssl\/.*\.key/, through.key).replace(listens, new URL(through.service.url).host)
  const file = join(through.folder, 'nginx.conf')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${join(through.folder, name)};`).join('\n')
  writeFileSync(file, `daemon off;\nuser ${userInfo().username};\npid ${join(through.folder, 'pid')};\nerror_log stderr;\nevents {}\nhttp {\naccess_log off;\n${paths}\n${server}}\n`)
  await runProxy(t, through, 'nginx', ['-e', 'stderr', '-p', through.folder, '-c', file])
  await useThrough(t, through)
})

t.test('Caddy as the recipe has it', { ...needs('caddy') }, async (t) => {
  const through = await place(t)
  const site = recipe('caddyfile').replace(`${publicName} {`, `https://localhost:${through.port} {\n  tls internal`).replace(listens, new URL(through.service.url).host)
  const file = join(through.folder, 'Caddyfile')
  writeFileSync(file, `{\n  admin off\n  auto_https disable_redirects\n  skip_install_trust\n}\n${site}`)
  const data = join(through.folder, 'caddy')
  mkdirSync(data)
  // Caddy's own authority signs; its certificate exists once Caddy runs.
  const root = join(data, 'caddy/pki/authorities/local/root.crt')
  const starting = runProxy(t, { ...through, certificate: root }, 'caddy', ['run', '--config', file, '--adapter', 'caddyfile'], { HOME: data, XDG_DATA_HOME: data, XDG_CONFIG_HOME: data })
  await starting
  t.ok(existsSync(root))
  await useThrough(t, { ...through, certificate: root })
})
