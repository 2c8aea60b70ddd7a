import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { createSettings, type Settings } from '../../services/areas/settings/index.js'

declare module 'fastify' {
  interface FastifyInstance { settings: Settings }
}

/** Settings of this instance, as a person has set them. */
export default fp(async (app: FastifyInstance) => {
  const { audit, db, clock, config } = app
  app.decorate('settings', createSettings({
    db,
    clock,
    audit,
    fallbacks: { bot_name: config.botName, default_workspace: config.defaultWorkspace },
    log: (message, details) => app.log.warn(details, message)
  }))
}, { name: 'settings', dependencies: ['audit', 'config', 'database'] })
