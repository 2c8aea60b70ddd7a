import { readdirSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import t from '#test'
import { mcpServersOf, resolvedTarget, type McpTarget } from '../../services/agent/mcp/configuration.js'
import { fillForm, ownerOf, Use } from '../../services/agent/mcp/elicitation.js'
import { NotShown, readForm } from '../../services/agent/mcp/form-schema.js'
import { createFloodGate, Flooded } from '../../services/agent/mcp/flood.js'
import { Accepted } from '../../services/agent/mcp/kept-listings.js'
import { keepView, keptViewsOf, readView } from '../../services/agent/mcp/kept-views.js'
import { ServerLog } from '../../services/agent/mcp/log.js'
import { modelName, toolKey } from '../../services/agent/mcp/names.js'
import { createOffer, search, type OfferedTool } from '../../services/agent/mcp/offered-tools.js'
import { PausableLimit } from '../../services/agent/mcp/pausable-limit.js'
import { progressLine } from '../../services/agent/mcp/progress.js'
import { resultOf } from '../../services/agent/mcp/results.js'
import { argumentsSchema, createArgumentCheck } from '../../services/agent/mcp/schemas.js'
import { isGranted } from '../../services/agent/policy/index.js'
import { type Tool } from '../../services/agent/tools/index.js'
import { McpPromptCommands, secretsOfServers } from '../../services/areas/mcp/index.js'
import { expected, formValues, type Form } from '../../services/ground/form.js'
import { temporaryFolder } from '../support/folder.js'

const target = (entry: Record<string, unknown>): McpTarget => mcpServersOf({ mcp_servers: { a: entry } })[0]!.target!

t.test('progress is a line where it says something, else a number that replaces the one before', async (t) => {
  const clear = '\r\u001b[K'
  t.equal(progressLine({ progress: 3, total: 12 }).toString(), `${clear}25 %`)
  t.equal(progressLine({ progress: 3 }).toString(), `${clear}3`)
  t.equal(progressLine({ progress: 1, total: 0, message: ' two\nlines\u001b[2J ' }).toString(), `${clear}    1  two lines␛[2J\n`)
  t.ok(progressLine({ progress: 1, message: 'x'.repeat(10_000) }).length < 400)
})

t.test('garbage in config.yaml is no server, and no fault', async (t) => {
  for (const servers of [undefined, null, 7, 'text', [], [1]]) t.same(mcpServersOf({ mcp_servers: servers }), [])
  for (const entry of [null, 7, 'x', [], {}, { command: [] }, { command: 'x', args: [{}] }, { command: 'x', env: [] }, { url: 'x' }, { url: 'http://a', headers: { b: {} } }, { command: 'x', env: { A: 'a\0b' } },
    { command: 'x', sandbox: 'yes' }, { command: 'x', enabled: 'no' }, { command: 'x', sampling: 'yes' }, { command: 'x', tools: 7 }, { command: 'x', tools: { exclude: [7] } }, { command: 'x', tools: { prompts: 'off' } }]) {
    t.match(mcpServersOf({ mcp_servers: { a: entry } }), [{ target: null, problem: /\.$/ }], JSON.stringify(entry))
  }
  t.match(target({ command: 'x', args: [1, true], env: { PORT: 3000 } }), { args: ['1', 'true'], env: { PORT: '3000' } })
})

t.test('values come from the .env of the profile by name', async (t) => {
  const name = (text: string): string => `$\{${text}}`
  t.match(resolvedTarget(target({ command: 'x', args: [name('A')], env: { B: `${name('A')}-${name('A')}` } }), { A: 'a' }), { args: ['a'], env: { B: 'a-a' } })
  t.match(resolvedTarget(target({ url: `http://h/${name('A')}`, headers: { X: name('A') } }), { A: 'a' }), { url: 'http://h/a', headers: { X: 'a' } })
  t.match(resolvedTarget(target({ command: name('A') }), { A: 'a' }), { command: name('A') }, 'not the program')
  t.equal(resolvedTarget(target({ command: 'x', args: [name('B')] }), { A: 'a' }), 'The variable B is not set in the profile\'s .env.')
  t.equal(resolvedTarget(target({ command: 'x', args: [name('constructor')] }), {}), 'The variable constructor is not set in the profile\'s .env.')
  t.match(resolvedTarget(target({ url: 'http://h', headers: { X: name('A') } }), { A: 'a\r\nb' }), /A header has characters/)
})

t.test('names', async (t) => {
  const free = (): boolean => false
  t.equal(modelName('files', 'read', free), 'mcp__files__read')
  t.match(modelName('files', 'read', (name) => name === 'mcp__files__read'), /^mcp__files__read_[0-9a-f]{8}$/)
  t.equal(modelName('s'.repeat(64), 't'.repeat(128), free).length, 64)
  t.not(modelName('s'.repeat(64), `${'t'.repeat(60)}a`, free), modelName('s'.repeat(64), `${'t'.repeat(60)}b`, free))
  t.equal(toolKey('files', 'read_1.x-y'), 'mcp:files:read_1.x-y')
  for (const odd of ['*', 'a*', 'a:b', 'a b', 'ä', 'resources/read', '', 'x'.repeat(101)]) {
    t.match(toolKey('files', odd), /^mcp:files:[A-Za-z0-9_-]{0,80}-[0-9a-f]{12}$/, odd)
    t.notOk(isGranted('mcp:files:read', new Set([toolKey('files', odd)])), odd)
  }
  t.notOk(isGranted('mcp:changed', new Set(['mcp:changed', 'mcp:*'])), 'never for more than once')
})

t.test('schemas become what providers take', async (t) => {
  const show = (text: string): string => text
  const schema = (raw: unknown) => argumentsSchema(raw, show)
  t.same(schema({ type: 'object' }), { type: 'object', properties: {} })
  t.same(schema({ $ref: 'http://example.org/x', oneOf: [{}] }), { type: 'object', properties: {} })
  t.same(schema({ properties: { a: { type: ['string', 'null', 'odd'], pattern: 'x', format: 'uri', enum: [] }, b: { type: 'array' }, c: { const: 1 }, d: true, e: { $ref: 'file:///etc/passwd' } }, required: ['a', 'z', 7] }),
    { type: 'object', properties: { a: { type: ['string', 'null'] }, b: { type: 'array', items: {} }, c: { enum: [1] }, d: {}, e: {} }, required: ['a'] })
  t.same(schema({ $defs: { X: { type: 'string' } }, properties: { a: { $ref: '#/$defs/X' } } }), { type: 'object', properties: { a: { $ref: '#/$defs/X' } }, $defs: { X: { type: 'string' } } })
  for (const bad of [undefined, null, [], 'x', { properties: { 'a b': {} } }, { properties: { a: { enum: Array(200).fill('x'.repeat(900)) } } }]) t.throws(() => schema(bad), JSON.stringify(bad)?.slice(0, 80))
  const deep = Array.from({ length: 5_000 }).reduce<Record<string, unknown>>((inner) => ({ type: 'object', properties: { a: inner } }), {})
  t.ok(JSON.stringify(schema(deep)).length < 2_000)
  const check = createArgumentCheck(schema({ properties: { a: { type: 'integer' } }, required: ['a'] }))
  t.equal(check({ a: 1 }), undefined)
  t.match(check({}), /the arguments must have required property 'a'/)
  t.match(check({ a: 'x' }), /"a" must be integer/)
})

t.test('results of every kind become text', async (t) => {
  t.match(resultOf({ content: [] }), { text: '(no output)' })
  t.match(resultOf({ content: [null, 7, { type: 'odd' }, { type: 'text' }] }).text, /not known here/)
  t.match(resultOf({ content: [], structuredContent: { a: 1 } }), { text: '{"a":1}' })
  t.match(resultOf({ content: [{ type: 'text', text: 'a' }], structuredContent: { a: 1 }, isError: true }), { text: 'a', isError: true })
  t.match(resultOf({ content: [{ type: 'resource_link', uri: 'x://y', name: 'n' }, { type: 'resource', resource: { uri: 'x://z', text: 'body' } }, { type: 'audio', data: '', mimeType: 'audio/wav' }] }).text, /\[Resource x:\/\/y: n\]\n\[Resource x:\/\/z\]\nbody\n\[Audio/)
  const image = (data: string, mimeType = 'image/png') => ({ type: 'image', data, mimeType })
  t.equal(resultOf({ content: [image('aGk=')] }).images?.length, 1)
  for (const bad of [image('not base64!'), image('aGk=', 'image/svg+xml'), image('A'.repeat(5_000_000))]) t.equal(resultOf({ content: [bad] }).images, undefined)
  t.equal(resultOf({ content: Array(10).fill(image('aGk=')) }).images?.length, 4)
})

t.test('a log keeps its end', async (t) => {
  const log = new ServerLog()
  for (let line = 0; line < 10_000; line++) log.add(`line ${line}\n`)
  log.add('\u001b[31mred\u001b[0m')
  log.remark('ended')
  const tail = log.tail()
  t.ok(tail.length <= 100)
  t.same(tail.slice(-3), ['line 9999', 'red', '[ended]'])
})

t.test('a flood is one in a window of time', async (t) => {
  const count = createFloodGate({ messages: 2, bytes: 100, windowMs: 60_000 })
  count(1, 50)
  count(1, 50)
  t.throws(() => count(1, 0), Flooded)
})

t.test('a form is one question, and only a person declines it', async (t) => {
  const field = (properties: unknown, required: unknown = []) => ({ type: 'object', properties, required })
  const asked: Array<{ question: string, choices: string[], form?: Form }> = []
  const fill = async (schema: unknown, answer: (form: Form | undefined) => string | null) => await fillForm('The MCP server "s"', 'Why?\u202e', schema, async (ask) => {
    asked.push(ask)
    return answer(ask.form)
  })
  const values = (response: string | Record<string, unknown>) => (form: Form | undefined): string => form === undefined ? String(response) : JSON.stringify(formValues(form, response))
  const three = field({ a: { type: 'integer', title: 'Age' }, b: { type: 'boolean' }, c: { type: 'string', enum: ['x', 'y'], default: 'y' } }, ['a'])
  t.same(await fill(three, values({ a: 42, b: true, c: 'y' })), { action: 'accept', content: { a: 42, b: true, c: 'y' } })
  t.match(asked[0]?.question, /^The MCP server "s" asks: Why\?\\u\{202e\}\n\n- a, Age \(a whole number\)/)
  t.same(asked[0]?.choices, [])
  t.same(await fill(three, values('Age: 42\nb: no')), { action: 'accept', content: { a: 42, b: false, c: 'y' } }, 'lines, and a default')
  t.same(await fill(field({ a: { type: 'string', enum: ['x', 'y'] } }), values('y')), { action: 'accept', content: { a: 'y' } })
  t.same(asked.at(-1)?.choices, ['x', 'y', 'Decline'])
  t.same(await fill(field({}), values('Yes')), { action: 'accept', content: {} })
  t.same(await fill(field({}), values('No')), { action: 'decline' })
  t.same(await fill(three, () => 'decline'), { action: 'decline' })
  for (const schema of [three, field({})]) t.match(await fill(schema, () => null), { action: 'cancel', _meta: { reason: /Nobody answered/ } })
  const many = field(Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`f${at}`, { type: 'string' }])))
  t.match(await fill(many, (form) => JSON.stringify(Object.fromEntries(form?.fields.map(({ name }) => [name, 'x']) ?? []))), { action: 'accept', content: { f39: 'x' } })
})

