import Fastify from 'fastify'
import { readFileSync } from 'node:fs'
import t from '#test'
import serialization from '../../plugins/ground/serialization.js'
import { looksOf } from '../../plugins/ground/unions.js'
import warming from '../../plugins/ground/warming.js'

type Schema = Record<string, unknown>
interface Document { components: { schemas: Record<string, Schema> }, paths: Record<string, Record<string, { responses: Record<string, { content?: Schema }> }>> }

t.test('members of a union of an answer differ in type, names or values: that is all the serializer looks at', async (t) => {
  const { components, paths } = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Document
  const whole = (schema: unknown): unknown => {
    if (typeof schema !== 'object' || schema === null) return schema
    if ('$ref' in schema) return whole(components.schemas[String(schema.$ref).split('/').at(-1) ?? ''])
    return 'anyOf' in schema && Array.isArray(schema.anyOf) ? { ...schema, anyOf: schema.anyOf.map(whole) } : schema
  }
  const seen = new Set<unknown>()
  let unions = 0
  function check (part: unknown, place: string): void {
    if (seen.has(part)) return
    seen.add(part)
    const schema = whole(part)
    if (typeof schema !== 'object' || schema === null) return
    const { anyOf } = schema as Schema
    if (Array.isArray(anyOf)) {
      unions++
      const looks = anyOf.flatMap(looksOf).map((look) => JSON.stringify(look))
      t.equal(new Set(looks).size, looks.length, place)
    }
    for (const [name, each] of Object.entries(schema)) check(each, `${place}/${name}`)
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, { responses }]) => ({ path, method, responses })))
  for (const { path, method, responses } of operations) {
    for (const { content } of Object.values(responses)) check(content?.['application/json'], `${method} ${path}`)
  }
  t.ok(unions > 50, `${unions} unions`)
})

t.test('a member of a union is chosen, and what it does not name stays here', async (t) => {
  const app = Fastify()
  t.teardown(async () => { await app.close() })
  await app.register(warming)
  await app.register(serialization)
  const member = (kind: string, properties: Schema): Schema => ({
    type: 'object', additionalProperties: false, required: ['kind', ...Object.keys(properties)], properties: { kind: { const: kind }, ...properties }
  })
  const text = { type: 'string' }
  const union = {
    anyOf: [
      { type: 'null' }, text, { type: 'array', items: text },
      { anyOf: [member('first', { count: { type: 'integer' } }), member('second', { inner: member('third', { name: text }) })] }
    ]
  }
  let value: unknown
  app.get('/', { schema: { response: { 200: { type: 'object', properties: { value: union } } } } }, () => ({ value }))
  for (const [sent, got] of [
    [null, null], ['text', 'text'], [['a', 'b'], ['a', 'b']],
    [{ kind: 'first', count: 3 }, { kind: 'first', count: 3 }],
    [{ kind: 'second', inner: { kind: 'third', name: 'ann', secret: 'x' } }, { kind: 'second', inner: { kind: 'third', name: 'ann' } }],
    [{ kind: 'first', count: 3, gone: undefined }, { kind: 'first', count: 3 }]
  ]) {
    value = sent
    t.strictSame((await app.inject('/')).json(), { value: got }, JSON.stringify(sent))
  }
  for (const sent of [{ kind: 'other' }, { kind: 'first' }, { kind: 'first', count: 3, secret: 'x' }, true]) {
    value = sent
    const { statusCode, body } = await app.inject('/')
    t.equal(statusCode, 500, JSON.stringify(sent))
    t.notMatch(body, /secret|"x"/)
  }
})
