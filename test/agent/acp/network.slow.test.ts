import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { hostname, networkInterfaces, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from '#test'
import { startAgent, scripted, writeConfig, type AgentService } from '../../support/acp/agents.js'
import { eventually } from '../../support/chat.js'
import { freePort, listening } from '../../support/listening.js'
import { startProxy } from '../../support/proxy.js'
import { needsSandbox } from '../../support/needs-sandbox.js'

/** Starts a server on this machine that answers with its name. */
async function serve (t: Test, answer: string | RequestListener, host = '127.0.0.1'): Promise<number> {
  return await listening(t, createServer(typeof answer === 'string' ? (_, response) => { response.end(answer) } : answer), host)
}

const useAgent = ({ folder }: { folder: string }, { config = {}, env = {}, ...agent }: { config?: Record<string, unknown>, env?: Record<string, string>, [key: string]: unknown } = {}): void =>
  writeConfig(folder, { agent: { type: 'acp', ...scripted(env), ...agent }, ...config })

async function startConfined (t: Test, options: { env?: Record<string, string>, hosts?: 'fork' } = {}): Promise<AgentService> {
  return await startAgent(t, {}, { ...options, folder: mkdtempSync(join(tmpdir(), 'network-')), env: { SVC_WEBUI_SANDBOX: '1', ...options.env } })
}

/**
 * What an agent can try: a request with fetch, one through the proxy whatever the address, a tunnel with a request in it, and
 * a bare connection.
 */
const helpers = `
const http = require('node:http'), net = require('node:net')
const attempt = async (work) => { try { return await work() } catch (error) { return error.cause?.code || error.code || error.cause?.message || error.message } }
const proxy = new URL(process.env.HTTP_PROXY ?? 'http://127.0.0.1:1')
const textOf = async (stream) => { let text = ''; for await (const piece of stream) text += piece; return text }
const fetched = async (url) => { const response = await fetch(url); return response.status === 200 ? await response.text() : response.status }
const asked = (url) => new Promise((resolve, reject) => http.get({ host: proxy.hostname, port: proxy.port, path: url, headers: { host: new URL(url).host } }, async (response) => resolve(response.statusCode === 200 ? await textOf(response) : response.statusCode)).on('error', reject))
const tunnelled = (place) => new Promise((resolve, reject) => http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: place }).on('connect', async (response, socket, head) => {
  if (response.statusCode !== 200) return resolve(response.statusCode);
  if (head.length > 0) socket.unshift(head);
  socket.write('GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n');
  resolve((await textOf(socket)).split('\\r\\n\\r\\n')[1])
}).on('error', reject).end())
const bare = (port, host) => new Promise((resolve, reject) => net.connect({ port, host }, function () { this.destroy(); resolve('connected') }).on('error', reject))
const local = (path) => new Promise((resolve, reject) => net.connect({ path }, function () { this.destroy(); resolve('connected') }).on('error', reject))
`.replaceAll(/\n(?! )/g, '; ').replaceAll('\n', ' ')

/** Returns the result of each attempt, by name. */
async function tries (service: AgentService, session: string, work: Record<string, string>): Promise<{ found: Record<string, unknown>, warnings: string[], text: string }> {
  const entries = Object.entries(work).map(([name, code]) => `${JSON.stringify(name)}: await attempt(async () => await ${code})`)
  const { text, frames } = await service.turn(session, `script ${helpers} chunk(JSON.stringify({ ${entries.join(', ')} }))`)
  const warnings = frames.filter(({ data }) => data?.type === 'agent_network').map(({ data }) => data.message as string)
  return { found: text.startsWith('{') ? JSON.parse(text) as Record<string, unknown> : {}, warnings, text }
}

const privateAddress = Object.values(networkInterfaces()).flatMap((entries) => entries ?? []).find(({ internal, family }) => !internal && family === 'IPv4')?.address

t.test('an agent in the sandbox reaches the internet and what is named for it, and nothing else of this machine', needsSandbox, async (t) => {
  const [secret, everywhere, named, model] = await Promise.all([serve(t, 'secret'), serve(t, 'secret', '::'), serve(t, 'named'), serve(t, 'model')])
  const outside = await serve(t, ({ url = '' }, response) => {
    if (url === '/there') response.writeHead(302, { location: `http://10.1.2.3:${everywhere}/` })
    if (url === '/back') response.writeHead(302, { location: `http://127.0.0.1:${secret}/` })
    response.end('outside')
  })
  const company = await startProxy(t, { hosts: { 'public.example': outside } })
  const service = await startConfined(t, { env: { HTTP_PROXY: `http://127.0.0.1:${company.port}`, HTTPS_PROXY: `http://127.0.0.1:${company.port}` } })
  useAgent(service, { network: ['public', `127.0.0.1:${named}`], env: { MODEL_URL: `http://localhost:${model}/v1` } })
  const session = await service.newSession()
  const port = Number(new URL(service.url).port)
  const abstract = createTcpServer().listen(`\0network-${process.pid}`)
  t.teardown(() => abstract.close())

  const spellings = ['127.0.0.1', 'localhost', 'localhost.', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]', 'x.localhost', hostname(), ...privateAddress === undefined ? [] : [privateAddress]]
  const { found, warnings } = await tries(service, session, {
    public: "fetched('http://public.example/')",
    publicTunnel: "tunnelled('public.example:443')",
    named: `fetched('http://127.0.0.1:${named}/')`,
    namedTunnel: `tunnelled('127.0.0.1:${named}')`,
    namedInAnotherSpelling: `tunnelled('2130706433:${named}')`,
    model: 'fetched(process.env.MODEL_URL)',
    modelByAddress: `fetched('http://127.0.0.1:${model}/')`,
    ...Object.fromEntries(spellings.flatMap((host) => [
      [`tunnel ${host}`, `tunnelled('${host}:${port}')`], [`request ${host}`, `asked('http://${host}:${port}/health')`], [`other ${host}`, `tunnelled('${host}:${everywhere}')`]
    ])),
    service: `fetched('${service.url}/health')`,
    six: `bare(${everywhere}, '::1')`,
    lan: `bare(${everywhere}, ${JSON.stringify(privateAddress ?? '10.1.2.3')})`,
    internet: "bare(443, '1.1.1.1')",
    metadata: "tunnelled('169.254.169.254:80')",
    metadataName: "asked('http://metadata.google.internal/')",
    redirected: "fetched('http://public.example/there')",
    redirectedBack: "fetched('http://public.example/back')",
    internalName: "tunnelled('wiki.corp:443')",
    abstract: `local('\\0network-${process.pid}')`,
    console: `local(${JSON.stringify(join(service.folder, 'home/webui/console/socket'))})`,
    names: "require('node:dns').promises.lookup('public.example')",
    ports: `require('node:fs').readFileSync('/proc/net/tcp', 'utf8').includes(${JSON.stringify(`:${secret.toString(16).toUpperCase().padStart(4, '0')} `)})`,
    origin: "asked('https://public.example/')",
    noPlace: "tunnelled('public.example')",
    userInPlace: "tunnelled('public.example:443@127.0.0.1:80')"
  })
  // An unknown name leads nowhere.
  for (const [name, result] of Object.entries(found)) if (/^(?:tunnel|request|other) /.test(name)) t.ok(result === 403 || (result === 502 && /localhost/.test(name)), `${name}: ${String(result)}`)
  t.match(found, {
    public: 'outside', publicTunnel: 'outside', named: 'named', namedTunnel: 'named', namedInAnotherSpelling: 'named', model: 'model', modelByAddress: 'model',
    service: 'ECONNREFUSED', six: 'ECONNREFUSED', lan: 'ENETUNREACH', internet: 'ENETUNREACH', metadata: 403, metadataName: 403, redirected: /403|cancelled/, redirectedBack: 'ECONNREFUSED',
    internalName: 403, abstract: 'ECONNREFUSED', console: 'ENOENT', ports: false, origin: 400, noPlace: 400, userInPlace: 400
  })
  t.match(String(found['names']), /EAI_AGAIN|ENOTFOUND/)
  t.notOk(company.seen.some((line) => /127\.0|10\.1\.2\.3|metadata|corp/.test(line)), 'nothing of it is asked of the proxy')
  t.match(warnings[0], new RegExp(`^Scripted was blocked from reaching 127\\.0\\.0\\.1:${port}, on this machine or in a private network\\. To allow it, set agent\\.network to \\[public, 127\\.0\\.0\\.1:${named}, 127\\.0\\.0\\.1:${port}\\] in config\\.yaml\\.$`))
  t.equal(warnings.length, 10, 'a conversation is told of as many as one reads')
  t.match((await service.get('/api/agents')).body.agents[0].isolation_note, new RegExp(`reaches the internet, but nothing on this machine or in private networks except 127\\.0\\.0\\.1:${named}, the addresses`))
})

t.test('what was refused is told, with what opens it; the next turn has it', needsSandbox, async (t) => {
  const far = await serve(t, 'an intranet', '0.0.0.0')
  const service = await startConfined(t)
  useAgent(service)
  const session = await service.newSession()
  const place = `${privateAddress ?? '10.1.2.3'}:${far}`
  const work = { page: `fetched('http://${place}/')`, again: `asked('http://${place}/')` }
  const { found, warnings } = await tries(service, session, work)
  t.equal(found['again'], 403)
  t.equal(warnings.length, 1, 'once, however often it tries')
  const [, key, list] = /To allow it, set (\S+) to (\[.*\]) in config\.yaml\.$/.exec(warnings[0] ?? '') ?? []
  t.same([key, list], ['agent.network', `[public, ${place}]`])
  useAgent(service, { network: ['public', place] })
  if (privateAddress !== undefined) t.match(await tries(service, session, work), { found: { page: 'an intranet', again: 'an intranet' }, warnings: [] })

  // The setting is named as the file spells it, even if the agent has another name.
  writeConfig(service.folder, { agents: { claude: scripted() } })
  const other = await service.turn(await service.newSession(), `script ${helpers} chunk(await attempt(async () => String(await asked('http://169.254.169.254/latest')) + await asked('http://[fd12::1]:81/')))`, { model: '@claude-agent:default' })
  t.equal(other.text, '403403')
  t.match(other.frames.filter(({ data }) => data?.type === 'agent_network').map(({ data }) => data.message), [
    /blocked from reaching 169\.254\.169\.254:80, where clouds keep the credentials.*cannot be allowed/, /blocked from reaching \[fd12::1\]:81, .* set agents\.claude\.network to \[public, "\[fd12::1\]:81"\]/
  ])
})

t.test('network: none, all, or places alone', needsSandbox, async (t) => {
  const near = await serve(t, 'near')
  const service = await startConfined(t)
  const session = await service.newSession()
  const noteOf = async (): Promise<string> => (await service.get('/api/agents')).body.agents[0].isolation_note as string
  const work = { near: `fetched('http://127.0.0.1:${near}/')`, service: `fetched('${service.url}/health').then((text) => text.length > 0)`, public: "asked('http://1.1.1.1/')", proxied: '(process.env.HTTPS_PROXY ?? null)' }
  const env = { MODEL_URL: `http://127.0.0.1:${near}` }

  useAgent(service, { network: 'all', env })
  t.match((await tries(service, session, work)).found, { near: 'near', service: true, proxied: null })
  t.match(await noteOf(), /has the network of this machine, with all that listens there.*needs no sign-in/)
  for (const network of ['none', false]) {
    useAgent(service, { network, env })
    t.match((await tries(service, session, work)).found, { near: 'ECONNREFUSED', service: 'ECONNREFUSED', public: 'ECONNREFUSED', proxied: null })
    t.match(await noteOf(), /in the sandbox, without network/)
  }
  useAgent(service, { network: [], env })
  const { found, warnings } = await tries(service, session, work)
  t.match(found, { near: 'near', service: 'ECONNREFUSED', public: 403, proxied: /^http:\/\/127\.0\.0\.1:18128$/ })
  t.match(warnings, [/blocked from reaching 1\.1\.1\.1:80, which its "network" does not list\. To allow it, set agent\.network to \[1\.1\.1\.1:80\]/])
  t.match(await noteOf(), /It reaches only the addresses in its variables and its MCP servers\./)

  const { last } = await service.turn(session, "script throw new Error('connect ECONNREFUSED 127.0.0.1:11434')")
  t.match(last.data, { message: /ECONNREFUSED/, hint: /From its sandbox it reaches only those servers on this machine/ })
})

t.test('a proxy of the agent\'s own takes the place of the service\'s, whose password it never sees', needsSandbox, async (t) => {
  const outside = await serve(t, 'outside')
  const company = await startProxy(t, { hosts: { 'public.example': outside } })
  company.admit = 'me:s3cret-word'
  const other = await startProxy(t, { hosts: { 'public.example': outside } })
  const service = await startConfined(t, { env: { HTTPS_PROXY: `http://me:s3cret-word@127.0.0.1:${company.port}`, https_proxy: `http://me:s3cret-word@127.0.0.1:${company.port}` } })
  const work = { public: "tunnelled('public.example:443')", hidden: "!JSON.stringify(process.env).includes('s3cret') && !require('node:fs').readFileSync('/proc/' + process.ppid + '/environ', 'utf8').includes('s3cret')", another: "tunnelled('private.example:443')" }
  for (const [env, used] of [[{}, company], [{ NO_PROXY: 'private.example' }, company], [{ HTTPS_PROXY: `http://127.0.0.1:${other.port}` }, other]] as const) {
    useAgent(service, { env })
    const seen = used.seen.length
    t.match((await tries(service, await service.newSession(), work)).found, { public: 'outside', hidden: true, another: 502 })
    t.ok(used.seen.slice(seen).includes('CONNECT public.example:443'))
    t.equal(used.seen.slice(seen).includes('CONNECT private.example:443'), !('NO_PROXY' in env))
  }
})

t.test('MCP servers that an agent is given are reached, those of its sandbox find their way out, and the service is none of them', needsSandbox, async (t) => {
  const server = await serve(t, 'tools')
  const port = await freePort()
  const service = await startConfined(t, { env: { SVC_WEBUI_PORT: String(port) } })
  const own = Number(new URL(service.url).port)
  const config = { mcp_servers: { near: { url: `http://127.0.0.1:${server}/mcp` }, self: { url: `http://localhost:${own}/mcp` }, program: { command: 'server', env: { HTTP_PROXY: 'http://elsewhere:1' } } } }
  useAgent(service, { config, env: { OPENAI_BASE_URL: `http://127.0.0.1:${own}/v1`, AGENT_HTTP: '1' } })
  const session = await service.newSession()
  const { found } = await tries(service, session, { near: `fetched('http://127.0.0.1:${server}/mcp')`, self: `tunnelled('localhost:${own}')`, service: `fetched('${service.url}/health')` })
  t.match(found, { near: 'tools', ...own === port ? { self: 403, service: 'ECONNREFUSED' } : {} })
  const told = JSON.parse((await service.turn(session, 'servers')).text) as Array<{ name: string, env?: Array<{ name: string, value: string }> }>
  const variables = Object.fromEntries((told.find(({ name }) => name === 'program')?.env ?? []).map(({ name, value }) => [name, value]))
  t.match(variables, { HTTP_PROXY: 'http://127.0.0.1:18128', https_proxy: 'http://127.0.0.1:18128', NO_PROXY: 'localhost,127.0.0.1,::1', NODE_USE_ENV_PROXY: '1' })
})

t.test('large bodies go through whole both ways, each way ends by itself, and ports that are taken are seen', { ...needsSandbox, long: true }, async (t) => {
  const port = await listening(t, createTcpServer({ allowHalfOpen: true }, (socket) => { socket.pipe(socket) }))
  const lengths = await serve(t, (request, response) => {
    let length = 0
    request.on('data', (chunk: Buffer) => { length += chunk.length }).on('end', () => response.end(JSON.stringify({ length, type: request.headers['x-kept'], hop: request.headers['x-hop'] ?? null, host: request.headers.host })))
  }, '0.0.0.0')
  const service = await startConfined(t)
  const far = `${privateAddress ?? '127.0.0.1'}:${lengths}`
  useAgent(service, { network: [`localhost:${port}`, 'localhost:18128', far] })
  const { found } = await tries(service, await service.newSession(), {
    echoed: `new Promise((resolve, reject) => { let length = 0; const socket = net.connect({ port: ${port}, host: '127.0.0.1', allowHalfOpen: true }); socket.on('data', (chunk) => { length += chunk.length }).on('end', () => resolve(length)).on('error', reject); socket.end(Buffer.alloc(20_000_000)) })`,
    posted: `new Promise((resolve, reject) => { const request = http.request({ host: proxy.hostname, port: proxy.port, method: 'POST', path: 'http://${far}/', headers: { host: 'misleading', 'x-kept': 'yes', 'x-hop': 'no', connection: 'x-hop', expect: '100-continue', 'proxy-authorization': 'Basic eDp5' } }, async (response) => resolve(JSON.parse(await textOf(response)))).on('error', reject); request.end(Buffer.alloc(5_000_000)) })`,
    many: `Promise.all(Array.from({ length: 60 }, () => tunnelled('${far}'))).then((all) => all.length)`,
    way: 'proxy.port'
  })
  t.match(found, { echoed: 20_000_000, posted: { length: 5_000_000, type: 'yes', hop: null, host: far }, many: 60, way: '18129' })
})

t.test('nothing is left of the way out, whatever ends an agent', { ...needsSandbox, long: true }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'network-'))
  const service = await startAgent(t, {}, { folder, env: { SVC_WEBUI_SANDBOX: '1', TMPDIR: tmpdir() }, hosts: 'fork' })
  const running = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(service.workspace)
    } catch {
      return false
    }
  })
  const ends = (): string[] => readdirSync(tmpdir()).filter((name) => /^agent-agent-/.test(name) && existsSync(join(tmpdir(), name, 'bridge')))
  const before = ends()
  t.match((await service.turn(await service.newSession(), 'say hello')).text, /hello/)
  t.ok(running().length > 0)
  t.equal(ends().length, before.length + 1)
  t.match((await service.turn(await service.newSession(), 'die')).last.data.message, /exit code 3; it said last: out of luck/)
  await eventually('its end', () => running().length === 0 && ends().length === before.length)

  t.match((await service.turn(await service.newSession(), 'say again')).text, /again/)
  const [first = ''] = running()
  const host = Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${first}/status`, 'utf8'))?.[1])
  t.ok(host > 1 && host !== process.pid)
  process.kill(host, 'SIGKILL')
  await eventually('its end, and that of what it had started', () => running().length === 0 && !existsSync(`/proc/${host}`))
  const last = await service.turn(await service.newSession(), 'say anew')
  t.match(last.text, /anew/, JSON.stringify(last.frames))
})

t.test('where bubblewrap cannot make a network of its own, that is said wherever agents are', { long: true }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'network-'))
  const program = join(folder, 'bin')
  mkdirSync(program)
  writeFileSync(join(program, 'bwrap'), '#!/bin/sh\necho "bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted" >&2\nexit 1\n', { mode: 0o755 })
  const service = await startAgent(t, {}, { folder, env: { SVC_WEBUI_SANDBOX: '1', PATH: `${program}:${dirname(process.execPath)}:/usr/bin:/bin` } })
  const said = /cannot give a program a network of its own \(loopback: Failed RTM_NEWADDR: Operation not permitted\)/
  const { text, frames } = await service.turn(await service.newSession(), 'say hello')
  t.match(text, /hello/)
  t.match(frames.find(({ data }) => data?.type === 'agent_not_isolated')?.data.message, said)
  t.match((await service.get('/api/agents')).body.agents[0], { isolated: false, isolation_note: said })
  t.match((await service.get('/api/diagnostics')).body.checks.find(({ id }: { id: string }) => id === 'sandbox'), { status: 'warning', message: said })
  useAgent(service, { isolation: 'sandbox' })
  t.match((await service.turn(await service.newSession(), 'say hello')).last.data.message, said)
})
