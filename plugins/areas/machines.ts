import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  createAsking, createKnownMachines, createMachines, idOfFolder, Presence, recordMachines, ServiceLink, type Asking, type LinkTiming,
  type Machines
} from '../../services/areas/machines/index.js'
import { type NatsLink } from '../../services/ground/nats/link.js'

/** How machines are reached, and which can be asked. */
interface Reach {
  /** Returns null if no machine can join this service. */
  link: () => Promise<NatsLink> | null
  names: () => string[]
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The machines that have joined this service, and small requests to them. */
    machines: Machines & Asking & {
      /** Returns the names of the machines that can be asked. */
      names: () => string[]
      /** Replaces the way in which machines are reached. */
      reachBy (reach: Reach): void
      /** Listens for notices that machines send on their own, once `listen` is called. Notices without a listener are not kept. */
      onNotice (what: string, listener: (machine: string, notice: unknown) => void): void
      /** Starts listening on a connection. Called once for each connection by the code that has opened it. */
      listen (link: NatsLink): void
    }
  }
}

export interface MachinesPluginOptions extends LinkTiming {
  /** How long a machine may be silent before it counts as away. */
  presenceMs?: number
}

/** The same values as in services/ground/nats/setup.ts, which is loaded only if a NATS server is configured. */
const silentMs = 15_000
const objectsMb = 1_024

/** Other machines that join this service, registered before every area that asks them. Without SVC_NATS_URL no NATS code is loaded. */
export default fp(async (app: FastifyInstance, { presenceMs = silentMs, ...timing }: MachinesPluginOptions) => {
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
  const machines = createMachines({ presence, connection })
  const ready = (): string[] => presence.list().filter(({ state }) => state === 'ready').map(({ name }) => name)
  let reach: Reach = { link: machines.link, names: ready }
  const listeners = new Map<string, (machine: string, notice: unknown) => void>()
  app.decorate('machines', {
    ...machines,
    ...createAsking({ link: () => reach.link(), isThere: (machine) => reach.names().includes(machine), log }),
    names: () => reach.names(),
    reachBy (next) { reach = next },
    onNotice: (what, listener) => { listeners.set(what, listener) },
    listen ({ nc, subjects }) {
      for (const [what, listener] of listeners) {
        nc.subscribe(subjects.notice('*', what), {
          callback (failure, message) {
            if (failure !== null) return
            try {
              const [, , machine = ''] = message.subject.split('.')
              listener(machine, message.json())
            } catch (error) {
              log('a message from a machine could not be received', { what, reason: String(error) })
            }
          }
        })
      }
    }
  })
  if (connection === null) return
  connection.onLink((link) => { if (link !== null) app.machines.listen(link) })
  // Not awaited: the start must not wait for a server that is not reachable.
  app.addHook('onReady', async () => { void connection.open() })
  app.addHook('onClose', async () => {
    await connection.close()
    presence.close()
  })
}, { name: 'machines', dependencies: ['audit', 'config', 'database', 'version'] })
