import { readFileSync } from 'node:fs'
import t from '#test'
import { breakingChanges, mayBreak } from '../../scripts/interface-changes.js'
import { type InterfaceDocument, type Operation, type Schema } from '../../scripts/wire-shapes.js'

const read = (path: string): InterfaceDocument => JSON.parse(readFileSync(path, 'utf8')) as InterfaceDocument

/** These follow OpenAI's format, which was always wider: clients of it expect that. */
const ofOpenAi = [
  /^\w+ \/v1\/\S+ OpenAiError\.error\.param: can be string now$/, /^\w+ \/v1\/\S+ OpenAiResponse\.tool_choice: can be object now$/,
  /^\w+ \/v1\/\S+ OpenAiResponse\.text\.format: there is no text any more$/, /^\w+ \/v1\/\S+ Completion\.choices.*\.message\.content: can be null now$/,
  // The same: errors in a stream differ from its chunks by their form.
  /^POST \/v1\/chat\/completions OpenAiError\.error: is gone$/, /^\w+ \/v1\/\S+ OpenAiResponse\.(?:output|tools)\b/, /^\w+ \/v1\/\S+ \S*\.item\b/
]

t.test('the interface keeps what the last release promised, unless the version says otherwise', async (t) => {
  const [released, now] = [read('docs/openapi-released.json'), read('docs/openapi.json')]
  t.ok(Object.keys(released.paths).length > 200)
  if (mayBreak(released.info.version, now.info.version)) return t.comment(`${now.info.version} may break what ${released.info.version} promised`)
  t.same(breakingChanges(released, now).filter((change) => !ofOpenAi.some((form) => form.test(change))), [], 'keep it, or raise the version (docs/development.md, Builds and releases)')
})

t.test('a version may break the interface when its first number that is not 0 is raised', async (t) => {
  for (const [before, after, may] of [
    ['0.1.0', '0.1.1', false], ['0.1.0', '0.2.0', true], ['0.9.0', '1.0.0', true], ['1.2.0', '1.3.0', false], ['1.9.9', '2.0.0', true], ['2.0.0', '1.0.0', false]
  ] as const) t.equal(mayBreak(before, after), may, `${before} to ${after}`)
})

const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({ type: 'object', properties, required })
const text: Schema = { type: 'string' }
const base: Operation = {
  operationId: 'postThing', 'x-token-scope': 'chat',
  parameters: [{ name: 'limit', in: 'query', schema: text }],
  requestBody: { content: { 'application/json': { schema: object({ name: text, kind: { type: 'string', enum: ['a', 'b'] }, size: { type: 'number', maximum: 10 } }, ['name']) } } },
  responses: {
    200: { content: { 'application/json': { schema: object({ id: text, note: { type: ['string', 'null'] }, state: { type: 'string', enum: ['on', 'off'] } }, ['id', 'state']) } } },
    409: { content: { 'application/json': { schema: object({ error: text, code: { type: 'string', enum: ['exists', 'changed'] } }, ['error']) } } }
  }
}
const frames = (...events: string[]): Operation => ({
  responses: { 200: { content: { 'text/event-stream': { schema: { anyOf: events.map((event) => object({ event: { type: 'string', enum: [event] }, data: object({ text }, ['text']) }, ['event', 'data'])) } } } } }
})
const body = (schema: Schema): Operation => ({ ...base, requestBody: { content: { 'application/json': { schema } } } })
const answer = (schema: Schema, status = 200): Operation => ({ ...base, responses: { ...base.responses, [status]: { content: { 'application/json': { schema } } } } })
const document = (operation: Operation | null, version = '0.1.0'): InterfaceDocument => ({ info: { version }, paths: operation === null ? {} : { '/thing': { post: operation } } })
const bodySchema = (more: Record<string, Schema>, required = ['name']): Schema =>
  object({ name: text, kind: { type: 'string', enum: ['a', 'b'] }, size: { type: 'number', maximum: 10 }, ...more }, required)
const answerSchema = (more: Record<string, Schema>, required = ['id', 'state']): Schema =>
  object({ id: text, note: { type: ['string', 'null'] }, state: { type: 'string', enum: ['on', 'off'] }, ...more }, required)