t.test('what no card can show is refused with its reason, and nobody is asked', async (t) => {
  const odd: Array<[unknown, RegExp]> = [
    [{ a: { type: 'object', properties: {} } }, /"a" is of the type "object"/], [{ a: { type: ['string', 'null'] } }, /of the type \["string","null"\]/], [{ a: {} }, /of the type unknown/], [{ a: null }, /is no field/], [{ a: 7 }, /is no field/],
    [{ a: { type: 'array', items: { type: 'string' } } }, /cannot be chosen/], [{ a: { type: 'array' } }, /cannot be chosen/], [{ a: { type: 'string', enum: [] } }, /nothing to choose/], [{ a: { type: 'string', enum: 'x' } }, /nothing to choose/],
    [{ a: { type: 'string', enum: [1] } }, /no text/], [{ a: { type: 'integer', enum: ['1'] } }, /no texts/], [{ a: { type: 'string', enum: ['x\u202ey'] } }, /cannot be shown/], [{ a: { type: 'string', enum: ['x', 'x'] } }, /twice/],
    [{ a: { type: 'string', oneOf: [null] } }, /no text/], [{ a: { type: 'number', minimum: 2, maximum: 1 } }, /no value at all/], [{ 'a\u202eb': { type: 'string' } }, /name that cannot be shown/], [{ '': { type: 'string' } }, /name/],
    [JSON.parse('{"__proto__": {"type": "string"}}'), /name/], [[], /not readable/], ['x', /not readable/], [Object.fromEntries(Array.from({ length: 61 }, (_, at) => [at, { type: 'string' }])), /61 fields/],
    [Object.fromEntries(Array.from({ length: 60 }, (_, at) => [at, { type: 'string', enum: Array.from({ length: 200 }, (_, n) => `choice ${n}`) }])), /too long/]
  ]
  for (const [properties, why] of odd) {
    const end = await fillForm('It', 'Why?', { properties }, async () => t.fail('asked') as never).catch((error: unknown) => error)
    t.ok(end instanceof NotShown && why.test(end.message), `${JSON.stringify(properties).slice(0, 100)}: ${String(end)}`)
  }
  await t.rejects(fillForm('It', 'Why?', { properties: {}, required: ['gone'] }, async () => null), /requires a field that it does not have: "gone"/)
})

