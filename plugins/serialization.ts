import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route sends JSON that is finished text already; what it says is held against the schema by the tests alone. */
    finishedBytes?: true
  }
}

/**
 * What leaves does so through its route's schema: a field that no schema names stays here. A serializer is made when it
 * is first needed: the start of the service does not wait for those of all routes.
 */
export default fp(async (app: FastifyInstance) => {
  const build = SerializerSelector()({}, {})

  app.setSerializerCompiler((route) => {
    let serialize: ReturnType<typeof build> | undefined
    return (value) => {
      serialize ??= build({ ...route, httpStatus: route.httpStatus ?? '' })
      return serialize(value)
    }
  })
}, { name: 'serialization' })
