import { resolve } from 'node:path'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  boundaryFolder, createAgentRuntime, dispatching, forkTransport, mcpTokensOf, openNatsTransport, createPatientTransport, type AgentRuntime,
  type HostTransport, type MachineTransport
} from '../../services/agent/index.js'
import { knownSecrets } from '../../services/ground/redaction/index.js'
import { createSharing } from '../../services/areas/machines/index.js'
import { keyVariables } from '../../services/areas/profiles/index.js'

declare module 'fastify' {
  interface FastifyInstance { agent: AgentRuntime }
}

export interface AgentPluginOptions {
  /** Reaches the hosts. By default each is a child process, on this machine or on another one. */
  transport?: (app: FastifyInstance) => HostTransport
}

/** The processes that run turns, one for each profile. */
export default fp(async (app: FastifyInstance, { transport = hostsOfAllMachines }: AgentPluginOptions) => {
  const { audit, db, log } = app
  const agent = createAgentRuntime({
    transport: transport(app),
    answering: ({ sessionId: id }, answer) => audit.as({ kind: 'agent', id, name: null, address: null }, answer),
    started: (runs, sinceMs) => app.traces?.hostStarted(runs, sinceMs),
    whenStored: (callback) => db.enqueue({ write () {}, committed: callback }),
    tokensRenewed (profile) {
      const known = app.profiles.get(profile)
      if (known !== undefined) knownSecrets.keep(mcpTokensOf(known.home))
    },
    log: (message, details) => log.warn(details, message)
  })
  app.decorate('agent', agent)
  app.profiles.on('removing', async (profile) => await agent.release(profile))
  app.addHook('onClose', async () => await agent.stop())
}, { name: 'agent', dependencies: ['audit', 'config', 'database', 'machines', 'profiles', 'traces'] })

const hostsOfAllMachines = (app: FastifyInstance): HostTransport => dispatching(forkedHosts(app), machinesOf(app))

/** Returns the transport to the hosts of other machines; null if none can join. */
export function machinesOf (app: FastifyInstance): MachineTransport | null {
  const { config, machines } = app
  if (config.nats === null) return null
  const { awayMs } = config.nats
  const log = (message: string, details: Record<string, unknown>): void => app.log.warn(details, message)
  const transport = createPatientTransport({ awayMs })
  machines.onLink((link) => {
    transport.use(null)
    if (link === null) return
    const prepare = createSharing({ link: machines.link, asking: machines, log })
    openNatsTransport({ link, presence: machines.presence, awayMs, log, prepare })
      .then((way) => { if (machines.current() === link) transport.use(way) })
      .catch((error: unknown) => app.log.error({ err: error }, 'turns cannot be sent to other machines'))
  })
  return transport
}

function forkedHosts (app: FastifyInstance): HostTransport {
  const { config, log } = app
  return forkTransport({
    profileHome: app.profiles.homeOf,
    // Backups contain the same as the state, wherever they are; the key to the NATS server opens every machine. The `.env` in the folder in
    // which the service was started, if there is one, holds its password.
    serviceRoots: [...new Set([
      config.stateDir, config.backup.folder, resolve('.env'), ...(config.nats?.credentials === undefined ? [] : [config.nats.credentials])
    ])],
    stateDir: config.stateDir,
    boundaryFolder: boundaryFolder(config.stateDir),
    ...config.sandbox === 'container' ? { sandboxKind: config.sandbox } : {},
    otherHomes: [config.home],
    servicePort: config.port,
    defaultHome: config.home,
    env: config.env,
    keyVariables: (profile) => keyVariables(app.profiles.settings(profile).config),
    outliveMs: config.outliveMs ?? undefined,
    onLeftovers: (count) => log.warn({ processes: count }, 'killed processes that an earlier run of the service left behind'),
    onStderr: (text) => log.warn({ text }, 'agent host')
  })
}