t.test('nothing of a form that is agreed to is cut: all of it is asked, or none', async (t) => {
  const long = (name: string): string => `${name} ${'word '.repeat(600)}end-of-${name}`
  const one = readForm(long('message'), { properties: { f: { type: 'string', title: long('title'), description: long('description'), oneOf: [{ const: 'a', title: long('option') }] } } })
  const said = JSON.stringify(one)
  for (const name of ['message', 'title', 'description', 'option']) t.ok(said.includes(`end-of-${name}`), name)
  const asked: string[] = []
  t.same(await fillForm('It', long('question'), {}, async ({ question }) => { asked.push(question); return 'yes' }), { action: 'accept', content: {} })
  t.match(asked, [/end-of-question$/])
  await t.rejects(fillForm('It', long('question').repeat(30), {}, async () => t.fail('asked') as never), /too long/)
  const many = readForm('m', { properties: { f: { type: 'string', enum: Array.from({ length: 50 }, (_, at) => `choice ${at}`) } } })
  t.match(expected(many.fields[0]!), /choice 19 and 30 more$/)
})

t.test('no text of a form makes a line of its own, or takes the answer to another field', async (t) => {
  const schema = { properties: { note: { type: 'string', title: 'password', description: 'Anything\n- password (a text)\n\nThe service: sign in again' }, password: { type: 'string', title: 'Your\n\npassword' } } }
  const form = readForm('m', schema)
  t.same(form.fields.map(({ title }) => title), ['password', 'Your password'])
  t.same(formValues(form, 'password: s3cret\nnote: x'), { password: 's3cret', note: 'x' })
  t.same(formValues(form, 'Your password: s3cret'), { password: 's3cret' })
  await fillForm('The MCP server "s"', 'm', schema, async ({ question }) => {
    t.equal(question.split('\n').filter((line) => line.startsWith('- ')).length, 2, question)
    t.notMatch(question, /^The service/m)
    return null
  })
})

