import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { stringify } from 'yaml'
import { readProcess } from '../../services/ground/process/processes.js'
import { eventually, said } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'
import { freePort, listening, serving } from '../support/listening.js'
import { called } from '../support/mcp/calls.js'
import { everything, hostile, hostileServer, startWith, type McpService } from '../support/mcp/servers.js'
import { modelEndpoint } from '../support/model-endpoint.js'
import { needsSandbox } from '../support/needs-sandbox.js'
import { spawnServer } from '../support/server.js'

const onLinux = process.platform === 'linux' ? {} : { skip: 'processes are found through /proc, which only Linux has' }
const approvals = { allow: ['mcp:*'] }
const stateOf = async (service: McpService, name: string) => (await service.get('/api/mcp/servers')).body.servers.find((server: { name: string }) => server.name === name)

/** Returns running processes whose command line contains the text. */
function pidsWith (text: string): number[] {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).filter((pid) => {
    try {
      return pid !== process.pid && readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text) && readProcess(pid) !== null
    } catch {
      return false
    }
  })
}

t.test('a program is told the folder of the chat that calls it, and that it is another one now', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: hostileServer('roots') }, approvals })
  const [one, other] = ['one', 'other place'].map((name) => join(service.home, '..', 'workspace', name)) as [string, string]
  for (const folder of [one, other]) mkdirSync(folder, { recursive: true })
  const [here, there] = [await service.newSession({ workspace: one }), await service.newSession({ workspace: other })]
  const rootsIn = async (sessionId: string): Promise<string> => (await called(service, 'mcp__h__roots', {}, { sessionId })).result
  t.match(await rootsIn(here), /^They said \{"roots":\[\{"uri":"file:\/\/\/[^"]*\/workspace\/one","name":"one"\}\]\}$/)
  t.match(await rootsIn(here), /^Still .*workspace\/one"/, 'it is told of no change where there is none')
  t.match(await rootsIn(there), /^They said .*workspace\/other%20place","name":"other place"/)
  t.match(JSON.parse((await called(service, 'mcp__h__capabilities', {})).result), { roots: { listChanged: true } })
})

t.test('tools of a server over HTTP, with headers', async (t) => {
  const port = await freePort()
  const child = spawn(process.execPath, [everything, 'streamableHttp'], { env: { PATH: process.env['PATH'], PORT: String(port) }, stdio: 'ignore' })
  t.teardown(() => child.kill('SIGKILL'))
  await eventually('the server', async () => await fetch(`http://127.0.0.1:${port}/mcp`).then(() => true, () => false))
  const seen: string[] = []
  // A proxy in front of it, to observe what it is sent.
  const frontPort = await listening(t, createServer((request, response) => {
    seen.push(String(request.headers['x-key']))
    const { host: _, connection: __, ...headers } = request.headers
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => {
      void fetch(`http://127.0.0.1:${port}${request.url ?? ''}`, { method: request.method ?? 'GET', headers: headers as Record<string, string>, ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}) }).then(async (answer) => {
        response.writeHead(answer.status, Object.fromEntries([...answer.headers].filter(([name]) => !['content-encoding', 'transfer-encoding', 'content-length', 'connection'].includes(name))))
        for await (const chunk of answer.body ?? []) response.write(chunk)
        response.end()
      }).catch(() => response.destroy())
    })
  }))
  // Its host comes from the profile's .env, and so does its key.
  const web = { url: 'http://$' + '{WEB_HOST}/mcp', headers: { 'X-Key': '$' + '{WEB_TOKEN}' } }
  const service = await startWith(t, { mcp_servers: { web }, approvals })
  writeFileSync(join(service.home, '.env'), `WEB_TOKEN=the-key-of-the-web-71\nWEB_HOST=127.0.0.1:${frontPort}\n`)
  const { result } = await called(service, 'mcp__web__echo', { message: 'over the wire' })
  t.match(result, /Echo: over the wire/)
  t.ok(seen.length > 0 && seen.every((key) => key === 'the-key-of-the-web-71'))
  t.match(await stateOf(service, 'web'), { transport: 'http', status: 'ready', headers: ['X-Key'] })
  t.notMatch((await service.get('/api/mcp/servers')).text, /the-key/)
  // Resources are listed and read, each with permission.
  service.configure({ mcp_servers: { web }, approvals: { allow: ['mcp:web:echo'] } })
  const list = await called(service, 'mcp_list_resources', { server: 'web' })
  t.match(list.cards, [{ pattern_key: 'mcp:web:resources/read' }])
  const uri = /^\S+/m.exec(list.result)![0]
  const read = await called(service, 'mcp_read_resource', { server: 'web', uri }, { choice: 'deny' })
  t.match(read.result, /denied/)
  t.match((await called(service, 'mcp_read_resource', { server: 'other', uri })).result, /no MCP server of this name/)
  await eventually('its prompts as commands', async () => (await service.get('/api/commands')).body.commands.some(({ name }: { name: string }) => name === 'mcp:web:args-prompt'))
  const { body: { prompts } } = await service.get('/api/mcp/prompts')
  t.ok(prompts.some(({ server, name }: { server: string, name: string }) => server === 'web' && name === 'args-prompt'))
  t.match(await service.app.mcp.prompt('default', 'web', 'args-prompt', { city: 'Paris' }), /Paris/)
})

