import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { runningProcesses } from '../../services/ground/process/processes.js'
import { eventually } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { spawnServer } from '../support/server.js'

// Secrets of every kind are planted, and looked for in whatever leaves the service: answers, streams, its log, arguments of processes.

const planted = (name: string): string => `planted-${name}-9f2c4a7be1d8c3`
const inEnvironment: Record<string, string> = {
  OPENAI_API_KEY: `sk-${planted('key')}`,
  SVC_WEBUI_PASSWORD: planted('password'),
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${planted('otel')}`,
  GITHUB_TOKEN: planted('forge'),
  SOMETHING_SECRET: planted('other')
}
const inFiles = { MCP_TOKEN: planted('mcp'), AGENT_SECRET: planted('agent'), WEBHOOK_SECRET: planted('hook') }
/** Where a secret has to be, and nobody else can look. */
const isAllowed = (path: string): boolean => path.includes('/api/auth/login')

interface Operation { parameters?: Array<{ name: string, in: string, required?: boolean }> }

t.test('no secret leaves the service, wherever it is planted', async (t) => {
  const folder = temporaryFolder(t, 'planted')
  const endpoint = await modelEndpoint(t)
  mkdirSync(join(folder, 'home'))
  writeFileSync(join(folder, 'home', '.env'), Object.entries(inFiles).map(([name, value]) => `${name}=${value}\n`).join(''))
  writeFileSync(join(folder, 'home', 'config.yaml'), JSON.stringify({
    mcp_servers: { web: { url: 'http://127.0.0.1:9/mcp', headers: { Authorization: 'Bearer ${MCP_TOKEN}' } } }, // eslint-disable-line no-template-curly-in-string -- of the file
    agents: { other: { type: 'acp', command: ['/bin/false'], env: { SECRET: '${AGENT_SECRET}' } } } // eslint-disable-line no-template-curly-in-string -- of the file
  }))
  const server = await spawnServer(t, folder, {
    ...inEnvironment, OPENAI_BASE_URL: endpoint.url, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', LOG_LEVEL: 'trace'
  })
  const signedIn = await fetch(`${server.url}/api/auth/login`, {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ password: inEnvironment['SVC_WEBUI_PASSWORD'] })
  })
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const { token } = await server.json('/api/auth/tokens/create', { name: 'planted', scope: 'admin' }, { cookie })
  t.type(token, 'string')
  const secrets: Record<string, string> = {
    ...inEnvironment, ...inFiles, OTEL_EXPORTER_OTLP_HEADERS: planted('otel'), cookie: cookie.split('=')[1] ?? 'none', token
  }
  const found: string[] = []
  const look = (where: string, text: string): void => {
    for (const [name, secret] of Object.entries(secrets)) if (text.includes(secret)) found.push(`${name} in ${where}`)
  }

  const headers = { cookie }
  const { session: { session_id: sessionId } } = await server.json('/api/session/new', { model: 'test-tools', model_provider: 'openai' }, headers)
  const { stream_id: streamId } = await server.json('/api/chat/start', {
    session_id: sessionId, message: `My keys are ${secrets['OPENAI_API_KEY']}, ${secrets['token']} and ${secrets['MCP_TOKEN']}.`
  }, headers)
  const reader = await server.events(`/api/chat/stream?stream_id=${streamId}`, headers)
  await reader.ended
  look('the stream of a turn', JSON.stringify(reader.frames))

  t.match((await server.json(`/api/session?session_id=${sessionId}`, undefined, headers)).session.messages[0].content, 'My keys are [redacted], [redacted] and [redacted].')

  const { paths } = await server.json('/docs/json', undefined, headers)
  const known: Record<string, string> = { session_id: sessionId, stream_id: streamId, name: 'web', path: '.', provider: 'openai', q: 'planted' }
  let asked = 0
  for (const [path, { get }] of Object.entries<{ get?: Operation }>(paths)) {
    if (get === undefined || /stream|events|logout|oauth|cancel/.test(path)) continue
    const { parameters = [] } = get
    const value = (name: string): string => encodeURIComponent(known[name] ?? 'x')
    const query = parameters.filter(({ in: place, name, required }) => place === 'query' && (required === true || name in known))
    const target = `${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => value(name))}?${query.map(({ name }) => `${name}=${value(name)}`).join('&')}`
    const response = await fetch(server.url + target, { headers, redirect: 'manual' })
    const text = await response.text()
    asked++
    if (!isAllowed(path)) look(`GET ${path} (${response.status})`, `${text} ${JSON.stringify([...response.headers])}`)
  }
  t.ok(asked > 80, `only ${asked} routes were asked`)

  // Bodies that are refused, with the secret in them: errors do not repeat it.
  for (const [name, secret] of Object.entries(secrets)) {
    const response = await fetch(`${server.url}/api/session/rename`, {
      method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: `{"session_id": "${secret}", "title": {"${name}": `
    })
    look('an error', await response.text())
  }
  const marked = (runningProcesses() ?? []).filter(({ pid }) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`SVC_HOME=${folder}`) || readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder)
    } catch {
      return false
    }
  })
  t.ok(marked.length > 0)
  for (const { pid } of marked) look('the arguments of a process', readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  await eventually('its log', () => server.output().includes('/api/session/rename'))
  await server.end('SIGTERM')
  look('the log', server.output())
  for (const name of readdirSync(join(folder, 'home', 'webui')).filter((name) => /log|report|metrics/.test(name))) look(name, readFileSync(join(folder, 'home', 'webui', name), 'latin1'))
  t.same([...new Set(found)], [])
})
