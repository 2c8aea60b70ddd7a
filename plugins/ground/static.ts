import staticFiles from '@fastify/static'
import { type FastifyInstance, type RouteOptions } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../../services/ground/assets.js'
import { servePrecompressed } from './precompressed.js'

/** Licences of the packages that the service contains (scripts/build-service.js), under a name that does not change. */
const noticesFile = '/THIRD-PARTY-NOTICES.txt'
/** Files of the app are named by their content. */
const forever = 'public, max-age=31536000, immutable'

/** The plugin does not pass its options on to the config of its routes. */
const isPublic = (route: RouteOptions): void => { route.config = { ...route.config, access: 'public', embedded: true } }

/** Scripts and styles of the service's own pages, at /static/. They are public, because the sign-in page needs them. */
export default fp(async (app: FastifyInstance) => {
  await app.register(async (own) => {
    own.addHook('onRoute', isPublic)
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
  })
  await app.register(async (own) => {
    own.addHook('onRoute', isPublic)
    const root = asset('web/built')
    servePrecompressed(own, { root, cacheControl: forever })
    await own.register(staticFiles, {
      root,
      prefix: '/static/app/',
      decorateReply: false,
      cacheControl: false,
      allowedPath: (path) => !/^\/(?:\.|app\.html|shell\.json)/.test(path),
      setHeaders: (reply, path) => { reply.header('cache-control', path.endsWith(noticesFile) ? 'no-cache' : forever) }
    })
  })
}, { name: 'static' })
