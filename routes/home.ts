import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { errors } from '../schemas/common.js'
import { Home, Seen, SeenBody } from '../schemas/home.js'
import start from './home-start.js'
import { tagged } from './shared/tagged.js'

/** What happened while the person was away. */
const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('home'))
  const { home } = app
  await app.register(start)

  app.get('/api/home', {
    config: { scope: 'read' },
    schema: {
      summary: 'Get what has happened since someone last looked, what is running, and what comes next',
      description: 'What ended since `seen_at` (null: in the last 24 hours), what is running, what is queued, the next run of a job, ' +
        'and failed runs, in this profile.',
      response: { 200: Home }
    }
  }, async (request) => home.read(request.activeProfile()))

  app.post('/api/home/seen', {
    config: { scope: 'chat' },
    schema: {
      summary: 'Mark what happened as seen, on all devices',
      description: 'Everything up to `at` (default: now) counts as seen; an earlier time than before changes nothing. Every client gets ' +
        'a `home` frame. 400 for a time in the future.',
      body: SeenBody,
      response: { 200: Seen, ...errors(400) }
    }
  }, async (request) => ({ ok: true as const, seen_at: await home.look(request.activeProfile(), request.body.at ?? undefined) }))
}
export default plugin