const cases: Array<[what: string, after: Operation | null, breaks: RegExp | null, before?: Operation]> = [
  ['nothing', base, null],
  ['a path that is gone', null, /is gone/],
  ['another operationId', { ...base, operationId: 'postOther' }, /operationId/],
  ['a wider scope', { ...base, 'x-token-scope': 'admin' }, /needs the scope admin/],
  ['a narrower scope', { ...base, 'x-token-scope': 'read' }, null],
  ['what was public and is not', { ...base, security: undefined }, /not public/, { ...base, security: [] }],
  ['a parameter that is gone', { ...base, parameters: [] }, /query limit/],
  ['a parameter that has to be sent', { ...base, parameters: [{ ...base.parameters![0]!, required: true }] }, /needs query limit/],
  ['a new parameter', { ...base, parameters: [...base.parameters!, { name: 'before', in: 'query', schema: text }] }, null],
  ['a new parameter that has to be sent', { ...base, parameters: [...base.parameters!, { name: 'before', in: 'query', required: true, schema: text }] }, /needs query before/],
  ['a body that is gone', { ...base, requestBody: undefined }, /takes no body/],
  ['another type of body', { ...base, requestBody: { content: { 'multipart/form-data': {} } } }, /does not take application\/json/],
  ['a body that has to be sent', { ...base, requestBody: { ...base.requestBody!, required: true } }, /needs a body/],
  ['a field that is not taken any more', body(object({ name: text }, ['name'])), /body\.kind: is gone/],
  ['a new field', body(bodySchema({ colour: text })), null],
  ['a new field that has to be sent', body(bodySchema({ colour: text }, ['name', 'colour'])), /body\.colour: has to be sent/],
  ['a field that may be left out now', body(bodySchema({}, [])), null],
  ['another type of a field', body(bodySchema({ name: { type: 'number' } })), /body\.name: cannot be string/],
  ['a further type of a field', body(bodySchema({ name: { type: ['string', 'null'] } })), null],
  ['a number that has to be whole', body(bodySchema({ size: { type: 'integer', maximum: 10 } })), /body\.size: cannot be number/],
  ['a value that is not taken any more', body(bodySchema({ kind: { type: 'string', enum: ['a'] } })), /does not take "b"/],
  ['a further value', body(bodySchema({ kind: { type: 'string', enum: ['a', 'b', 'c'] } })), null],
  ['values where any was taken', body(bodySchema({ name: { type: 'string', enum: ['a'] } })), /only certain values/],
  ['a lower limit', body(bodySchema({ size: { type: 'number', maximum: 9 } })), /maximum is 9/],
  ['a higher limit', body(bodySchema({ size: { type: 'number', maximum: 11 } })), null],
  ['a new limit', body(bodySchema({ name: { type: 'string', maxLength: 5 } })), /maxLength is 5/],
  ['a text that must not be empty', body(bodySchema({ name: { type: 'string', minLength: 1 } })), /minLength is 1/],
  ['a new pattern', body(bodySchema({ name: { type: 'string', pattern: '^a' } })), /pattern/],
  ['an answer without a field', answer(object({ id: text, state: text }, ['id', 'state'])), /200\.note: is gone/],
  ['a field that may be absent', answer(answerSchema({}, ['id'])), /200\.state: may be absent/],
  ['a new field of an answer', answer(answerSchema({ colour: text })), null],
  ['a field that can be null', answer(answerSchema({ id: { type: ['string', 'null'] } })), /200\.id: can be null now/],
  ['a field that is never null', answer(answerSchema({ note: text })), null],
  ['a further value in an answer', answer(answerSchema({ state: { type: 'string', enum: ['on', 'off', 'away'] } })), null],
  ['another form of an answer beside it', answer({ anyOf: [answerSchema({}), object({ queued: { type: 'boolean' } }, ['queued'])] }), null],
  ['a code that is gone', answer(object({ error: text, code: { type: 'string', enum: ['exists'] } }, ['error']), 409), /"changed" is no code/],
  ['a further code', answer(object({ error: text, code: { type: 'string', enum: ['exists', 'changed', 'busy'] } }, ['error']), 409), null],
  ['a failure that does not happen any more', { ...base, responses: { 200: base.responses[200]! } }, null],
  ['a success that does not happen any more', { ...base, responses: { 204: {} } }, /does not answer 200/],
  ['a frame that is gone', frames('token'), /no done any more/, frames('token', 'done')],
  ['a further frame', frames('token', 'done', 'title'), null, frames('token', 'done')]
]

t.test('what breaks a client is found, and nothing else', async (t) => {
  for (const [what, after, breaks, before = base] of cases) {
    const found = breakingChanges(document(before), document(after))
    if (breaks === null) t.same(found, [], what)
    else t.match(found.join('\n'), breaks, what)
  }
})

t.test('what a reference means is compared, also where a schema contains itself', async (t) => {
  const tree = (leaf: Schema): InterfaceDocument => ({
    ...document(answer({ $ref: '#/components/schemas/Tree' })),
    components: { schemas: { Tree: object({ leaf, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } }, ['leaf', 'children']) } }
  })
  t.same(breakingChanges(tree(text), tree(text)), [])
  t.match(breakingChanges(tree(text), tree({ type: 'number' })), [/Tree\.leaf: can be number now/])
})
