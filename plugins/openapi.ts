import swagger from '@fastify/swagger'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'

/** The OpenAPI 3.1 document, made from the routes' schemas. */
export default fp(async (app: FastifyInstance) => {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Agent web service',
        description: 'An AI agent behind HTTP and Server-Sent Events. Errors always have the body {"error": text}.',
        version: app.serviceVersion
      },
      components: {
        securitySchemes: {
          cookie: { type: 'apiKey', in: 'cookie', name: app.config.cookieName },
          ...(app.config.proxyHeader === null ? {} : { proxy: { type: 'apiKey', in: 'header', name: app.config.proxyHeader.name } })
        }
      },
      security: [{ cookie: [] }]
    }
  })
}, { name: 'openapi' })
