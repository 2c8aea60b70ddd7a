import { Type } from '@sinclair/typebox'
import fastify, { type FastifyReply } from 'fastify'
import t from '#test'
import serialization from '../../plugins/ground/serialization.js'
import warming from '../../plugins/ground/warming.js'
import { Closed, EventStream, Nanoseconds, Nullable } from '../../schemas/common.js'
import { start } from '../support/app.js'
import { checkWire, misfit } from '../support/wire.js'

interface Schema {
  [key: string]: unknown
  type?: string | string[]
  title?: string
  description?: string
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  items?: Schema | Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  oneOf?: Schema[]
}

function * within (schema: unknown): Generator<Schema> {
  if (typeof schema !== 'object' || schema === null) return
  if (!Array.isArray(schema)) yield schema as Schema
  for (const each of Object.values(schema)) yield * within(each)
}

const isObject = ({ type, properties }: Schema): boolean => [type].flat().includes('object') && (type !== undefined || properties !== undefined)

t.test('what a schema does not name never leaves, and what it promises is there', async (t) => {
  const app = fastify()
  await app.register(warming)
  await app.register(serialization)
  const Row = Closed({ id: Type.String(), size: Nullable(Type.Integer()), at: Nullable(Closed({ line: Type.Integer() })), time: Nanoseconds('since the epoch') }, { title: 'Row' })
  app.get('/', { schema: { response: { 200: Closed({ rows: Type.Array(Row), first: Nullable(Row) }) } } }, async () => {
    const row = { id: 'é"\ud800', size: null, at: { line: 1, secret: 's' }, time: 1_700_000_000_123_456_789n, secret: 's' }
    return { rows: [row], first: null, secret: 's' }
  })
  app.get('/wrong', { schema: { response: { 200: Row } } }, async () => ({ id: 'a' }) as never)
  const { body } = await app.inject('/')
  t.equal(body, '{"rows":[{"id":"é\\"\\ud800","size":null,"at":{"line":1},"time":1700000000123456789}],"first":null}')
  t.equal((await app.inject('/wrong')).statusCode, 500)
  await app.close()
})

t.test('tests hold answers against their schemas to the letter, before anything is bent to fit', async (t) => {
  const failures: string[] = []
  const app = fastify()
  checkWire(app, { fail: (message) => failures.push(message) })
  await app.register(warming)
  await app.register(serialization)
  const schema = { response: { 200: Closed({ count: Type.Integer(), name: Type.Optional(Type.String()) }) } }
  const answers: Record<string, unknown> = { good: { count: 1 }, more: { count: 1, extra: 1 }, text: { count: '1' }, half: { count: 1.5 }, none: { name: 'x' } }
  for (const [name, answer] of Object.entries(answers)) app.get(`/${name}`, { schema }, async () => answer as never)
  const bytes = async (_request: unknown, reply: FastifyReply) => await reply.type('application/json').send('{"count":1,"extra":1}')
  app.get('/bytes', { schema, config: { finishedBytes: true } }, bytes)
  app.get('/unmarked', { schema }, bytes)
  for (const name of [...Object.keys(answers), 'bytes', 'unmarked']) await app.inject(`/${name}`)
  const told = (name: string) => failures.filter((failure) => failure.includes(` /${name} `))
  t.same(told('good'), [])
  for (const [name, word] of [['more', /additional/], ['text', /count must be integer/], ['half', /count must be integer/], ['none', /required property/], ['bytes', /additional/], ['unmarked', /does not say so/]] as const) {
    t.match(told(name)[0], word, name)
  }
  t.equal(misfit(Nullable(Type.String()), null), null)
  t.match(misfit(Nullable(Type.String()), 1), /must be string,null/)
  await app.close()
})

t.test('tests hold every frame of a stream against those it declares', async (t) => {
  const failures: string[] = []
  const app = fastify()
  checkWire(app, { fail: (message) => failures.push(message) })
  const sent: Record<string, string> = {
    good: ': a comment\n\nid: 1\nevent: token\ndata: {"text":"é"}\n\n',
    more: 'event: token\ndata: {"text":"a","secret":1}\n\n',
    unknown: 'event: other\ndata: {}\n\n'
  }
  for (const [name, frames] of Object.entries(sent)) {
    app.get(`/${name}`, { schema: { response: { 200: EventStream('E', { token: Closed({ text: Type.String() }) }) } } }, (_request, reply) => {
      reply.hijack()
      const bytes = Buffer.from(frames)
      // A frame, and even a character in it, may arrive in pieces.
      for (let at = 0; at < bytes.length; at += 7) reply.raw.write(bytes.subarray(at, at + 7))
      reply.raw.end()
    })
  }
  for (const name of Object.keys(sent)) await app.inject(`/${name}`)
  t.equal(failures.length, 2)
  t.match(failures[0], /\/more 200 .*token: .*additional/)
  t.match(failures[1], /\/unknown 200 .*other: nobody has declared it/)
  await app.close()
})

t.test('every object of every answer is closed, or says who defines its keys', async (t) => {
  const service = await start(t)
  t.ok(service.routes.length > 100)
  for (const { method, url, response } of service.routes) {
    for (const [status, schema] of Object.entries(response)) {
      for (const each of within(schema)) {
        if (!isObject(each) || each.additionalProperties === false || each.patternProperties !== undefined) continue
        const isSaid = each.additionalProperties === true && each.description !== undefined
        if (!isSaid) t.fail(`${method} ${url} ${status} has an open object: ${JSON.stringify(each).slice(0, 200)}`)
      }
    }
  }
})

t.test('every value of every answer has a type, or says who defines it', async (t) => {
  const service = await start(t)
  const open = new Set<string>()
  const look = (schema: Schema, where: string): void => {
    const { type, const: only, enum: names, $ref, not, anyOf = [], allOf = [], oneOf = [], properties = {}, patternProperties = {}, items, description } = schema
    const isTyped = [type, only, names, $ref, not].some((one) => one !== undefined) || anyOf.length + allOf.length + oneOf.length > 0
    if (!isTyped && description === undefined) open.add(where)
    for (const each of [...anyOf, ...allOf, ...oneOf, ...Object.values(patternProperties), ...[items ?? []].flat()]) look(each, where)
    for (const [key, each] of Object.entries(properties)) look(each, `${where}.${key}`)
  }
  for (const { method, url, response } of service.routes) {
    for (const [status, answer] of Object.entries(response)) {
      const { content } = answer as { content?: Record<string, { schema: Schema }> }
      for (const schema of content === undefined ? [answer as Schema] : Object.values(content).map((each) => each.schema)) look(schema, `${method} ${url} ${status}`)
    }
  }
  t.same([...open], [])
})
