import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { readFileSync } from 'node:fs'
import { asset } from '../services/assets.js'
import { fillPage } from '../services/html.js'

const index = readFileSync(asset('web/index.html'), 'utf8')

/** The first page. It holds no data of its own: its script asks the interface like every other client. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.get('/', { schema: { hide: true } }, async (request, reply) => {
    const values: Record<string, string> = { name: app.config.botName, csrf_token: request.operator?.csrfToken ?? '' }
    return await reply.type('text/html; charset=utf-8').header('cache-control', 'no-store')
      .send(fillPage(index, values))
  })
}
export default plugin
