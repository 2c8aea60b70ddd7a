import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { monotonicMs } from '../../services/ground/clock.js'
import { createFarModels } from '../../services/areas/machines/index.js'
import {
  AgentModes, createDefaultModels, createModelChooser, Discovery, ModelCatalog, ModelConfiguration, ProviderKeys, Reasoning, type Models
} from '../../services/areas/models/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    models: Models & {
      /** Models of other machines. */
      far: ReturnType<typeof createFarModels>
    }
  }
}

/** The models that profiles can use. */
export default fp(async (app: FastifyInstance) => {
  const { asking, clock, config, hosts, profiles } = app
  const catalog = new ModelCatalog({ profiles, clock, probeLocal: config.probeLocal, path: config.env['PATH'] })
  const far = createFarModels({ asking, told: (host) => hosts.presence.find(host)?.told ?? null })
  const chooser = createModelChooser({ models: catalog, profiles, elsewhere: far.choose })
  const defaults = createDefaultModels({
    models: catalog,
    async elsewhere (host, profile) {
      const choice = await chooser.choose(profile, {}, host)
      return 'error' in choice ? null : { model: choice.ref.id, provider: choice.ref.provider }
    },
    hosts: asking.names,
    nowMs: () => monotonicMs(clock),
    log: (message, details) => app.log.warn(details, message)
  })
  app.decorate('models', {
    catalog,
    far,
    defaults,
    chooser,
    configuration: new ModelConfiguration({ profiles, catalog, path: config.env['PATH'] }),
    agentModes: new AgentModes({
      profiles, catalog, sandbox: async (profile) => await app.sandbox.status(profile), isOpen: () => !app.auth.gated,
      path: config.env['PATH']
    }),
    keys: new ProviderKeys(profiles),
    reasoning: new Reasoning({ profiles, catalog }),
    discovery: new Discovery({ profiles, enabled: config.probeLocal, ports: config.probePorts })
  })
  // The files that hold keys, addresses and the default model have changed, so a profile may now answer with another model.
  profiles.on('changed', (profile) => { void defaults.refresh(profile) })
  hosts.presence.on('changed', ({ name, state, told }) => {
    if (state === 'ready') {
      for (const profile of told?.profiles ?? []) if (profiles.get(profile) !== undefined) void defaults.lookUpOn(name, profile)
    }
  })
  app.addHook('onReady', async () => { void defaults.refresh(profiles.active()) })
}, { name: 'models', dependencies: ['asking', 'config', 'database', 'hosts', 'profiles'] })
