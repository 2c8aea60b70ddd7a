import { Ajv } from 'ajv'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import t from '#test'
import { checkConfig } from '../../services/ground/home/config-check.js'
import { configFile, configSchemaText } from '../../services/ground/home/config-schema.js'
import { readProfileSettings } from '../../services/ground/home/settings.js'
import { turnRules } from '../../services/areas/profiles/turn-rules.js'
import { start } from '../support/app.js'

const check = (text: string) => checkConfig(parse(text, { merge: true }) as Record<string, unknown>, text)
const accepts = new Ajv({ strict: false, strictNumbers: true, formats: { uri: (text: string) => URL.canParse(text) } }).compile(JSON.parse(configSchemaText()) as object)

/** For each: the file, what remains of it, and the problem: path, line, and words. */
const cases: Array<[name: string, text: string, left: object, problems: Array<[path: string, line: number, what: RegExp]>]> = [
  ['nothing is wrong', 'max_tokens: 5\nagent: { reasoning_effort: high }\n', { max_tokens: 5, agent: { reasoning_effort: 'high' } }, []],
  ['keys of somebody else', 'max_tokens: 5\nkanban: { a: [1] }\nagent: { colour: red }\n', { max_tokens: 5, kanban: { a: [1] }, agent: { colour: 'red' } }, []],
  ['empty keys', 'model:\nmax_tokens: ~\nproviders: { work: }\nagent: { reasoning_effort: "" }\n', { providers: {}, agent: {} }, []],
  ['a number as a text', '# mine\nmax_tokens: "5"\n', {}, [['max_tokens', 2, /must be a whole number from 1 on; it counts as not set/]]],
  ['a number that is too small', 'goals:\n  max_turns: 0\n  other: 1\n', { goals: { other: 1 } }, [['goals.max_turns', 2, /from 1 on/]]],
  ['a part of a whole', 'compression: { threshold: 1.5, enabled: true }\n', { compression: { enabled: true } }, [['compression.threshold', 1, /a number above 0, 1 at most/]]],
  ['no number', 'clarify: { timeout: .nan }\n', { clarify: {} }, [['clarify.timeout', 1, /a number/]]],
  ['a word that is not one of them', 'agent:\n  reasoning_effort: hihg\n', { agent: {} }, [['agent.reasoning_effort', 2, /must be one of none, minimal, low/]]],
  ['yes', 'memory:\n  memory_enabled: yes\n', { memory: {} }, [['memory.memory_enabled', 2, /true or false/]]],
  ['a port that there is not', 'model:\n  base_url: http://host:99999/v1\n', { model: {} }, [['model.base_url', 2, /an http or https address/]]],
  ['another protocol', 'providers:\n  work:\n    base_url: ftp://host\n    name: Work\n', { providers: { work: { name: 'Work' } } }, [['providers.work.base_url', 3, /an http or https address/]]],
  ['a text for a section', 'model: gpt-5\nmax_tokens: 3\n', { max_tokens: 3 }, [['model', 1, /a mapping of keys to values/]]],
  ['a list for a section', 'providers:\n  - name: x\n', {}, [['providers', 1, /a mapping/]]],
  ['an entry of no use', 'custom_providers:\n  - name: Lab\n  - name: Other\n    base_url: http://other/v1\n', { custom_providers: [{ name: 'Other', base_url: 'http://other/v1' }] }, [['custom_providers[0]', 2, /has no base_url/]]],
  ['an entry with a wrong address', 'custom_providers:\n  - name: Lab\n    base_url: lab\n', { custom_providers: [] }, [['custom_providers[0].base_url', 3, /an http or https address/]]],
  ['one of a list', 'approvals:\n  allow:\n    - cmd:make\n    - 5\n', { approvals: { allow: ['cmd:make'] } }, [['approvals.allow[1]', 4, /a text/]]],
  ['one text for a list', 'approvals: { deny: "cmd:git push*" }\n', { approvals: { deny: 'cmd:git push*' } }, []],
  ['several kinds', 'fallback_providers: [ anthropic, { provider: work }, 5 ]\n', { fallback_providers: ['anthropic', { provider: 'work' }] }, [['fallback_providers[2]', 1, /a text, or a mapping/]]],
  ['no variable', 'providers: { w: { key_env: "my key" } }\n', { providers: { w: {} } }, [['providers.w.key_env', 1, /the name of a variable/]]],
  ['a server of tools', 'mcp_servers:\n  files: { command: npx, args: [ -y, 5 ], env: { A: 1 }, tools: [ read ] }\n  far: { url: nowhere }\n',
    { mcp_servers: { files: { command: 'npx', args: ['-y', 5], env: { A: 1 }, tools: ['read'] }, far: {} } }, [['mcp_servers.far.url', 3, /address/]]],
  ['by an anchor', 'base: &base\n  base_url: nonsense\nproviders:\n  a: *base\n', { base: { base_url: 'nonsense' }, providers: { a: {} } }, [['providers.a.base_url', 2, /address/]]],
  ['by a merge', 'base: &base { base_url: nonsense }\nproviders:\n  a:\n    <<: *base\n', { base: { base_url: 'nonsense' }, providers: { a: {} } }, [['providers.a.base_url', 3, /address/]]]
]

