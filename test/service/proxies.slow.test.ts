import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { temporaryFolder } from '../support/folder.js'
import { startGitServer } from '../support/git-http.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { makeAuthority, startProxy } from '../support/proxy.js'
import { spawnServer, type ServerProcess } from '../support/server.js'

const address = 'https://models.invalid/v1'
const login = 'me:s3cret-word'

async function answerOf (service: ServerProcess, message: string): Promise<string> {
  const { session } = await service.json('/api/session/new', {})
  await service.json('/api/session/yolo', { session_id: session.session_id, enabled: true })
  const { stream_id: stream } = await service.json('/api/chat/start', { session_id: session.session_id, message })
  const events = await service.events(`/api/chat/stream?stream_id=${stream}`)
  await events.until('stream_end')
  const { session: { messages } } = await service.json(`/api/session?session_id=${session.session_id}`)
  return messages.filter(({ role }: { role: string }) => role === 'assistant').map(({ content }: { content: unknown }) => JSON.stringify(content)).join('\n')
}

t.test('behind a proxy that inspects TLS: a turn by way of the host, what is wrong without its authority, and programs with their way out', { long: true }, async (t) => {
  const folder = temporaryFolder(t, 'behind')
  const endpoint = await modelEndpoint(t, { models: ['test-model', 'test-tools'] })
  const { authority, ...intercept } = makeAuthority(temporaryFolder(t, 'authority'), ['models.invalid', 'localhost'])
  const hosts = { 'models.invalid': Number(new URL(endpoint.url).port), 'example.com': Number(new URL(endpoint.url).port) }
  const [plain, proxy] = [await startProxy(t, { hosts, intercept }), await startProxy(t, { hosts, intercept, secure: intercept })]
  plain.admit = proxy.admit = login
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), `model:\n  provider: far\n  default: test-model\ncustom_providers:\n  - name: Far\n    base_url: ${address}\n    models: [test-model]\n`)

  const strange = await spawnServer(t, folder, { HTTPS_PROXY: `http://${login}@127.0.0.1:${plain.port}` })
  t.match(await strange.json('/api/providers/test', { provider: 'far' }), { ok: false, code: 'proxy', message: /certificate that is not trusted here, received through the proxy 127\.0\.0\.1.*NODE_EXTRA_CA_CERTS/ })
  t.equal(await strange.end('SIGTERM'), 0)

  const service = await spawnServer(t, folder, { https_proxy: `https://${login}@localhost:${proxy.port}`, NODE_EXTRA_CA_CERTS: authority })
  t.match(await service.json('/api/providers/test', { provider: 'far' }), { ok: true })
  t.match(await answerOf(service, 'Hello'), /\w/)
  t.ok(endpoint.requests.some(({ stream }) => stream), 'the turn came by way of the proxy')
  t.ok(proxy.seen.every((asked) => asked === 'CONNECT models.invalid:443'), proxy.seen.join())
  const { checks } = await service.json('/api/diagnostics')
  t.match(checks.find(({ id }: { id: string }) => id === 'proxy'), { status: 'ok', message: `Connections go through the proxy localhost:${proxy.port}, which answers and accepts the login.` })

  // Commands would show a password to the model.
  endpoint.script(({ messages }) => messages.some(({ role }) => role === 'tool') ? [{ text: 'Done.' }] : [{ tool: 'terminal', args: { command: 'env > seen.txt; true' } }])
  await answerOf(service, 'Look')
  const variables = readFileSync(join(folder, 'workspace', 'seen.txt'), 'utf8')
  t.match(variables, /^NODE_EXTRA_CA_CERTS=/m)
  t.notMatch(variables, /s3cret/)
  t.notMatch(JSON.stringify(endpoint.requests), /s3cret/)
  t.notMatch(service.output(), /s3cret/)
  t.equal(await service.end('SIGTERM'), 0)
})

t.test('git reaches its remotes through the proxy', async (t) => {
  const folder = temporaryFolder(t, 'behind-git')
  const bare = temporaryFolder(t, 'remotes')
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', join(bare, 'far.git')])
  const remote = await startGitServer(t, bare)
  const proxy = await startProxy(t, { hosts: { 'forge.invalid': Number(new URL(remote.url('far.git')).port) } })
  proxy.admit = login
  const workspace = join(folder, 'workspace')
  mkdirSync(workspace, { recursive: true })
  const git = (...args: string[]): void => { execFileSync('git', args, { cwd: workspace, stdio: 'ignore' }) }
  git('init', '-q', '-b', 'main')
  git('-c', 'user.name=A', '-c', 'user.email=a@example.org', 'commit', '-q', '--allow-empty', '-m', 'First')
  git('remote', 'add', 'origin', join(bare, 'far.git'))
  git('push', '-q', '-u', 'origin', 'main')
  git('remote', 'set-url', 'origin', `http://forge.invalid${new URL(remote.url('far.git')).pathname}`)
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), `outgoing:\n  proxy: http://${login}@127.0.0.1:${proxy.port}\n`)
  const service = await spawnServer(t, folder)
  const { session } = await service.json('/api/session/new', {})
  const fetched = await service.json('/api/git/fetch', { session_id: session.session_id })
  t.match(fetched, { ok: true, message: 'Nothing new at origin' }, JSON.stringify(fetched))
  t.ok(proxy.seen.every((asked) => /^(?:GET|POST) http:\/\/forge\.invalid\//.test(asked)), proxy.seen.join())
  proxy.admit = 'somebody:else'
  t.match(await service.json('/api/git/fetch', { session_id: session.session_id }), { code: 'network_failed', error: /a proxy is in the way and wants a login/ })
})
