import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { stringify } from 'yaml'
import { scripted, writeConfig } from '../support/acp/agents.js'
import { eventually, startChat, type ChatService } from '../support/chat.js'
import { failingAddresses } from '../support/failing-addresses.js'
import { temporaryFolder } from '../support/folder.js'
import { called } from '../support/mcp/calls.js'
import { hostileServer, type McpService } from '../support/mcp/servers.js'
import { browserAt } from '../support/push-service.js'
import { type StartOptions } from '../support/app.js'

// Each failure of something external is one line of the log, which says what, where, why and how often, and nothing that was
// said or is secret.

type Line = Record<string, unknown>
const said = 'the-words-of-the-conversation'
const secret = 'k7Qm2Zx9Tb4Ws1Vd'
const key = `key=${secret}`

interface Logged { service: ChatService, lines: Line[], of: (msg: string) => Line[] }

async function logged (t: Test, config: Line, options: StartOptions = {}): Promise<Logged> {
  const folder = temporaryFolder(t, 'outside')
  const lines: Line[] = []
  mkdirSync(join(folder, 'home'), { recursive: true })
  writeFileSync(join(folder, 'home', 'config.yaml'), stringify(config))
  const service = await startChat(t, { folder, log: (line) => lines.push(line), ...options })
  return { service, lines, of: (msg) => lines.filter((line) => line['msg'] === msg) }
}

/** Checks that every line is of this kind, and contains neither what was said nor a secret. */
function onlyOf (t: Test, lines: Line[], kind: string): void {
  t.same(lines.filter(({ msg }) => msg !== kind), [])
  t.notMatch(JSON.stringify(lines), new RegExp(`${said}|${secret}`))
}

const hostOf = (url: string): string => new URL(url).hostname

t.test('turns', async (t) => {
  const places = await failingAddresses(t)
  const providers = places.map(({ what, url }) => ({ name: what, base_url: `${url}/`, api_key: secret, models: ['m'] }))
  const { service, lines, of } = await logged(t, { custom_providers: providers }, { timing: { firstChunkMs: 300, nextChunkMs: 300, silenceMs: 600 } })
  for (const { what, url } of places) {
    const sessionId = await service.newSession()
    const { reader, last } = await service.turn(sessionId, said, `@${what}:m`)
    const error = reader.frames.find(({ event }) => event === 'apperror')
    t.match(error?.data, { message: String, hint: String }, `${what}: the cause and the next step`)
    t.equal(last.event, 'apperror', what)
    t.match(of('a turn failed').filter((line) => line['session'] === sessionId), [{ level: 40, kind: 'chat', provider: what, model: 'm', host: hostOf(url), code: /./, attempts: /^[1-9]\d*$/, reason: /./ }], what)
  }
  t.equal(of('a turn failed').length, places.length)
  onlyOf(t, lines, 'a turn failed')
})

