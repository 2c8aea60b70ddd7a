import { type RunSpec } from '../../services/agent/protocol.js'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBridge, type Bridge, type BridgeOptions } from '../../machine/bridge.js'
import { dispatching, forkTransport, openNatsTransport, type HostTransport, type MachinePresence } from '../../services/agent/index.js'
import { inprocTransport } from '../../services/agent/runtime/inproc.js'
import { asset } from '../../services/ground/assets.js'
import { type NatsLink } from '../../services/ground/nats/link.js'
import { setUp, setUpObjects } from '../../services/ground/nats/setup.js'
import { type TestLike } from './app.js'
import { startNats, type NatsServer } from './nats.js'
import { foundSandbox } from './sandbox.js'

export interface Machine {
  nats: NatsServer
  /** The service's own link. */
  link: NatsLink
  /** For the service: sends its runs to this machine. */
  transport: (local: HostTransport) => HostTransport
  bridge: () => Bridge
  /** Starts the program of the machine, or starts it again. */
  join (more?: Partial<BridgeOptions>): Promise<void>
  /** Ends its program without a word; `isNoticed`: whether its presence ends too. */
  vanish (isNoticed?: boolean): Promise<void>
  /** Leaves as if told to stop. */
  leave (): Promise<void>
  processes: number[]
  troubles: Array<string | null>
}

export interface MachineOptions {
  env: Record<string, string>
  hosts?: 'inproc' | 'fork'
  awayMs?: number
  startTimeoutMs?: number
  demoWordsPerSecond?: number
  prepare?: (spec: RunSpec) => Promise<RunSpec>
}

/** Starts a NATS server, and a machine called `big` that runs all turns, whatever their folder. */
export async function startMachine (t: TestLike, { env, hosts = 'inproc', awayMs = 60_000, startTimeoutMs, demoWordsPerSecond = 0, prepare }: MachineOptions): Promise<Machine> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'machine-')))
  for (const name of ['home', 'state']) mkdirSync(join(folder, name))
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  const nats = await startNats(t)
  const limits = { runsMb: 64, objectsMb: 64 }
  const link = await nats.link()
  await setUp(link, limits)
  await setUpObjects(link, 'big', limits)
  let generation = 0
  let isThere = false
  const listeners: Array<() => void> = []
  const changed = (): void => { for (const listener of listeners) listener() }
  const presence: MachinePresence = { instanceOf: (machine) => isThere && machine === 'big' ? String(generation) : null, onChange: (listener) => { listeners.push(listener) } }
  const remote = await openNatsTransport({ link, presence, awayMs, startTimeoutMs, prepare, endKeptMs: 50, log: () => {} })
  const shared = { profileHome: () => join(folder, 'home'), serviceRoots: [join(folder, 'state')], env: { PATH: process.env.PATH ?? '', HOME: folder, ...env }, timing: { retryBaseMs: 5 }, demoWordsPerSecond }
  const processes: number[] = []
  const local = hosts === 'inproc' ? inprocTransport({ ...shared, findSandbox: () => foundSandbox(shared.env) }) : forkTransport({ ...shared, stateDir: join(folder, 'state'), entry: asset('dist/services/agent/host/main.js') })
  const troubles: Array<string | null> = []
  let bridge: Bridge | null = null
  let far: NatsLink | null = null
  const machine: Machine = {
    nats,
    link,
    processes,
    troubles,
    bridge: () => bridge!,
    transport: (own) => dispatching(own, remote),
    async join (more = {}) {
      far = await nats.link()
      generation++
      bridge = createBridge({
        link: far,
        machine: 'big',
        generation,
        hasProfile: (profile) => profile === 'default',
        transport (profile) {
          const connection = local(profile)
          if (connection.pid !== null) processes.push(connection.pid)
          return connection
        },
        log: () => {},
        trouble: (reason) => { troubles.push(reason) },
        ...more
      })
      await far.nc.flush()
      isThere = true
      changed()
    },
    async leave () {
      await bridge?.close()
    },
    async vanish (isNoticed = true) {
      await far?.close()
      await bridge?.close()
      isThere = !isNoticed
      changed()
    }
  }
  await machine.join()
  t.teardown(async () => {
    await bridge?.close()
    await local.close?.()
  })
  return machine
}
