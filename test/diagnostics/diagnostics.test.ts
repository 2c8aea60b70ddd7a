import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from '#test'
import { type Line } from '../../services/areas/diagnostics/index.js'
import { start, type TestService } from '../support/app.js'
import { secrets, whole } from '../support/credentials.js'
import { diagnosticsCodes } from '../../schemas/diagnostics.js'
import { languageCodes, languages } from '../../web/src/words/languages.js'
import { serving } from '../support/listening.js'
import { modelEndpoint } from '../support/model-endpoint.js'

async function report (service: TestService, query = ''): Promise<{ lines: Line[], text: string, of: (id: string) => Line[] }> {
  const { status, body, text } = await service.get(`/api/diagnostics${query}`)
  t.equal(status, 200)
  const lines = body.checks as Line[]
  return { lines, text, of: (id) => lines.filter((line) => line.id === id) }
}

/** Starts a server that refuses every key. */
async function refusingServer (t: Test): Promise<string> {
  const origin = await serving(t, (_request, response) => response.writeHead(401, { 'content-type': 'application/json' }).end('{}'))
  return `${origin}/v1`
}

t.test('a service that is well has a line for everything, and nothing to fix but what this machine lacks', async (t) => {
  const service = await start(t, { onDisk: true })
  for (const folder of ['home', 'home/webui']) chmodSync(join(service.folder, folder), 0o700)
  const { lines, of } = await report(service)
  t.same([...new Set(lines.map(({ id }) => id))], [
    'program', 'memory', 'open-files', 'clock', 'state-folder', 'disk', 'database', 'backups', 'access', 'sandbox', 'git', 'ripgrep', 'proxy', 'configuration', 'updates', 'log',
    'providers', 'agents', 'mcp', 'schedules', 'push', 'machines'
  ])
  t.match(of('state-folder'), [{ status: 'ok' }])
  t.match(of('configuration'), [{ status: 'ok' }])
  t.match(of('schedules'), [{ status: 'ok', message: /^0 scheduled jobs/ }])
  t.match(of('machines'), [{ status: 'skipped' }])
  t.match(of('providers'), [{ status: 'warning', message: /offline demo/, code: 'provider_missing' }])
  t.match(of('state-folder'), [{ code: 'state_folder_ok' }])
  t.match(of('program'), [{ code: 'program_version', values: { version: process.versions.node } }])
  for (const { id, status, fix } of lines) if (status === 'error' || status === 'warning') t.ok(fix, `${id} says what to do`)
})

t.test('who asks at the same time gets the same report; a model is asked only by a thorough one', async (t) => {
  const endpoint = await modelEndpoint(t)
  const service = await start(t, { env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: endpoint.url } })
  const [one, two] = await Promise.all([report(service), report(service)])
  t.equal(one.text, two.text)
  t.match(one.of('providers'), [{ about: 'OpenAI', status: 'ok', message: /lists \d+ models/ }])
  const asked = (): number => endpoint.requests.filter(({ body }) => 'messages' in body).length
  t.equal(asked(), 0, 'nothing was spent')
  t.match((await report(service, '?thorough=1')).of('providers'), [{ status: 'ok', message: /answers/ }])
  t.equal(asked(), 1)
})

t.test('what is wrong in a profile: config.yaml, a key, an MCP server, a job', async (t) => {
  const service = await start(t, { env: { OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: await refusingServer(t) } })
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'mcp_servers: {broken: {}}\nagent: {max_turns: many}\nwebui_passkey_enabled: 7\n')
  const found = async (config: string) => {
    writeFileSync(join(service.folder, 'home', 'config.yaml'), config)
    return (await report(service)).of('configuration').map(({ about, message }) => [about, message])
  }
  t.same(await found('timezone: Mars/Olympus\nbudgets: {job: {hard_usd: lots, hard: 5}}\ncron: {output_retention: many}\n'), [
    ['cron.output_retention', 'cron.output_retention (line 3) must be a number; it counts as not set'],
    ['budgets.job.hard_usd', 'budgets.job.hard_usd: must be a number of US dollars above 0'],
    ['budgets.job.hard', 'budgets.job.hard: not known; there are soft_usd, hard_usd, soft_tokens, hard_tokens'],
    ['timezone', 'timezone: not a time zone, so no task can be scheduled. Enter a name such as Europe/Berlin']
  ], 'everything that is wrong, also what an area reads itself')
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'mcp_servers: {broken: {}}\nagent: {max_turns: many}\nwebui_passkey_enabled: 7\n')
  const { body: { job } } = await service.post('/api/crons/create', { name: 'Daily', prompt: 'x', schedule: '1d' })
  service.app.db.sqlite.prepare("update cron_jobs set last_status = 'error', last_error = 'No model' where id = ?").run(job.id)
  const { of } = await report(service)
  t.match(of('configuration')[0], { status: 'warning', about: String, fix: /config\.yaml/ })
  t.match(of('providers'), [{ status: 'error', message: /refused the API key/, fix: /valid key/ }])
  t.match(of('mcp'), [{ about: 'broken', status: 'error', fix: String }])
  t.match(of('schedules'), [{ about: 'Daily', status: 'warning', message: 'Its last run failed: No model.' }])
  writeFileSync(join(service.folder, 'home', 'config.yaml'), 'model: [')
  t.match((await report(service)).of('configuration'), [{ status: 'error', message: /broken/ }])
})

