import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import { monotonicMs } from '../../services/ground/time/clock.js'
import { createFarModels } from '../../services/areas/machines/index.js'
import {
  AgentModes, createDefaultModels, createModelChooser, Discovery, ModelCatalog, ModelConfiguration, ProviderKeys, Reasoning, type Models
} from '../../services/areas/models/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    models: Models & {
      /** The models of other machines. */
      far: ReturnType<typeof createFarModels>
    }
  }
}

/** The models that profiles can use. */
export default fp(async (app: FastifyInstance) => {
  const { clock, config, machines, profiles } = app
  const catalog = new ModelCatalog({ profiles, clock, probeLocal: config.probeLocal, path: config.env['PATH'] })
  const far = createFarModels({ asking: machines, told: (machine) => machines.presence.find(machine)?.told ?? null })
  const chooser = createModelChooser({ models: catalog, profiles, elsewhere: far.choose })
  const defaults = createDefaultModels({
    models: catalog,
    async elsewhere (machine, profile) {
      const choice = await chooser.choose(profile, {}, machine)
      return 'error' in choice ? null : { model: choice.ref.id, provider: choice.ref.provider }
    },
    machines: machines.names,
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
  // The files of a profile hold keys, addresses and the default model, so a change may change its model at once.
  profiles.on('changed', (profile) => { void defaults.refresh(profile) })
  machines.presence.on('changed', ({ name, state, told }) => {
    if (state === 'ready') {
      for (const profile of told?.profiles ?? []) if (profiles.get(profile) !== undefined) void defaults.lookUpOn(name, profile)
    }
  })
  app.addHook('onReady', async () => { void defaults.refresh(profiles.active()) })
}, { name: 'models', dependencies: ['config', 'database', 'machines', 'profiles'] })
