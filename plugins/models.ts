import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { monotonicMs } from '../services/ground/clock.js'
import { createDefaultModels, createModelCatalog, createModelChooser, type Models } from '../services/models/index.js'

declare module 'fastify' {
  interface FastifyInstance { models: Models }
}

/** The models that profiles can use. */
export default fp(async (app: FastifyInstance) => {
  const { clock, config, profiles } = app
  const catalog = createModelCatalog({ profiles, clock, probeLocal: config.probeLocal })
  const defaults = createDefaultModels({ models: catalog, nowMs: () => monotonicMs(clock), log: (message, details) => app.log.warn(details, message) })
  app.decorate('models', { catalog, defaults, chooser: createModelChooser({ models: catalog, profiles }) })
  app.addHook('onReady', async () => { void defaults.refresh(profiles.active()) })
}, { name: 'models', dependencies: ['config', 'database', 'profiles'] })