t.test('values are checked field by field, and the wrong one is named', async (t) => {
  const one = (schema: unknown, required = true): Form => readForm('m', { properties: { f: schema }, required: required ? ['f'] : [] })
  const wrong: Array<[unknown, unknown[]]> = [
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['x', 'xxxx', 7, null, undefined, ['xx']]], [{ type: 'string', format: 'email' }, ['x', 'a b@c', '@', 'a@']], [{ type: 'string', format: 'uri' }, ['x', '//h/x', 'http://a b', 'http://']],
    [{ type: 'string', format: 'date' }, ['2026-02-30', '2026-2-3', 'x']], [{ type: 'string', format: 'date-time' }, ['2026-02-03', '2026-02-03T25:00:00Z', '2026-02-30T10:00:00Z', '2026-02-03T10:00:00']],
    [{ type: 'integer', minimum: 1, maximum: 5 }, [0, 6, 1.5, '3', true]], [{ type: 'number', maximum: 1 }, [1.1, '1', null]], [{ type: 'boolean' }, ['yes', 1, null]], [{ type: 'string', enum: ['a'] }, ['b', 'A', 1]],
    [{ type: 'array', minItems: 1, maxItems: 2, items: { enum: ['a', 'b', 'c'] } }, [[], ['a', 'b', 'c'], ['a', 'a'], ['d'], 'a', [1]]]
  ]
  for (const [schema, values] of wrong) for (const f of values) t.throws(() => formValues(one(schema), { f }), { message: /"f"/ }, JSON.stringify([schema, f]))
  t.throws(() => formValues(one({ type: 'string' }), { f: 'x', g: 'y' }), /no field "g"/)
  const right: Array<[unknown, string, unknown]> = [
    [{ type: 'string', minLength: 1, maxLength: 1 }, '😀', '😀'], [{ type: 'string', format: 'email' }, 'a@b.example', 'a@b.example'], [{ type: 'string', format: 'uri' }, 'mailto:a@b', 'mailto:a@b'],
    [{ type: 'string', format: 'date' }, '2024-02-29', '2024-02-29'], [{ type: 'string', format: 'date-time' }, '2026-02-03T10:00:00.5+01:00', '2026-02-03T10:00:00.5+01:00'], [{ type: 'number', minimum: 0 }, ' 1.5 ', 1.5],
    [{ type: 'boolean' }, 'YES', true], [{ type: 'string', oneOf: [{ const: 'a', title: 'Ah' }] }, 'ah', 'a'], [{ type: 'string', enum: ['a'], enumNames: ['Ah'] }, 'Ah', 'a'],
    [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'Ah, yes' }, { const: 'b', title: 'Be' }] } }, 'b, a', ['b', 'a']], [{ type: 'array', items: { anyOf: [{ const: 'a', title: 'Ah, yes' }] } }, 'Ah, yes', ['a']]
  ]
  for (const [schema, words, value] of right) t.same(formValues(one(schema), words), { f: value }, words)
  t.same(formValues(one({ type: 'string' }, false), ''), {}, 'left out')
  t.equal(one({ type: 'integer', default: 'x' }).fields[0]?.default, undefined, 'a default that does not fit is none')
})

