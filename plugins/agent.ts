import { resolve } from 'node:path'
import { type FastifyInstance, type FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { boundaryFolder, createAgentRuntime, findSandbox, forkTransport, type AgentRuntime, type HostTransport, type SandboxStatus } from '../services/agent/index.js'
import { monotonicMs } from '../services/ground/clock.js'
import { createDefaultModels, createModelCatalog, createModelChooser, type DefaultModels, type ModelCatalog, type ModelChooser } from '../services/models/index.js'
import { createProfiles, type Profiles } from '../services/profiles/index.js'
import { knownSecrets, secretsOfSettings, secretsOfVariables } from '../services/ground/redaction/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    profiles: Profiles
    models: ModelCatalog
    defaultModels: DefaultModels
    modelChooser: ModelChooser
    agent: AgentRuntime
    /** How terminal commands of a profile are confined: as its host says, or, before there is one, as it looks here. */
    sandbox (profile: string): Promise<SandboxStatus>
    /** The profile a request works in. */
    activeProfile (request: FastifyRequest): string
  }
}

export interface AgentPluginOptions {
  /** How hosts are reached; by default each is a child process. */
  transport?: (app: FastifyInstance) => HostTransport
}

export default fp(async (app: FastifyInstance, { transport = forkedHosts }: AgentPluginOptions) => {
  const { config, clock, log } = app
  const profiles = createProfiles({
    home: config.home,
    env: config.env,
    clock,
    // Before a turn runs with a new key, the key is known here.
    learned: ({ env, config: settings }) => knownSecrets.keep([...secretsOfVariables(env), ...secretsOfSettings(settings)])
  })
  for (const { name } of profiles.list()) profiles.settings(name)
  const models = createModelCatalog({ profiles, clock, probeLocal: config.probeLocal })
  app.decorate('profiles', profiles)
  app.decorate('models', models)
  app.decorate('modelChooser', createModelChooser({ models, profiles }))
  app.decorate('defaultModels', createDefaultModels({
    models,
    nowMs: () => monotonicMs(clock),
    changed: () => app.sessions.changed('default_model')
  }))
  app.decorate('agent', createAgentRuntime({
    transport: transport(app),
    whenStored: (callback) => app.db.enqueue({ write () {}, committed: callback }),
    log: (message, details) => log.warn(details, message)
  }))
  let local: Promise<SandboxStatus> | undefined
  app.decorate('sandbox', async (profile: string): Promise<SandboxStatus> => {
    if (config.sandbox === 'off' || profiles.rules(profile).sandbox === 'off') return { available: false, reason: 'it is switched off' }
    return app.agent.health(profile).sandbox ?? await (local ??= findSandbox(config.env))
  })
  app.decorate('activeProfile', () => profiles.active())
  app.addHook('onClose', async () => await app.agent.stop())
}, { name: 'agent', dependencies: ['config', 'database'] })

function forkedHosts (app: FastifyInstance): HostTransport {
  const { config, log } = app
  return forkTransport({
    profileHome: (profile) => app.profiles.get(profile)?.home ?? config.home,
    // Backups hold what the state holds, wherever they lie. The file of settings that the service was started with, where there is one, holds its password.
    serviceRoots: [...new Set([config.stateDir, config.backup.folder, resolve('.env')])],
    stateDir: config.stateDir,
    boundaryFolder: boundaryFolder(config.stateDir),
    otherHomes: [config.home],
    env: config.env,
    keyVariables: (profile) => keyVariables(app.profiles.settings(profile).config),
    onLeftovers: (count) => log.warn({ processes: count }, 'processes of an earlier run of the service were still there and were killed'),
    onStderr: (text) => log.warn({ text }, 'agent host')
  })
}

function keyVariables ({ providers, custom_providers: custom }: Record<string, unknown>): string[] {
  return [...Object.values(providers ?? {}), ...(Array.isArray(custom) ? custom : [])]
    .map((provider: { key_env?: unknown } | null) => provider?.key_env).filter((name) => typeof name === 'string')
}
