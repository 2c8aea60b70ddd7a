import staticFiles from '@fastify/static'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../services/ground/assets.js'

/** Scripts and styles of the service's own pages, at /static/. */
export default fp(async (app: FastifyInstance) => {
  await app.register(staticFiles, {
    root: asset('web/static'),
    prefix: '/static/',
    cacheControl: false,
    setHeaders: (reply) => { reply.header('cache-control', 'no-cache') }
  })
}, { name: 'static' })
