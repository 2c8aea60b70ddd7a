import staticFiles from '@fastify/static'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../../services/ground/assets.js'

/** Licences of the packages that the service contains (scripts/build-service.js), under a name that does not change. */
const noticesFile = '/THIRD-PARTY-NOTICES.txt'

/** Scripts and styles of the service's own pages, at /static/. They are public, because the sign-in page needs them. */
export default fp(async (app: FastifyInstance) => {
  await app.register(async (own) => {
    // The plugin does not pass its options on to the config of its routes.
    own.addHook('onRoute', (route) => { route.config = { ...route.config, access: 'public', embedded: true } })
    await own.register(staticFiles, {
      root: asset('web/static'),
      prefix: '/static/',
      cacheControl: false,
      setHeaders: (reply, path) => {
        reply.header('cache-control', 'no-cache')
        // Shared pages have no origin, so the typeface is another origin's.
        if (path.endsWith('.woff2')) reply.header('access-control-allow-origin', '*')
      }
    })
    // Named by their content, each with a compressed copy beside it (web/build.js).
    await own.register(staticFiles, {
      root: asset('web/built'),
      prefix: '/static/app/',
      decorateReply: false,
      cacheControl: false,
      preCompressed: true,
      allowedPath: (path) => !/^\/(?:\.|app\.html|shell\.json)/.test(path),
      setHeaders: (reply, path) => {
        reply.header('cache-control', path.endsWith(noticesFile) ? 'no-cache' : 'public, max-age=31536000, immutable')
      }
    })
  })
}, { name: 'static' })
