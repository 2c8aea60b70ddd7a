import staticFiles from '@fastify/static'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../../services/ground/assets.js'
import { servePrecompressed } from './precompressed.js'

/**
 * The documentation at /help (site/build.ts), which needs the scope to read: its text shows the running version, which strangers must not
 * learn. Its pages, their Markdown and /help/llms.txt are files, the same for every reader.
 */
export default fp(async (app: FastifyInstance) => {
  app.get('/help', { config: { scope: 'read' }, schema: { hide: true } }, async (_, reply) => await reply.redirect('/help/index.html'))

  await app.register(async (own) => {
    // The plugin does not pass its options on to the config of its routes.
    own.addHook('onRoute', (route) => { route.config = { ...route.config, scope: 'read', embedded: true } })
    const root = asset('site/built')
    servePrecompressed(own, { root, cacheControl: 'no-cache' })
    await own.register(staticFiles, {
      root,
      prefix: '/help/',
      decorateReply: false,
      dotfiles: 'ignore',
      cacheControl: false,
      setHeaders: (reply) => { reply.header('cache-control', 'no-cache') }
    })
  })
}, { name: 'help', dependencies: ['static'] })
