import { type Ajv } from 'ajv'
import fastJsonStringify from 'fast-json-stringify'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { errors } from '../../schemas/errors.js'
import { createUnionValidator } from './unions.js'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends JSON that is finished text already; what it says is held against the schema by the tests alone. */
    finishedBytes?: true
  }
}

const anyConflict = errors(409)[409]!

/**
 * What leaves does so through its route's schema: a field that no schema names stays here. A serializer is made when it
 * is first needed: the start of the service does not wait for those of all routes.
 */
export default fp(async (app: FastifyInstance) => {
  app.setSerializerCompiler((route) => {
    let serialize: ReturnType<typeof serializerOf> | undefined
    // A conflict that a route has not declared is a fault of the route, which tests find; its client still hears all of it.
    const schema = route.httpStatus === '409' ? anyConflict : route.schema
    const compile = () => {
      serialize ??= serializerOf(schema)
      return serialize
    }
    if (route.httpStatus === '200') app.compileAhead(route, compile)
    return (value) => compile()(value)
  })
}, { name: 'serialization', dependencies: ['warming'] })

/** What the serializer makes in this mode can be put together again with another validator. */
interface Parts { code: string, serializer: unknown, validator: { ajv: Ajv } }

function serializerOf (schema: object): (value: unknown) => string {
  if (!hasUnion(schema)) return fastJsonStringify(schema)
  const { code, serializer, validator } = fastJsonStringify(schema, { mode: 'debug' }) as unknown as Parts
  return restore({ code, serializer, validator: createUnionValidator(validator.ajv) })
}

const restore = fastJsonStringify.restore as unknown as (parts: object) => (value: unknown) => string

const hasUnion = (schema: unknown): boolean => typeof schema === 'object' && schema !== null &&
  ('anyOf' in schema || Object.values(schema).some(hasUnion))