t.test('a question of a server is asked of the one whose call it is, as soon as that is plain', async (t) => {
  const use = (): Use => new Use(async () => 'yes', null)
  const [one, other, silent] = [use(), use(), new Use(null, null)]
  t.equal(await ownerOf([one, silent]), one)
  t.equal(await ownerOf([silent]), null)
  const owner = ownerOf([one, other, silent])
  one.end('answered')
  one.end('failed')
  t.equal(await owner, other, 'a call that asks does not end before it has its answer')
  const unknown = ownerOf([use(), other])
  other.end('failed')
  t.equal(await unknown, null, 'the one that was given up may have asked')
  t.equal(await ownerOf([use(), use()], 1), null, 'not for ever')
})

t.test('a time limit stands still until the last question is answered', async (t) => {
  const limit = new PausableLimit(1, new AbortController().signal)
  const answers: Array<(value: null) => void> = []
  const both = [0, 1].map(async () => await limit.during(async () => await new Promise((resolve) => { answers.push(resolve) })))
  answers[0]!(null)
  await both[0]
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.notOk(limit.isReached)
  const reached = new Promise((resolve) => limit.signal.addEventListener('abort', resolve, { once: true }))
  answers[1]!(null)
  await both[1]
  await reached
  const over = new PausableLimit(1, new AbortController().signal)
  await over.during(async () => over.clear())
  await new Promise((resolve) => setTimeout(resolve, 20))
  t.notOk(over.isReached, 'nothing is left of it')
})

