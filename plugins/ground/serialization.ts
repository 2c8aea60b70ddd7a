import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { errors } from '../../schemas/errors.js'

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
  const build = SerializerSelector()({}, {})

  app.setSerializerCompiler((route) => {
    let serialize: ReturnType<typeof build> | undefined
    // A conflict that a route has not declared is a fault of the route, which tests find; its client still hears all of it.
    const schema = route.httpStatus === '409' ? anyConflict : route.schema
    const compile = () => {
      serialize ??= build({ ...route, schema, httpStatus: route.httpStatus ?? '' })
      return serialize
    }
    if (route.httpStatus === '200') app.compileAhead(route, compile)
    return (value) => compile()(value)
  })
}, { name: 'serialization', dependencies: ['warming'] })
