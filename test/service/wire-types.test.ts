import t from '#test'
import { pythonTypes } from '../../scripts/python-types.js'
import { typescriptTypes } from '../../scripts/typescript-types.js'
import { type Schema } from '../../scripts/wire-shapes.js'

const documentOf = (schemas: Record<string, object>, operation?: object): string =>
  JSON.stringify({ info: { version: '1' }, paths: operation === undefined ? {} : { '/things/{id}': { get: { operationId: 'getThing', responses: {}, ...operation } } }, components: { schemas } })
const shortened = (types: string): string => types.replaceAll(/\s+/g, ' ')
const text: Schema = { type: 'string', maxLength: 5 }
const object = (properties: Record<string, Schema>, more: object = {}): Schema => ({ type: 'object', additionalProperties: false, properties, ...more })

t.test('the types of a value, for TypeScript and Python', async (t) => {
  for (const [what, schema, typescript, python] of [
    ['a text', text, 'string', 'str'],
    ['a whole number', { type: 'integer', minimum: 1 }, 'number', 'int'],
    ['a text or nothing', { type: ['string', 'null'] }, 'string | null', 'str | None'],
    ['one of some', { type: ['string', 'null'], enum: ['a', 'b"', null] }, '"a" | "b\\"" | null', 'Literal["a", "b\\"", None]'],
    ['a fixed truth', { type: 'boolean', enum: [true] }, 'true', 'Literal[True]'],
    ['a list', { type: 'array', items: { type: ['number', 'string'] } }, 'Array<number | string>', 'list[float | str]'],
    ['a list of lists', { type: 'array', items: { type: 'array', items: text } }, 'Array<Array<string>>', 'list[list[str]]'],
    ['another schema', { $ref: '#/components/schemas/Other', description: 'x' }, 'components["schemas"]["Other"]', 'Other'],
    ['either', { anyOf: [text, { $ref: '#/components/schemas/Other' }, text] }, 'string | components["schemas"]["Other"]', 'str | Other'],
    ['anything', { description: 'x' }, 'unknown', 'Any'],
    ['an object of any keys', { type: 'object', additionalProperties: true }, '{ [key: string]: unknown }', 'dict[str, Any]'],
    ['an object of which nothing is said', { type: 'object' }, '{ [key: string]: unknown }', 'dict[str, Any]'],
    ['an object of texts', { type: 'object', additionalProperties: text }, '{ [key: string]: string }', 'dict[str, str]'],
    ['an object without keys', object({}), 'Record<string, never>', 'AllValue'],
    ['an object', object({ a: text, 'b-c': text }, { required: ['a'] }), '{ a: string "b-c"?: string }', 'AllValue'],
    ['an object or nothing', object({ a: text }, { type: ['object', 'null'] }), '{ a?: string } | null', 'AllValue | None'],
    ['an object with more keys', object({ a: text }, { additionalProperties: true }), '{ a?: string } & { [key: string]: unknown }', 'AllValue']
  ] satisfies Array<[string, Schema, string, string]>) {
    const document = documentOf({ Other: object({}), All: object({ value: schema }, { required: ['value'] }) })
    t.ok(shortened(typescriptTypes(document)).includes(` value: ${typescript} } } responses: {} }`), `${what}: ${typescriptTypes(document)}`)
    t.ok(pythonTypes(document).includes(`    value: ${python}\n`), `${what}: ${pythonTypes(document)}`)
  }
})

t.test('what is said of a value ends no comment', (t) => {
  t.match(typescriptTypes(documentOf({ A: object({ cron: { ...text, description: 'such as */5 * * * *', default: '*/1' } }) })), / \* such as \*\\\/5 \* \* \* \*\n +\* @default "\*\\\/1"\n +\*\/\n +cron\?: string\n/)
})

t.test('an operation has its parameters by place, its body, and its answers by status', (t) => {
  const types = shortened(typescriptTypes(documentOf({}, {
    summary: 'Read', parameters: [{ name: 'id', in: 'path', required: true, schema: text }, { name: 'limit', in: 'query', schema: { type: 'integer' } }],
    requestBody: { content: { 'application/json': { schema: text } } },
    responses: { 200: { description: 'A thing', content: { 'text/plain': {} } }, 204: {}, 404: { $ref: '#/components/responses/NotFound' } }
  })))
  for (const part of [
    '/** Read */ get: operations["getThing"] put?: never', 'query?: { limit?: number } header?: never path: { id: string } cookie?: never',
    'requestBody?: { content: { "application/json": string } }', '/** A thing */ "200": { headers: { [name: string]: unknown } content: { "text/plain": unknown } }',
    '"204": { headers: { [name: string]: unknown } content?: never }', '"404": components["responses"]["NotFound"]'
  ]) t.ok(types.includes(part), `${part} in ${types}`)
})

t.test('what is not known is refused, with its place', async (t) => {
  const refused: Array<[schema: object, said: RegExp]> = [
    [{ allOf: [text] }, /^All\.value: allOf is not known here$/],
    [{ type: 'array', prefixItems: [text] }, /prefixItems is not known/],
    [{ type: 'object', patternProperties: { '^a': text } }, /patternProperties is not known/],
    [{ anyOf: [text], properties: {} }, /beside anyOf: properties is not known/],
    [{ enum: ['a'], items: text }, /beside enum: items is not known/],
    [{ $ref: '#/components/schemas/Other', type: 'object' }, /beside \$ref: type is not known/],
    [{ $ref: 'other.json#/A' }, /the reference other\.json#\/A is not known/],
    [{ type: 'date' }, /the type date is not known/],
    [{ properties: { a: text } }, /without a type: properties is not known/],
    [{ type: 'array', items: { if: {} } }, /^All\.value\[\]: if is not known here$/]
  ]
  for (const [schema, said] of refused) {
    const document = documentOf({ All: object({ value: schema }) })
    await t.rejects(async () => typescriptTypes(document), said)
    await t.rejects(async () => pythonTypes(document), new RegExp(said.source.replaceAll(/\^|All\\\.value(?:\\\[\\\])?:/g, '')))
  }
  const broken: Array<[operation: object, said: RegExp]> = [
    [{ servers: [] }, /^getThing: servers is not known here$/],
    [{ parameters: [{ name: 'a', in: 'body', schema: text }] }, /^getThing a: body is not known here$/],
    [{ parameters: [{ name: 'a', in: 'query', content: {} }] }, /content is not known/],
    [{ responses: { 200: { headers: {} } } }, /^getThing 200: headers is not known here$/],
    [{ requestBody: { content: { 'a/b': { encoding: {} } } } }, /encoding is not known/]
  ]
  for (const [operation, said] of broken) await t.rejects(async () => typescriptTypes(documentOf({}, operation)), said)
})
