import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { asset } from '../../services/ground/assets.js'
import { Skills } from '../../services/areas/skills/index.js'

declare module 'fastify' {
  interface FastifyInstance { skills: Skills }
}

/** Instructions for particular kinds of work. */
export default fp(async (app: FastifyInstance) => {
  const { clock, config, log, profiles, workers } = app
  const skills = new Skills({
    profiles, clock, workers, userHome: config.userHome, shipped: asset('skills'), platform: process.platform,
    log: (message, details) => log.warn(details, message)
  })
  app.decorate('skills', skills)
  app.addHook('onReady', async () => {
    await skills.imports.settle().catch((error: unknown) => log.warn({ reason: String(error) }, 'imports of skills could not be looked through'))
  })
  app.addHook('onClose', async () => await skills.usage.flush())
}, { name: 'skills', dependencies: ['config', 'database', 'profiles', 'workers'] })
