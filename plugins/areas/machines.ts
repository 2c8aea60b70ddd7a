import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  createHosts, createKnownMachines, idOfFolder, Presence, recordMachines, ServiceLink, type Hosts, type LinkTiming
} from '../../services/areas/machines/index.js'

declare module 'fastify' {
  interface FastifyInstance { hosts: Hosts }
}

export interface HostsPluginOptions extends LinkTiming {
  /** How long a machine may be silent before it counts as away. */
  presenceMs?: number
}

/** The same values as in services/ground/nats/setup.ts, which is loaded only if a NATS server is configured. */
const silentMs = 15_000
const objectsMb = 1_024

/** Other machines that join this service. Without SVC_NATS_URL no NATS code is loaded. */
export default fp(async (app: FastifyInstance, { presenceMs = silentMs, ...timing }: HostsPluginOptions) => {
  const { audit, clock, config, db, serviceVersion: version } = app
  const log = (message: string, details: Record<string, unknown> = {}): void => app.log.warn(details, message)
  const known = createKnownMachines({ db, clock })
  const { nats } = config
  const before = nats === null ? [] : known.read()
  const presence = new Presence({ clock, version, presenceMs, known: before, keep: known.keep, log })
  recordMachines(presence, audit, before)
  const connection = nats === null
    ? null
    : new ServiceLink({ nats, runsMb: nats.runsMb, objectsMb, holder: await idOfFolder(config.stateDir), version, presence, log, timing })
  app.decorate('hosts', createHosts({ presence, connection }))
  if (connection === null) return
  app.asking.reachBy({
    link: app.hosts.link, names: () => presence.list().filter(({ state }) => state === 'ready').map(({ name }) => name)
  })
  connection.onLink((link) => { if (link !== null) app.asking.listen(link) })
  // Not awaited: the start must not wait for a server that is not reachable.
  app.addHook('onReady', async () => { void connection.open() })
  app.addHook('onClose', async () => {
    await connection.close()
    presence.close()
  })
}, { name: 'hosts', dependencies: ['asking', 'audit', 'config', 'database', 'version'] })