t.test('webhooks', async (t) => {
  const { service, lines, of } = await logged(t, { timezone: 'UTC' }, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1' } })
  // The next attempt is the last.
  service.app.db.sqlite.exec('create trigger last_attempt after insert on cron_deliveries begin update cron_deliveries set attempts = 5 where id = new.id; end')
  const places = (await failingAddresses(t)).filter(({ what }) => what !== 'web-page' && what !== 'false-gzip')
  const jobs = new Map<string, string>()
  for (const { what, url } of places) {
    const { body: { job } } = await service.post('/api/crons/create', { prompt: said, schedule: '1d', name: what, model: service.model([{ text: said }]), deliver: `webhook:${url}/hook?${key}` })
    jobs.set(what, job.id)
    await service.post('/api/crons/run', { job_id: job.id })
  }
  for (const { what, url, code } of places) {
    const job = jobs.get(what)
    await eventually(`the end of ${what}`, () => of('gave up a delivery').some((line) => line['job'] === job))
    t.match(of('gave up a delivery').filter((line) => line['job'] === job), [{ level: 40, run: /./, host: hostOf(url), code, attempts: 6, reason: /[.] [A-Z].*[.]$/ }], what)
    const { last_delivery_error: error } = (await service.get('/api/crons')).body.jobs.find(({ id }: { id: string }) => id === job)
    t.equal(error, of('gave up a delivery').find((line) => line['job'] === job)?.['reason'], 'and its person is told the same')
  }
  onlyOf(t, lines, 'gave up a delivery')
})

t.test('deliveries to nobody', async (t) => {
  const { service, lines } = await logged(t, {})
  const { body: { job } } = await service.post('/api/crons/create', { prompt: said, schedule: '1d', model: service.model([{ text: said }]), deliver: 'push' })
  await service.post('/api/crons/run', { job_id: job.id })
  await eventually('a line', () => lines.length > 0)
  t.match(lines, [{ level: 40, msg: 'gave up a delivery', job: job.id, run: /./, host: null, code: 'no_subscription', attempts: 1, reason: /Switch notifications on/ }])
  onlyOf(t, lines, 'gave up a delivery')
})

t.test('web push', async (t) => {
  const { service, lines, of } = await logged(t, {}, { env: { SVC_WEBUI_WEBHOOK_PRIVATE: '1', SVC_WEBUI_PUSH_CONTACT: 'mailto:me@example.org' } })
  service.app.db.sqlite.exec('create trigger last_attempt after insert on push_messages begin update push_messages set attempts = 5 where id = new.id; end')
  const places = (await failingAddresses(t)).filter(({ what }) => what !== 'web-page' && what !== 'false-gzip')
  const subscribed = new Map<string, string>()
  for (const { what, url } of places) {
    const { status, body, text } = await service.post('/api/push/subscriptions', browserAt(`${url}/send/${secret}`).subscription)
    t.equal(status, 200, text)
    subscribed.set(what, body.subscription.id)
  }
  const { body: { job } } = await service.post('/api/crons/create', { prompt: said, schedule: '1d', name: said, model: service.model([{ text: said }]), deliver: 'push' })
  await service.post('/api/crons/run', { job_id: job.id })
  for (const { what, url, code } of places) {
    const subscription = subscribed.get(what)
    await eventually(`the end of ${what}`, () => of('gave up a push message').some((line) => line['subscription'] === subscription))
    const told = of('gave up a push message').filter((line) => line['subscription'] === subscription)
    t.match(told, [{ level: 40, host: hostOf(url), code, attempts: 6, reason: /./ }], what)
  }
  onlyOf(t, lines, 'gave up a push message')
})

t.test('MCP servers', async (t) => {
  const places = await failingAddresses(t)
  const remote = places.map(({ what, url }) => [what, { url: `${url}/mcp?${key}`, connect_timeout: 2, headers: { 'x-key': secret } }] as const)
  const programs = { exits: hostileServer('exit'), mute: { ...hostileServer('mute'), connect_timeout: 2 }, absent: { command: '/nowhere/program', args: [secret] }, dies: hostileServer() }
  const { service, lines, of } = await logged(t, { mcp_servers: { ...Object.fromEntries(remote), ...programs }, approvals: { allow: ['mcp:dies:*'] } })
  const ended = (name: string): Line[] => of('an MCP server ended with an error').filter((line) => line['name'] === name)
  const { body: { servers } } = await service.post('/api/mcp/reload')
  const expected: Array<[name: string, host: string | null, code: RegExp]> = [
    ...places.map(({ what, url, code }): [string, string, RegExp] => [what, hostOf(url), code]), ['exits', null, /^exited$/], ['mute', null, /^timeout$/], ['absent', null, /^ENOENT$/]
  ]
  for (const [name, host, code] of expected) {
    t.match(ended(name), [{ level: 40, profile: 'default', host, code, attempts: 1, reason: /[.]$/ }], name)
    t.equal(ended(name).length, 1, `${name}: one line`)
    t.equal(servers.find((server: Line) => server['name'] === name).error, ended(name)[0]?.['reason'], 'and its person is told the same')
  }
  t.same(ended('dies'), [])
  const mcp = service as unknown as McpService
  t.match((await called(mcp, 'mcp__dies__die', {})).result, /has ended \(exit code 3\)/)
  t.match(ended('dies'), [{ level: 40, profile: 'default', host: null, code: 'exited', attempts: 1 }])
  t.equal((await called(mcp, 'mcp__dies__say', { words: 'again' })).result, 'You said again')
  await called(mcp, 'mcp__dies__die', {})
  t.equal(ended('dies').length, 2, 'well again, and ended again')
  onlyOf(t, lines, 'an MCP server ended with an error')
})

t.test('agents of other makers', async (t) => {
  const { service, lines, of } = await logged(t, { agent: { type: 'acp', ...scripted() } }, { agentTiming: { helloMs: 1_500 } })
  const ends: Array<[prompt: string, agent: Record<string, unknown>, code: RegExp, attempts?: null]> = [
    ['die', scripted(), /^interrupted$/],
    ['huge', scripted(), /^interrupted$/],
    ['nothing', scripted(), /^no_response$/],
    ['fail', scripted(), /^rate_limit$/],
    [`say ${said}`, scripted({ AGENT_FAULT: 'silent' }), /^no_response$/],
    [`say ${said}`, scripted({ AGENT_FAULT: 'auth', KEY: secret }), /^auth_mismatch$/],
    [`say ${said}`, scripted({ AGENT_FAULT: 'version' }), /^error$/],
    // No model was asked.
    [`say ${said}`, { command: ['/nowhere/agent', secret], name: 'Absent' }, /^model_not_found$/, null]
  ]
  for (const [prompt, agent, code, attempts = 1] of ends) {
    writeConfig(service.folder, { agent: { type: 'acp', ...agent } })
    const sessionId = await service.newSession()
    const streamId = await service.send(sessionId, prompt)
    await (await service.watch(streamId)).ended
    t.match(of('a turn failed').filter((line) => line['session'] === sessionId), [{ level: 40, stream: streamId, kind: 'chat', ...(attempts !== null && { provider: /./ }), host: null, code, attempts, reason: /./ }], `${prompt} ${JSON.stringify(agent)}`)
  }
  t.equal(of('a turn failed').length, ends.length)
  onlyOf(t, lines, 'a turn failed')
})

t.test('jobs', async (t) => {
  const places = (await failingAddresses(t)).filter(({ what }) => what === 'closed')
  const { service, lines } = await logged(t, { custom_providers: places.map(({ what, url }) => ({ name: what, base_url: url, models: ['m'] })) })
  const { body: { job } } = await service.post('/api/crons/create', { prompt: said, schedule: '1d', model: '@closed:m' })
  await service.post('/api/crons/run', { job_id: job.id })
  await eventually('a line', () => lines.length > 0)
  await eventually('its end', async () => (await service.get('/api/crons')).body.jobs[0].last_status === 'error')
  t.match(lines, [{ level: 40, msg: 'a turn failed', job: job.id, kind: 'cron', provider: 'closed', host: '127.0.0.1', code: 'no_response', attempts: /^[1-9]/ }])
  t.equal(lines.length, 1)
  onlyOf(t, lines, 'a turn failed')
})

t.test('a turn that cannot be started, or is lost, has one line', async (t) => {
  const { service, lines } = await logged(t, {}, { transport: () => () => { throw new Error('no more processes') } })
  const sessionId = await service.newSession()
  await service.turn(sessionId, said, service.model([{ text: 'x' }]))
  t.match(lines.filter(({ session }) => session === sessionId), [{ msg: 'a turn failed', code: 'interrupted', reason: /could not be started/, fault: /no more processes/ }])
  onlyOf(t, lines.filter(({ msg }) => msg !== 'an agent host could not be started'), 'a turn failed')
})
