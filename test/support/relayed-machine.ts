import { type FastifyInstance } from 'fastify'
import { type MachineApp } from '../../machine/app.js'
import { startParts } from '../../machine/parts.js'
import { type Config } from '../../plugins/ground/config.js'
import { dispatching, openNatsTransport, type HostTransport } from '../../services/agent/index.js'
import { systemClock, type Clock } from '../../services/ground/time/clock.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { setUp, setUpObjects } from '../../services/ground/nats/setup.js'
import { createSharing } from '../../services/areas/machines/index.js'
import { ModelCatalog } from '../../services/areas/models/index.js'
import { createProfiles } from '../../services/areas/profiles/index.js'
import { type RelayOptions } from '../../services/areas/relay/index.js'
import { type TestLike } from './app.js'
import { shareCompiled } from './compiled.js'
import { startNats, type NatsServer } from './nats.js'
import { checkWire } from './wire.js'

export interface TestMachine {
  relay: RelayOptions
  machine: MachineApp
  nats: NatsServer
  link: NatsLink
  /** Reaches the hosts of a service: its own, and those of this machine. */
  transport (own: HostTransport, app: FastifyInstance): HostTransport
  /** Stops sending anything, as after a kill. */
  stop (): void
  /** Makes every session of a service work on this machine, whichever way it gets its folder. */
  take (app: FastifyInstance): void
  /** Number of requests that it is answering. */
  size (): number
  leave (): Promise<void>
}

export interface MachineOptions {
  name: string
  /** Folders that may contain workspaces. */
  folders: string[]
  /** Configuration of the service: what it keeps closed stays closed here. */
  config: Config
  clock?: Clock
  /** The host processes of its profiles. */
  hosts: (profileHome: (profile: string) => string) => HostTransport
}

const limits = { runsMb: 64, objectsMb: 64 }

/**
 * Creates a complete machine in this process that has joined a service over a real server; its answers are checked against
 * the same schemas.
 */
export async function joinMachine (t: TestLike, { name, folders, config, clock, hosts }: MachineOptions): Promise<TestMachine> {
  const { stateDir, home, env, maxUploadBytes, mediaRoots, gitReadonly } = config
  const nats = await startNats(t)
  const [near, far] = [await nats.link({ name: 'service' }), await nats.link({ name })]
  await setUp(near, limits)
  await setUpObjects(near, name, limits)
  const log = (): void => {}
  const profiles = createProfiles({ home, env, clock: clock ?? systemClock, log })
  const instance = crypto.randomUUID()
  const parts = await startParts(
    { nats: { urls: [nats.url], prefix: 'agents' }, link: far, name, workspaces: folders, home, stateDir, env, instance, generation: 1, profiles, catalog: new ModelCatalog({ profiles, clock: clock ?? systemClock, probeLocal: false, path: env['PATH'] }), log },
    { hosts: hosts(profiles.homeOf), app: { clock, maxUploadBytes, mediaRoots, gitReadonly, prepare: (app) => { shareCompiled(app); checkWire(app, t) } } }
  )
  const { app: machine, http } = parts
  let service: FastifyInstance | null = null
  const remote = await openNatsTransport({
    link: near,
    presence: { instanceOf: (machine) => machine === name ? instance : null, onChange: () => {} },
    awayMs: 60_000,
    endKeptMs: 50,
    log,
    prepare: async (spec) => await createSharing({ link: async () => near, asking: service!.machines, log })(spec)
  })
  let isOver = false
  return {
    relay: { link: () => near },
    machine,
    nats,
    link: near,
    transport (own, app) {
      service = app
      return dispatching(own, remote)
    },
    stop: http.stop,
    take ({ machines, db: { sqlite } }) {
      machines.reachBy({ link: async () => near, names: () => [name] })
      machines.listen(near)
      for (const [event, when] of [['insert', 'after insert'], ['update', 'after update of workspace']]) {
        sqlite.exec(`create temp trigger machine_${event} ${when} on sessions when new.workspace like '/%' begin update sessions set workspace = '${name}:' || new.workspace where id = new.id; end`)
      }
    },
    size: http.size,
    async leave () {
      if (isOver) return
      isOver = true
      await parts.close()
      profiles.close()
    }
  }
}