t.test('only a person, or a token for everything, may read it', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse battery' } })
  t.equal((await service.get('/api/diagnostics')).status, 401)
  const signedIn = await service.post('/api/auth/login', { password: 'correct horse battery' })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? ''
  t.equal((await service.get('/api/diagnostics', { cookie })).status, 200)
  t.equal((await service.get('/api/diagnostics', { cookie, 'sec-fetch-site': 'cross-site' })).status, 403, 'no other site has it run')
  for (const [scope, status] of [['read', 403], ['approve', 403], ['admin', 200]] as const) {
    const { body: { token } } = await service.post('/api/auth/tokens/create', { name: scope, scope }, { cookie })
    t.equal((await service.get('/api/diagnostics', { authorization: `Bearer ${token as string}` })).status, status, scope)
  }
})

t.test('no secret and no name of a home is in a report', async (t) => {
  const planted = [
    'a password 0fGh7jKl0n', 'sk-test-1bCd4fGh7jKl0nAb3dEf6h', 'X-Proxy: pq9Zr5tUv8xYz1bCd4fGh7jKl', 'oidc-5tUv8xYz1bCd4fGh7jKl0nAb', 'vllm-hIj9lMn2pQr5tUv8xYz1b',
    'hook-7jKl0nAb3dEf6hIj9lMn2pQr'
  ] as const
  const [password, key, proxy, oidc, token, hook] = planted
  const service = await start(t, {
    onDisk: true,
    env: {
      SVC_WEBUI_PASSWORD: password, SVC_WEBUI_PROXY_HEADER: proxy, OPENAI_API_KEY: key, OPENAI_BASE_URL: await refusingServer(t), VLLM_API_KEY: token,
      SVC_WEBUI_OIDC_ISSUER: 'https://login.example.org', SVC_WEBUI_OIDC_CLIENT_ID: 'agent', SVC_WEBUI_OIDC_CLIENT_SECRET: oidc, SVC_WEBUI_OIDC_ALLOW: 'sub:1'
    }
  })
  const known = secrets.slice(0, 4).map(([, text, secret]) => [whole(text), whole(secret)] as const)
  const headers = { 'X-Proxy': proxy.replace(/^.*: /, '') }
  writeFileSync(join(service.folder, 'home', '.env'), `CRON_WEBHOOK_SECRET=${hook}\n`)
  writeFileSync(join(service.folder, 'home', 'config.yaml'), `mcp_servers: {s: {url: "https://u:${hook}@example.org:x/", headers: {Authorization: "Bearer ${hook}"}}}\nmodel: {default: ["${key}"]}\n`)
  for (const [index, [text]] of known.entries()) {
    const { body: { job } } = await service.post('/api/crons/create', { name: `Job ${index}`, prompt: 'x', schedule: '1d' }, headers)
    service.app.db.sqlite.prepare("update cron_jobs set last_status = 'error', last_error = ? where id = ?").run(`${text} in ${service.folder}/x`, job.id)
  }
  mkdirSync(join(service.folder, 'home', 'webui', 'backups'), { recursive: true })
  const { status, text } = await service.get('/api/diagnostics', headers)
  t.equal(status, 200)
  for (const secret of [...planted.map((each) => each.replace(/^.*: /, '')), ...known.map(([, secret]) => secret)]) t.notOk(text.includes(secret), secret)
  t.notOk(text.includes(service.folder), 'the home of the user')
  t.match(text, /~\/home/)
})

t.test('an upload is counted and not kept; what is too large or no bytes is refused', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_MAX_UPLOAD_MB: '1' } })
  const send = async (bytes: number, type = 'application/octet-stream') =>
    await fetch(`${service.url}/api/diagnostics/upload`, { method: 'POST', headers: { 'content-type': type }, body: new Uint8Array(bytes) })
  const taken = await send(1024 ** 2)
  t.same([taken.status, await taken.json()], [200, { received_bytes: 1024 ** 2 }])
  t.equal((await send(1024 ** 2 + 1)).status, 413)
  t.equal((await send(3, 'application/json')).status, 415)
  const empty = await fetch(`${service.url}/api/diagnostics/upload`, { method: 'POST' })
  t.same(await empty.json(), { received_bytes: 0 })
})

t.test('every language but English, whose sentences are the service\'s own, names all checks and says all findings that have a code', async (t) => {
  const { lines } = await report(await start(t, { onDisk: true }))
  for (const language of languageCodes) {
    const { diagnostics: { checks, found, verdicts } } = await languages[language].screens()
    const isEnglish = language === 'en'
    t.same(Object.keys(found).toSorted(), isEnglish ? [] : [...diagnosticsCodes].toSorted(), language)
    const values = {
      path: '/p/ath', target: '/t/arget', owner: '1001', user: '1002', code: 'EACCES', seconds: '75', hours: '24', free: '1.2 GiB', needed: '3 GiB',
      used: '2 GiB', limit: '4 GiB', count: '17', open: '18', messages: '19', version: '1.2.3', own: '1.2.4',
      size: '2 MiB', log: '636 KiB', host: '127.0.0.1', port: '8787', profile: 'work', reason: 'The disk is full.'
    }
    for (const [code, saying] of Object.entries(found)) {
      const said = typeof saying === 'function' ? saying(values) : saying
      t.notMatch(said.join(), /undefined|\$\{/, `${language}: ${code}`)
      if (typeof saying === 'function') t.ok(Object.values(values).some((value) => said[0].includes(value)), `${language}: ${code} says what is meant`)
    }
    for (const { id } of lines) t.equal(Object.hasOwn(checks, id), !isEnglish, `${language}: ${id}`)
    t.notMatch(verdicts.stayedOpen('60'), /60/, 'a minute is no number of seconds')
    t.match(verdicts.stayedOpen('60'), /1 ?\S/)
  }
})
