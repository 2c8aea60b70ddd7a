import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readFileSync } from 'node:fs'
import { asset } from '../services/ground/assets.js'
import { fillPage } from '../services/ground/html.js'

const index = readFileSync(asset('web/index.html'), 'utf8')

/** The app that is to take its place. */
const next = readFileSync(asset('web/built/app.html'), 'utf8')

const worker = readFileSync(asset('web/sw.js'), 'utf8')

/** The page, and what browsers ask for beside it. It holds no data of its own: its script asks the interface like every other client. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  for (const [path, page] of [['/', index], ['/session/:id', index], ['/next', next], ['/next/*', next]] as const) {
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const values: Record<string, string> = { name: app.settings.values().bot_name, csrf_token: request.operator?.csrfToken ?? '' }
      return await reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
        .send(fillPage(page, values))
    })
  }

  app.get('/manifest.json', { schema: { hide: true } }, async (request, reply) => await reply
    .type('application/manifest+json').header('cache-control', 'no-cache')
    .send(JSON.stringify({
      name: app.settings.values().bot_name,
      short_name: app.settings.values().bot_name,
      id: '/',
      start_url: '/',
      scope: '/',
      display: 'standalone',
      icons: [{ src: '/static/icon.svg', sizes: 'any', type: 'image/svg+xml' }]
    })))

  app.get('/sw.js', { schema: { hide: true } }, async (request, reply) => await reply
    .type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(worker))
}
export default plugin