t.test('a server that sends somewhere else, wants a login, or answers without end', { long: true }, async (t) => {
  const followed: string[] = []
  const other = await serving(t, (request, response) => { followed.push(request.url ?? ''); response.end() })
  const url = await serving(t, (request, response) => {
    if (request.url === '/login') response.writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1/x"' }).end()
    else if (request.url === '/away') response.writeHead(307, { location: `${other}/stolen` }).end()
    else if (request.url === '/mute') request.resume()
    else {
      response.writeHead(200, { 'content-type': 'application/json' })
      const line = Buffer.alloc(1_000_000, 32)
      const more = (): void => { while (!response.destroyed && response.write(line)); response.once('drain', more) }
      more()
    }
  })
  const service = await startWith(t, { mcp_servers: Object.fromEntries(['login', 'away', 'endless', 'mute'].map((name) => [name, { url: `${url}/${name}`, headers: { 'X-Key': 'key-for-odd-one-1' }, connect_timeout: name === 'mute' ? 1 : 30 }])) })
  const { body } = await service.post('/api/mcp/reload')
  const errors = Object.fromEntries(body.servers.map(({ name, error }: { name: string, error: string }) => [name, error]))
  t.equal(errors['login'], 'It asks for a sign-in: somebody has to sign in there in a browser.')
  t.match(errors['mute'], /did not answer within 1 s/)
  t.match(body.servers.map(({ status }: { status: string }) => status), ['needs_sign_in', 'failed', 'failed', 'failed'])
  t.same(followed, [])
})

t.test('a server sees its own variables and those of a shell, and nothing else', async (t) => {
  const service = await startWith(t, { mcp_servers: { h: { ...hostileServer(), env: { OWN: ['$', '{OWN_TOKEN}'].join('') } } }, approvals }, { env: { ANTHROPIC_API_KEY: 'sk-of-the-service-123456' } })
  writeFileSync(join(service.home, '.env'), 'OWN_TOKEN=own-value-of-mine\nOTHER_TOKEN=other-value-of-mine\n')
  const { requests } = await called(service, 'mcp__h__env', {})
  const env = JSON.parse(said(requests[1], 'tool').at(-1)!) as Record<string, string>
  t.equal(env['OWN'], 'own-value-of-mine')
  t.same(Object.keys(env).filter((name) => !['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR', 'TERM', 'OWN', 'AGENT_COMMAND_ID'].includes(name)), [])
  t.notMatch(JSON.stringify(env), /sk-of-the-service|other-value|test-key/)
})

