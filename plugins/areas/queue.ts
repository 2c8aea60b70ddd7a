import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createMessageQueue, type MessageQueue } from '../../services/areas/queue/index.js'

declare module 'fastify' {
  interface FastifyInstance { queue: MessageQueue }
}

/** Queued messages, which wait for the turns before them. */
export default fp(async (app: FastifyInstance) => {
  const { db, clock, events, chat, sessions } = app
  const queue = createMessageQueue({ db, clock, events, chat, sessions, log: (message, details) => app.log.warn(details, message) })
  app.decorate('queue', queue)
  app.addHook('onReady', async () => {
    queue.recover().catch((error: unknown) => app.log.warn({ reason: String(error) }, 'queued messages could not be resumed'))
  })
}, { name: 'queue', dependencies: ['database', 'events', 'sessions', 'chat'] })