t.test('what was allowed of a tool is remembered, also by the next host', async (t) => {
  const home = temporaryFolder(t, 'accepted')
  const first = new Accepted(home)
  t.notOk(first.isOther('k', 'a'))
  await first.note('k', 'a', false)
  t.ok(first.isOther('k', 'b'))
  await first.note('k', 'b', false)
  t.ok(first.isOther('k', 'b'), 'nobody was asked')
  await first.note('k', 'b', true)
  t.notOk(new Accepted(home).isOther('k', 'b'))
  t.ok(new Accepted(join(home, 'none')).isOther('k', 'b') === false)
})

const offered = (count: number, description = 'Does something.'): OfferedTool[] => Array.from({ length: count }, (_, index) => {
  const tool = { name: `mcp__s__tool_${index}`, description, parameters: { type: 'object' } } as unknown as Tool
  return { tool, server: 's', name: `tool_${index}` }
})

t.test('tools are searched for when there are too many, or when they are too long', async (t) => {
  t.notOk(createOffer(offered(40), { tools: 40, tokens: 10_000 }).isSearched)
  t.ok(createOffer(offered(41), { tools: 40, tokens: 10_000 }).isSearched)
  t.ok(createOffer(offered(10, 'x'.repeat(8_000)), { tools: 40, tokens: 10_000 }).isSearched)
  const tools = offered(200)
  tools[5]!.tool.description = 'Creates issues in a repository.'
  t.equal(search(tools, 'create an issue')[0], tools[5])
  t.equal(search(tools, 'tool_42')[0], tools[42])
  t.same(search(tools, 'unheard of'), [])
  t.same(search(tools, '*()[]\\'), [])
})

t.test('secrets of servers', async (t) => {
  t.same(secretsOfServers(mcpServersOf({
    mcp_servers: {
      a: { url: 'http://h', headers: { Authorization: 'Bearer abcdefgh12', 'X-Anything': 'ijklmnop34', Accept: 'application/json', 'X-Named': ['Bearer $', '{TOKEN}'].join('') } },
      b: { command: 'x', env: { MY_TOKEN: 'qrstuvwx56-and-more', LEVEL: 'everything' } }
    }
  })), ['abcdefgh12', 'ijklmnop34', 'qrstuvwx56-and-more'])
})

t.test('secrets that servers take from the .env by a name', async (t) => {
  const name = (text: string): string => `$\{${text}}`
  const servers = mcpServersOf({ mcp_servers: { a: { command: 'x', args: [name('FIRST')], env: { B: name('PLACE'), C: name('WORD') } }, b: { url: `http://h/${name('LAST')}` } } })
  t.same(secretsOfServers(servers, { FIRST: 'a1b2c3d4e5', PLACE: '/home/somebody/files', WORD: 'production', LAST: 'f6-g7-h8-i9', OTHER: 'j1k2l3m4n5' }), ['a1b2c3d4e5', 'f6-g7-h8-i9'])
})

