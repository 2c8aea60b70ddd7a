import { after } from '../../ground/concurrency/after.js'
import { Conflict } from '../../ground/errors.js'
import { type Control, type ControlAck, type ToHost } from '../protocol.js'
import { type HostConnection } from './connection.js'
import { type MachineTransport } from './machines.js'
import { type Loss } from './losses.js'

export interface PatientOptions {
  /** How long the transport may be missing before runs are given up. */
  awayMs: number
}

/**
 * Stands in for the machines' transport until it is connected, so that runs can be followed again right after a restart. New turns are
 * refused meanwhile. `use` sets the transport, also for connections that wait for it; null removes it.
 */
export function createPatientTransport ({ awayMs }: PatientOptions): MachineTransport & { use (transport: MachineTransport | null): void } {
  const waiting = new Set<WaitingConnection>()
  let way: MachineTransport | null = null
  const connect = (profile: string, machine: string): HostConnection => {
    if (way !== null) return way(profile, machine)
    const connection = new WaitingConnection(profile, machine, awayMs, (over) => { waiting.delete(over) })
    waiting.add(connection)
    return connection
  }
  return Object.assign(connect, {
    use (transport: MachineTransport | null) {
      if (way !== transport) way?.giveUp()
      way = transport
      if (transport !== null) for (const connection of [...waiting]) connection.reach(transport)
    },
    giveUp () { way?.giveUp() },
    async close () {
      await Promise.all([...waiting].map(async (connection) => await connection.stop()))
      await way?.close()
    }
  })
}

/** A connection to a host that cannot be reached yet. Once it can, messages pass through. */
class WaitingConnection implements HostConnection {
  readonly pid = null
  #real: HostConnection | null = null
  readonly #unsent: ToHost[] = []
  #message: (message: unknown) => void = () => {}
  #exit: (reason: string, message?: string) => void = () => {}
  #lost: (runId: string, loss: Loss) => void = () => {}
  readonly #stopWaiting: () => void

  constructor (
    private readonly profile: string, private readonly machine: string, awayMs: number,
    private readonly left: (connection: WaitingConnection) => void
  ) {
    this.#stopWaiting = after(awayMs, () => {
      left(this)
      this.#exit('the machine was away for too long', `The machine ${machine} could not be reached for too long, in the middle of this turn.`)
    })
  }

  reach (transport: MachineTransport): void {
    this.#done()
    const real = transport(this.profile, this.machine)
    this.#real = real
    real.onMessage(this.#message)
    real.onExit(this.#exit)
    real.onLost?.(this.#lost)
    for (const message of this.#unsent.splice(0)) real.send(message)
  }

  onMessage (listener: (message: unknown) => void): void { this.#message = listener }
  onExit (listener: (reason: string, message?: string) => void): void { this.#exit = listener }
  onLost (listener: (runId: string, loss: Loss) => void): void { this.#lost = listener }
  isAway (): boolean { return this.#real?.isAway?.() ?? true }

  send (message: ToHost): void {
    if (this.#real !== null) return this.#real.send(message)
    // A turn that began much later would be a surprise.
    if (message.type === 'start') return this.#refuse(message.spec.runId)
    if (message.type === 'observe') this.#unsent.push(message)
  }

  async control (control: Control, timeoutMs: number): Promise<ControlAck> {
    if (this.#real?.control === undefined) {
      throw new Conflict(`The machine ${this.machine} is not reachable`, 'gateway_run_unavailable', { ok: false })
    }
    return await this.#real.control(control, timeoutMs)
  }

  async stop (): Promise<void> {
    this.#done()
    await this.#real?.stop()
  }

  kill (): void { this.#real?.kill() }
  letGo (runId: string): void { this.#real?.letGo?.(runId) }

  #refuse (runId: string): void {
    setImmediate(() => this.#lost(runId, {
      reason: 'not connected to NATS',
      message: `The machine ${this.machine} is not reachable: the service has no connection to its NATS server.`
    }))
  }

  #done (): void {
    this.#stopWaiting()
    this.left(this)
  }
}
