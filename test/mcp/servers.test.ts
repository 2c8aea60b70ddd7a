import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { stringify } from 'yaml'
import { mcpServersOf, targetKey } from '../../services/agent/mcp/configuration.js'
import { keepListing, keepPrompts } from '../../services/agent/mcp/kept-listings.js'
import { redact } from '../../services/ground/redaction/index.js'
import { startChat } from '../support/chat.js'
import { temporaryFolder } from '../support/folder.js'

/** Starts a service whose servers never start: they are only listed in config.yaml. */
async function scene (t: Parameters<typeof startChat>[0], config = '') {
  const folder = temporaryFolder(t, 'mcp-servers')
  const home = join(folder, 'home')
  mkdirSync(home)
  writeFileSync(join(home, 'config.yaml'), config)
  const service = await startChat(t, { folder })
  const send = async (method: string, path: string, body?: unknown) => {
    const response = await fetch(service.url + path, { method, ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }) })
    return { status: response.status, body: await response.json() as any } // eslint-disable-line @typescript-eslint/no-explicit-any -- what the wire carries is what a test looks into
  }
  return { service, send, read: () => readFileSync(join(home, 'config.yaml'), 'utf8') }
}

t.test('a server is set up, changed and taken away; comments stay, values are never shown', async (t) => {
  const { service, send, read } = await scene(t, '# mine\nmcp_servers:\n  # the first\n  one:\n    command: run-one # by hand\n    env: {A_TOKEN: "first-secret-value-1"}\n')
  t.match((await service.get('/api/mcp/servers')).body.servers, [{ name: 'one', transport: 'stdio', status: 'idle', command: 'run-one', env: ['A_TOKEN'], tools_count: 0, tools: [], log: [] }])
  const put = await send('PUT', '/api/mcp/servers/two', { url: 'https://example.org/mcp', headers: { Authorization: 'Bearer qx42-secret-value-2' }, timeout: 30, tools: ['a', 'b'] })
  t.equal(put.status, 200)
  t.match(put.body, { ok: true, server: { name: 'two', transport: 'http', url: 'https://example.org/mcp', headers: ['Authorization'], timeout: 30, include: ['a', 'b'] } })
  t.equal((await send('PATCH', '/api/mcp/servers/one', { args: ['-v'], env: { B: '2', A_TOKEN: null }, enabled: false, command: null })).body.server.status, 'disabled')
  t.match(read(), /# mine\nmcp_servers:\n {2}# the first\n {2}one:\n {4}command: run-one # by hand\n/)
  t.match((await service.get('/api/mcp/servers')).body.servers, [{ args: ['-v'], env: ['B'], enabled: false, command: 'run-one' }, { name: 'two' }])
  t.notMatch((await service.get('/api/mcp/servers')).text, /secret-value/)
  t.match((await send('PUT', '/api/mcp/servers/two', { url: 'https://example.org/other', headers: { Authorization: null } })).body.server, { headers: ['Authorization'], timeout: 120, include: null })
  t.match(read(), /qx42-secret-value-2/, 'null in the place of a value keeps it')
  t.match(await send('PUT', '/api/mcp/servers/two', { url: 'https://example.org/other', headers: { Authorization: null, Other: null } }), { status: 400, body: { error: 'headers.Other: there is no stored value to keep' } })
  t.match((await send('PUT', '/api/mcp/servers/three', { command: 'x', cwd: '/somewhere', connect_timeout: 7, sampling: true })).body.server, { cwd: '/somewhere', connect_timeout: 7, sampling: true })
  t.match((await send('PATCH', '/api/mcp/servers/three', { connect_timeout: 8 })).body.server, { connect_timeout: 8, sampling: true })
  t.equal((await send('PATCH', '/api/mcp/servers/three', { sampling: 'yes' })).status, 400)
  t.match((await send('PUT', '/api/mcp/servers/three', { command: 'x' })).body.server, { cwd: null, connect_timeout: 30, sampling: false })
  t.same((await send('DELETE', '/api/mcp/servers/two')).body, { ok: true, name: 'two' })
  t.notMatch(read(), /two/)
})

t.test('what is sent back masked stays what it is, and a mask is never written', async (t) => {
  const secret = '--api-key=sk-abcdefghijklmnop1234567890abcd'
  const { send, read } = await scene(t, `mcp_servers:\n  one:\n    command: run\n    args: [-v, ${secret}]\n    cwd: /somewhere\n`)
  const shown = (await send('PATCH', '/api/mcp/servers/one', { sampling: true })).body.server
  t.equal(shown.args[1], '--api-key=[redacted]')
  t.equal((await send('PATCH', '/api/mcp/servers/one', { args: ['--more', ...shown.args], cwd: '' })).status, 200)
  t.match(read(), secret)
  t.notMatch(read(), /redacted|cwd/)
  t.match(await send('PATCH', '/api/mcp/servers/one', { args: ['--other-key=[redacted]'] }), { status: 400, body: { error: /^args: \[redacted\] stands for a hidden value/ } })
  t.match(await send('PUT', '/api/mcp/servers/two', { command: 'x', args: ['--api-key=[redacted]'] }), { status: 400 })
  t.match(read(), secret)
})

t.test('what is no server is refused, and nothing is written', async (t) => {
  const { send, read } = await scene(t, 'mcp_servers:\n  odd: text\n')
  const before = read()
  const refused: Array<[string, string, unknown]> = [
    ['PUT', 'a', {}], ['PUT', 'a', { command: 'x', url: 'http://a' }], ['PUT', 'a', { url: 'ftp://a' }], ['PUT', 'a', { command: '' }],
    ['PUT', 'a%20b', { command: 'x' }], ['PUT', '-a', { command: 'x' }], ['PUT', 'a', { command: 7 }], ['PUT', 'a', { command: 'x', args: 'y' }],
    ['PUT', 'a', { command: 'x', env: { 'A B': 'y' } }], ['PUT', 'a', { command: 'x', env: { A: 7 } }], ['PUT', 'a', { url: 'http://a', headers: { 'a:': 'y' } }],
    ['PUT', 'a', { command: 'x', cwd: 'relative' }], ['PUT', 'a', { command: 'x', timeout: 0 }], ['PUT', 'a', { command: 'x', unknown: 1 }], ['PUT', 'a', { command: 'x', enabled: 'yes' }]
  ]
  for (const [method, name, body] of refused) {
    const { status, body: { error } } = await send(method, `/api/mcp/servers/${name}`, body)
    t.equal(status, 400, `${name} ${JSON.stringify(body)}: ${String(error)}`)
  }
  for (const [method, path] of [['PATCH', '/api/mcp/servers/none'], ['DELETE', '/api/mcp/servers/none'], ['POST', '/api/mcp/servers/none/restart']] as const) {
    t.match(await send(method, path, method === 'PATCH' ? { enabled: true } : undefined), { status: 404, body: { error: 'MCP server not found' } })
  }
  t.match(await send('PATCH', '/api/mcp/servers/odd', { enabled: true }), { status: 409, body: { code: 'config_broken' } })
  t.equal(read(), before)
})

t.test('lists of commands know the prompts that servers told, and start nothing', async (t) => {
  const { service } = await scene(t, stringify({ mcp_servers: { told: { command: 'no-such-program' }, silent: { command: 'no-such-program' }, off: { command: 'no-such-program', tools: { prompts: false } } } }))
  const home = service.app.profiles.homeOf('default')
  for (const { name, target } of mcpServersOf(service.app.profiles.settings('default').configAsWritten)) {
    if (name === 'silent') continue
    await keepListing(home, name, targetKey(target), { definitions: [], leftOut: [], resources: false, prompts: true, tasks: false }, Date.now())
    await keepPrompts(home, name, targetKey(target), [{ name: 'sum_up', description: 'Sums up.', arguments: [] }])
  }
  const names = async () => (await service.get('/api/commands')).body.commands.map(({ name }: { name: string }) => name).filter((name: string) => name.startsWith('mcp:'))
  t.same(await names(), ['mcp:told:sum-up'])
  t.equal(service.app.agent.size().hosts, 0)
})

t.test('prompts of servers that are not known to have any are not asked for', async (t) => {
  const { service } = await scene(t, stringify({ mcp_servers: { silent: { command: 'no-such-program' } } }))
  t.same((await service.get('/api/mcp/prompts')).body, { prompts: [] })
  t.equal(service.app.agent.size().hosts, 0)
})

t.test('what a header or a variable holds is masked before anything is said of its profile, a later one too', async (t) => {
  const { service } = await scene(t)
  const home = join(service.app.profiles.homeOf('default'), 'profiles', 'later')
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), stringify({ mcp_servers: { a: { url: 'https://$' + '{WHERE}/mcp', headers: { 'X-Own': 'header-value-q7w8' } }, b: { command: 'x', args: ['$' + '{PLAIN}'] } } }))
  writeFileSync(join(home, '.env'), 'PLAIN=variable-value-e9r1\nWHERE=example.org\n')
  t.same(service.app.profiles.settings('later').configProblems, [], 'an address may take its host from a variable')
  t.equal(redact('header-value-q7w8 variable-value-e9r1'), '[redacted] [redacted]')
})

t.test('without servers there is nothing to ask, and no host is started', async (t) => {
  const { service, send } = await scene(t)
  t.same((await service.get('/api/mcp/servers')).body, { servers: [] })
  t.same((await service.get('/api/mcp/tools')).body, { tools: [] })
  t.same((await service.get('/api/mcp/prompts')).body, { prompts: [] })
  t.same((await send('POST', '/api/mcp/reload')).body, { servers: [] })
  t.equal(service.app.agent.size().hosts, 0)
})

t.test('the command that connects again tells how the servers do', async (t) => {
  const { send } = await scene(t)
  t.same(await send('POST', '/api/commands/exec', { command: '/reload_mcp' }), { status: 200, body: { output: 'No MCP server is set up.' } })
})