t.test('what does not fit is not taken, what stands beside it is', async (t) => {
  for (const [name, text, left, wanted] of cases) {
    const { config, problems } = check(text)
    t.same(config, left, name)
    t.match(problems.map(({ path, line, message, level }) => [path, line, message, level]), wanted.map(([path, line, what]) => [path, line, what, 'error']), name)
    t.equal(problems.length, wanted.length, name)
    for (const { path, line, message } of problems) t.ok(message.startsWith(`${path} (line ${line}) `), message)
    if (!text.includes('""')) t.equal(accepts(parse(text, { merge: true })), wanted.length === 0, `an editor says the same: ${name}`)
  }
})

t.test('a slip in a key is told of, and another key is not', async (t) => {
  const meant = (text: string) => check(text).problems.map(({ path, line, level, message }) => `${level} ${path} ${line} ${/is (\w+) meant/.exec(message)?.[1]}`)
  t.same(meant('a: 1\nmax_token: 5\n'), ['warning max_token 2 max_tokens'])
  t.same(meant('agent:\n  reasoning_efort: high\n  reasoningEffort: high\n'), ['warning agent.reasoning_efort 2 reasoning_effort', 'warning agent.reasoningEffort 3 reasoning_effort'])
  t.same(meant('aprovals: {}\nterminal: { memory_bm: 5 }\n'), ['warning aprovals 1 approvals', 'warning terminal.memory_bm 2 memory_mb'])
  t.same(meant('providers: { work: { api-key: x } }\n'), ['warning providers.work.api-key 1 api_key'])
  t.same(meant('kanban: 1\nmodels: 1\nmodel: { default: x }\nfoo: 2\nxtt: 1\n'), [], 'the key that is meant is there, or none is near')
})

t.test('what keys hold is never told, and the list has an end', async (t) => {
  const secret = 'sk-proj-abcdefghijklmnop1234567890'
  const { problems } = check(`model: { api_key: [${secret}] }\nproviders: { ${secret}: 5, work: { key_env: "${secret} x" } }\nmcp_servers: { a: { env: ${secret}, headers: [${secret}] } }\nagent: { reasoning_effort: ${secret} }\n`)
  t.equal(problems.length, 6)
  t.notMatch(JSON.stringify(problems), /abcdefghijklmnop/)
  t.equal(check(Array.from({ length: 2_000 }, (_, index) => `max_token${index}: 1\n`).join('')).problems.length, 50)
  t.equal(check(`providers:\n${Array.from({ length: 2_000 }, (_, index) => `  p${index}: 1\n`).join('')}`).problems.length, 50)
  t.match(check(`providers: { ${'x'.repeat(500)}: 5 }`).problems[0]!.path, /^providers\.x{64}…$/)
})

