import { type Ajv } from 'ajv'
import fastJsonStringify from 'fast-json-stringify'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { errors } from '../../schemas/errors.js'
import { createUnionValidator } from './unions.js'
import { present } from '../../services/ground/present.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends JSON as finished text; only the tests check it against the schema. */
    finishedBytes?: true
  }
}

const anyConflict = present(errors(409)[409], 'the schema of conflicts')

type Serialize = (value: unknown) => string

/**
 * Serialises every answer by its route's schema, so that fields that no schema names are not sent. A serializer is made when it
 * is first needed, so that the start of the service does not wait for all of them. Routes with the same schema share it.
 */
export default fp(async (app: FastifyInstance) => {
  const known = new WeakMap<object, ReturnType<typeof lazySerializer>>()
  const finished = new Set<string>()
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.finishedBytes === true) for (const each of [method].flat()) finished.add(`${each} ${url}`)
  })
  app.setSerializerCompiler((route) => {
    // A conflict that a route has not declared is a fault of the route, which tests find; its client still gets all of it.
    const schema: object = route.httpStatus === '409' ? anyConflict : route.schema
    const serializer = known.get(schema) ?? lazySerializer(schema)
    known.set(schema, serializer)
    // Answers that are text already, such as the frames of a stream, need no serializer.
    const isUsed = route.httpStatus === '200' && route.contentType === undefined && !finished.has(`${route.method} ${route.url}`)
    if (isUsed) app.compileAhead(route, serializer.compile)
    return serializer.serialize
  })
}, { name: 'serialization', dependencies: ['warming'] })

function lazySerializer (schema: object) {
  let serialize: Serialize | undefined
  const compile = (): Serialize => {
    serialize ??= serializerOf(schema)
    return serialize
  }
  return { compile, serialize: (value: unknown): string => compile()(value) }
}

/** What fast-json-stringify returns in debug mode: parts that can be reassembled with another validator. */
interface Parts { code: string, serializer: unknown, validator: { ajv: Ajv } }

function serializerOf (schema: object): Serialize {
  if (!hasUnion(schema)) return fastJsonStringify(schema)
  const { code, serializer, validator } = fastJsonStringify(schema, { mode: 'debug' }) as unknown as Parts
  return restore({ code, serializer, validator: createUnionValidator(validator.ajv) })
}

const restore = fastJsonStringify.restore as unknown as (parts: object) => Serialize

const hasUnion = (schema: unknown): boolean => typeof schema === 'object' && schema !== null &&
  ('anyOf' in schema || Object.values(schema).some(hasUnion))
