import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { monotonicMs } from '../services/ground/clock.js'
import { createDefaultModels, createModelChooser, Discovery, ModelCatalog, ModelConfiguration, ProviderKeys, Reasoning, type Models } from '../services/models/index.js'

declare module 'fastify' {
  interface FastifyInstance { models: Models }
}

/** The models that profiles can use. */
export default fp(async (app: FastifyInstance) => {
  const { clock, config, profiles } = app
  const catalog = new ModelCatalog({ profiles, clock, probeLocal: config.probeLocal, path: config.env['PATH'] })
  const defaults = createDefaultModels({ models: catalog, nowMs: () => monotonicMs(clock), log: (message, details) => app.log.warn(details, message) })
  const chooser = createModelChooser({ models: catalog, profiles })
  app.decorate('models', {
    catalog,
    defaults,
    chooser,
    configuration: new ModelConfiguration({ profiles, catalog, path: config.env['PATH'] }),
    keys: new ProviderKeys(profiles),
    reasoning: new Reasoning({ profiles, catalog }),
    discovery: new Discovery({ profiles, enabled: config.probeLocal, ports: config.probePorts })
  })
  // What a profile answers with may be something else at once: keys, addresses and the default stand in these files.
  profiles.on('changed', (profile) => { void defaults.refresh(profile) })
  app.addHook('onReady', async () => { void defaults.refresh(profiles.active()) })
}, { name: 'models', dependencies: ['config', 'database', 'profiles'] })