t.test('the declaration says what the code does', async (t) => {
  const { properties } = configFile as unknown as { properties: Record<string, { properties: Record<string, { default?: unknown }> }> }
  const rules = turnRules({})
  t.equal(properties['approvals']!.properties['timeout']!.default, rules.approvalTimeoutS)
  t.equal(properties['clarify']!.properties['timeout']!.default, rules.clarifyTimeoutS)
  t.equal(properties['compression']!.properties['threshold']!.default, rules.compressionThreshold)
  t.equal(properties['goals']!.properties['max_turns']!.default, rules.goalTurns)
  t.equal(properties['terminal']!.properties['sandbox']!.default, rules.sandbox)
  t.equal(readFileSync('docs/config.schema.json', 'utf8'), configSchemaText(), '`npm run openapi` writes it')
  const kindsOf = (schema: Record<string, unknown>): void => {
    const members = schema['anyOf'] as Array<{ type: string }> | undefined
    if (members !== undefined) t.equal(new Set(members.map(({ type }) => type)).size, members.length, `each member of a union is another kind: ${JSON.stringify(schema['description'])}`)
    for (const value of Object.values(schema)) if (typeof value === 'object' && value !== null) kindsOf(value as Record<string, unknown>)
  }
  kindsOf(configFile)
})

t.test('the example of the documentation is in order', async (t) => {
  const example = /```yaml\n(model:[^]*?)```/.exec(readFileSync('docs/configuration.md', 'utf8'))![1]!.replaceAll('…', 'x')
  t.same(check(example).problems, [])
})

t.test('a secret in a key that is not in order is known all the same', async (t) => {
  const home = mkdtempSync(join(t.testdir(), 'home-'))
  writeFileSync(join(home, 'config.yaml'), 'providers: [ { api_key: of-no-known-shape-77 } ]\n')
  const settings = readProfileSettings(home, {})
  t.same(settings.config, {})
  t.match(settings.configAsWritten, { providers: [{ api_key: 'of-no-known-shape-77' }] })
})

t.test('problems are told of everywhere, and are gone when they are', async (t) => {
  const service = await start(t)
  const path = join(service.folder, 'home', 'config.yaml')
  const feed = await service.events('/api/events')
  t.match((await feed.until('snapshot')).data, { config_error: null, config_problems: [] })
  writeFileSync(path, 'max_tokens: many\nagent:\n  reasoning_effort: high\n  max_tokns: 5\n')
  const wanted = [
    { path: 'max_tokens', line: 1, level: 'error', message: 'max_tokens (line 1) must be a whole number from 1 on; it counts as not set' },
    { path: 'agent.max_tokns', line: 4, level: 'warning', message: 'agent.max_tokns (line 4) is not known and has no effect: is max_tokens meant?' }
  ]
  const told = await feed.until('profile')
  t.same(told.data.config_problems, wanted)
  t.equal(told.data.config_error, null)
  const { body: settings } = await service.get('/api/settings')
  t.same(settings.config_problems, wanted)
  t.match(settings, { config_error: null, max_tokens: null })
  t.same((await service.get('/api/system/health')).body.config, { profile: 'default', error: null, problems: wanted })
  t.match((await service.get('/api/reasoning')).body, { reasoning_effort: 'high' }, 'what stands beside it holds')

  t.equal((await service.post('/api/settings', { max_tokens: 7 })).status, 200, 'a setting mends its key')
  t.same((await service.get('/api/settings')).body.config_problems, wanted.slice(1))
  writeFileSync(path, 'agent:\n  max_tokens: 5\n')
  await feed.until(({ event, data }) => event === 'profile' && data.config_problems.length === 0)
})

t.test('the schema is served behind the gate, as it is shipped', async (t) => {
  const service = await start(t, { env: { SVC_WEBUI_PASSWORD: 'correct horse' } })
  t.equal((await service.get('/api/config/schema')).status, 401)
  const cookie = (await service.post('/api/auth/login', { password: 'correct horse' })).headers.getSetCookie()[0]!.split(';')[0]!
  const { status, headers, text } = await service.get('/api/config/schema', { cookie })
  t.equal(status, 200)
  t.equal(headers.get('content-type'), 'application/schema+json; charset=utf-8')
  t.equal(text, readFileSync('docs/config.schema.json', 'utf8'))
})