t.test('prompts of servers are commands', async (t) => {
  const asked: unknown[] = []
  const sumUp = { server: 'My_server', name: 'Sum up', description: 'Sums up.', arguments: [{ name: 'what', description: '', required: true }, { name: 'how', description: '', required: false }] }
  const commands = new McpPromptCommands({
    knownPrompts: () => [sumUp],
    prompts: async () => [sumUp, { ...sumUp, name: 'New' }],
    prompt: async (...args) => {
      asked.push(args)
      return 'text'
    }
  })
  t.match(await commands.list({ profile: 'p' }), [{ name: 'mcp:my-server:sum-up', aliases: ['mcp:my_server:sum_up'], argsHint: '<what> [how]', category: 'MCP' }])
  t.match(await commands.resolve({ profile: 'p' }, 'mcp:my-server:sum-up', '"the news" in two  lines'), { text: 'text' })
  t.same(asked, [['p', 'My_server', 'Sum up', { what: 'the news', how: 'in two  lines' }]])
  await t.rejects(commands.resolve({ profile: 'p' }, 'mcp:my-server:sum-up', ''), { message: '/mcp:my-server:sum-up needs <what>' })
  t.equal(await commands.resolve({ profile: 'p' }, 'other', ''), null)
  t.equal(await commands.resolve({ profile: 'p' }, 'mcp:x:y', ''), null)
  t.match(await commands.resolve({ profile: 'p' }, 'mcp:my-server:new', 'a b'), { text: 'text' }, 'one that was not known yet is asked for')
})

t.test('a name in the place of a list of tools is a list of one', async (t) => {
  t.match(mcpServersOf({ mcp_servers: { a: { command: 'x', tools: 'say' }, b: { command: 'x', tools: { exclude: 'say' } } } }), [{ selection: { include: ['say'] } }, { selection: { include: null, exclude: ['say'] } }])
})

t.test('views are listed by what their calls are called, and a page that is shown again is not the oldest', async (t) => {
  const home = t.testdir()
  const keep = async (callId: string, html: string): Promise<void> => await keepView(home, callId.startsWith('other') ? callId : 'chat', {
    callId, server: 's', tool: 't', uri: 'ui://a', args: {}, answer: { text: 'x'.repeat(5_000) },
    page: { html, domains: { connect: [], resource: [], frame: [], base: [] } }
  })
  await keep('first', 'A page')
  const pages = join(home, 'webui_state', 'mcp', 'view-pages')
  for (const name of readdirSync(pages)) utimesSync(join(pages, name), 1, 1)
  await keep('a "quoted" one', 'A page')
  for (const name of readdirSync(pages)) {
    t.ok(statSync(join(pages, name)).mtimeMs > 1_000, 'shown again, it counts as new')
    // The kernel stamps new files with the time of its last tick, which may be before this one.
    utimesSync(join(pages, name), 2, 2)
  }
  for (let at = 0; at < 100; at++) await keep(`other-${at}`, `Page ${at}`)
  t.same(keptViewsOf(home, 'chat').toSorted(), ['a "quoted" one', 'first'])
  t.same(keptViewsOf(home, 'nobody'), [])
  t.equal(readdirSync(pages).length, 100)
  t.match(await readView(home, 'chat', 'first'), { page: null })
  for (const name of readdirSync(pages)) utimesSync(join(pages, name), 1, 1)
  await keep('third', 'Page 50')
  await keep('fourth', 'New page')
  t.match(await readView(home, 'chat', 'third'), { page: { html: 'Page 50' } }, 'others went first')
})