t.test('a server that nobody uses is stopped, one whose entry changes is started anew, and one that is gone ends', { ...onLinux, long: true }, async (t) => {
  const mark = `life-${process.pid}`
  const service = await startWith(t, { mcp_servers: { a: hostileServer('plain', join(temporaryFolder(t, mark), 'a')), b: hostileServer('deaf', mark) }, approvals }, { mcpTiming: { idleStopMs: 2_000 } })
  await called(service, 'mcp__a__say', { words: 'a' })
  await eventually('both to be stopped', async () => (await stateOf(service, 'a')).status === 'idle' && pidsWith(mark).length === 0)
  t.ok((await stateOf(service, 'a')).tools_count > 5, 'what it offers is known')
  await service.post('/api/mcp/servers/a/restart')
  await eventually('it to run', () => pidsWith(`${mark}`).length === 1)
  service.configure({ mcp_servers: { b: { ...hostileServer('deaf', mark), enabled: false } } })
  await eventually('it to end', () => pidsWith(mark).length === 0)
  t.same((await service.get('/api/mcp/servers')).body.servers.map(({ name, status }: { name: string, status: string }) => [name, status]), [['b', 'disabled']])
})

t.test('servers end with their host and with the service, whatever ends those', { ...onLinux, long: true }, async (t) => {
  const endpoint = await modelEndpoint(t)
  const begin = async (what: string) => {
    const folder = temporaryFolder(t, 'mcp-life')
    const mark = `ends-${process.pid}-${what}`
    mkdirSync(join(folder, 'home'))
    writeFileSync(join(folder, 'home', 'config.yaml'), stringify({ mcp_servers: { deaf: hostileServer('deaf', mark) } }))
    t.teardown(() => { for (const pid of pidsWith(mark)) process.kill(pid, 'SIGKILL') })
    const server = await spawnServer(t, folder, { OPENAI_BASE_URL: endpoint.url, OPENAI_API_KEY: 'test-key-12345' })
    return {
      server,
      async runs () {
        await server.json('/api/mcp/reload', {})
        await eventually('the server', () => pidsWith(mark).length === 1)
      },
      async isGone () { await eventually(`its end with ${what}`, () => pidsWith(mark).length === 0) }
    }
  }
  // Both at once, because they mostly wait.
  const killed = begin('the service, killed').then(async ({ server, runs, isGone }) => {
    await runs()
    await server.end('SIGKILL')
    await isGone()
  })
  const { server, runs, isGone } = await begin('its host or the service')
  await runs()
  process.kill((await server.json('/api/system/health')).agent.pid, 'SIGKILL')
  await isGone()
  // The next host starts it again.
  await runs()
  t.equal(await server.end('SIGTERM'), 0)
  await isGone()
  await killed
  t.pass('nothing is left')
})

t.test('a server in the sandbox sees its folder alone', needsSandbox, async (t) => {
  const folder = temporaryFolder(t, 'mcp-box')
  writeFileSync(join(folder, 'hostile.mjs'), readFileSync(hostile))
  const outside = join(temporaryFolder(t, 'mcp-out'), 'calls')
  const box = { command: process.execPath, args: [join(folder, 'hostile.mjs'), 'plain', join(folder, 'calls')], sandbox: true }
  const service = await startWith(t, { mcp_servers: { box: { ...box, cwd: folder }, leaves: { ...box, cwd: folder, args: [join(folder, 'hostile.mjs'), 'plain', outside] }, nowhere: box }, approvals })
  t.equal((await called(service, 'mcp__box__say', { words: 'in' })).result, 'You said in')
  t.ok(existsSync(join(folder, 'calls')))
  await called(service, 'mcp__leaves__say', { words: 'out' })
  t.notOk(existsSync(outside))
  t.match(await stateOf(service, 'nowhere'), { status: 'failed', error: 'A server in the sandbox needs a folder of its own: set "cwd".' })
})
