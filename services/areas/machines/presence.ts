import { Value } from '@sinclair/typebox/value'
import { epochSeconds, monotonicMs, type Clock } from '../../ground/time/clock.js'
import { fieldsOf } from '../../ground/fields.js'
import { isMachineName } from '../../ground/remote-folder.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { Listeners, type Subscribable } from '../../ground/listeners.js'
import { type Log } from '../../ground/log.js'
import { parseJson } from '../../ground/text/parse-json.js'
import { Description, misfit } from './description.js'

/** `ready`: it works. `away`: it is not connected. `refused`: it is connected, but incompatible. */
type MachineState = 'ready' | 'away' | 'refused'

/** A machine that has joined this service at some time. */
export interface Machine {
  name: string
  state: MachineState
  /** When its state began, in epoch seconds; for a machine that is away, when it was last heard from. */
  sinceS: number
  /** The reason for the state, if it is known. */
  note: string | null
  /** Whether the machine said goodbye: what ran there has ended. */
  hasLeft: boolean
  /** What it last reported; null if that was not understood. */
  told: Description | null
  /** Revision at which its present process first appeared: higher than that of any before it. 0 if unknown. */
  generation: number
}

export interface PresenceEvents {
  /** Called when a machine's state, process or note has changed. */
  changed (machine: Machine): void
  forgotten (name: string): void
}

export interface PresenceOptions {
  clock: Clock
  version: string
  /** Machines known from before the start. */
  known: Machine[]
  /** A machine that has not reported for this long is away. */
  presenceMs: number
  /** Stores the known machines. Called when a machine has come, gone or changed state, not at each sign of life. */
  keep: (machines: Machine[]) => void
  log: Log
}

interface Sign { revision: number, heardMs: number }

const longestValue = 512 * 1_024
const lookEveryMs = 1_000

/** Tracks which machines are connected: what they report in the bucket, and since when the others have been away. */
export class Presence {
  readonly #machines = new Map<string, Machine>()
  readonly #signs = new Map<string, Sign>()
  readonly #options: PresenceOptions
  readonly #listeners: Listeners<PresenceEvents>
  #timer: NodeJS.Timeout | null = null

  constructor (options: PresenceOptions) {
    this.#options = options
    this.#listeners = new Listeners((event, error) =>
      options.log('a listener failed after a machine changed', { event, reason: String(error) }))
    // All begin as away: which of them are connected is known once the server is reached.
    for (const machine of options.known) this.#machines.set(machine.name, { ...machine, state: 'away', hasLeft: machine.hasLeft })
  }

  readonly on: Subscribable<PresenceEvents>['on'] = (name, listener) => this.#listeners.on(name, listener)

  /** Returns the process of a machine that is ready; null if nothing can be sent there now. */
  instanceOf (name: string): string | null {
    const machine = this.#machines.get(name)
    return machine?.state === 'ready' ? machine.told?.instance ?? null : null
  }

  /** Calls the listener when a machine has come, gone or restarted. */
  readonly onChange = (listener: (name: string) => void): void => {
    this.on('changed', ({ name }) => listener(name))
  }

  find = (name: string): Machine | undefined => this.#machines.get(name)

  /** Sorted by name. */
  list = (): Machine[] => [...this.#machines.values()].toSorted((a, b) => a.name < b.name ? -1 : 1)

  /** Watches the bucket until the returned function is called. */
  async watch ({ kvm, subjects }: NatsLink): Promise<() => void> {
    const bucket = await kvm.open(subjects.presence)
    const entries = await bucket.watch()
    // The watch begins with all existing entries. The revisions of a recreated bucket start from the beginning.
    for (const sign of this.#signs.values()) sign.revision = 0
    this.#timer ??= setInterval(() => this.#lookForLost(), lookEveryMs).unref()
    void (async () => {
      for await (const { key, value, revision, operation } of entries) {
        if (isMachineName(key)) this.#heard(key, operation === 'PUT' ? value : null, revision)
      }
    })().catch((error: unknown) => this.#options.log('the list of machines can no longer be followed', { reason: String(error) }))
    return () => { entries.stop() }
  }

  /** Removes a machine from the list. Returns false if it is not away. */
  forget (name: string): boolean {
    if (this.#machines.get(name)?.state !== 'away') return false
    this.#machines.delete(name)
    this.#signs.delete(name)
    this.#keep()
    this.#listeners.emit('forgotten', name)
    return true
  }

  close (): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #heard (name: string, value: Uint8Array | null, revision: number): void {
    const sign = this.#signs.get(name)
    if (sign !== undefined && revision < sign.revision) return
    const told = value === null ? {} : parsed(value)
    if (value === null || told['left'] === true) {
      this.#signs.delete(name)
      return this.#is(name, { state: 'away', hasLeft: true, note: 'It has left.' })
    }
    this.#signs.set(name, { revision, heardMs: monotonicMs(this.#options.clock) })
    if (!Value.Check(Description, told)) {
      return this.#is(name, {
        state: 'refused', hasLeft: false,
        note: `Version ${this.#options.version} of the service does not understand this machine. Install the same version on both.`,
        told: null, generation: 0
      })
    }
    const note = misfit(told, this.#options.version)
    const isComing = note === null && told.comingUp === true
    this.#is(name, {
      state: note !== null ? 'refused' : isComing ? 'away' : 'ready', hasLeft: false, note: isComing ? 'It is coming up.' : note, told,
      generation: told.generation ?? revision
    })
  }

  #is (name: string, now: Pick<Machine, 'state' | 'note' | 'hasLeft'> & Partial<Machine>): void {
    const before = this.#machines.get(name)
    const isSame = before?.state === now.state && before.hasLeft === now.hasLeft &&
      (now.told === undefined || before.told?.instance === now.told?.instance)
    const machine: Machine = {
      name, told: null, generation: 0, ...before, ...now, sinceS: isSame ? before.sinceS : epochSeconds(this.#options.clock)
    }
    this.#machines.set(name, machine)
    if (!isSame) {
      this.#keep()
      this.#options.log('a machine changed its state', { machine: name, state: machine.state, note: machine.note })
    }
    if (!isSame || before.note !== machine.note) this.#listeners.emit('changed', machine)
  }

  #lookForLost (): void {
    const nowMs = monotonicMs(this.#options.clock)
    for (const [name, { heardMs }] of this.#signs) {
      if (nowMs - heardMs < this.#options.presenceMs) continue
      this.#signs.delete(name)
      this.#is(name, { state: 'away', hasLeft: false, note: 'It has not reported since.' })
    }
  }

  #keep (): void {
    this.#options.keep(this.list())
  }
}

function parsed (bytes: Uint8Array): Readonly<Record<string, unknown>> {
  return bytes.length > longestValue ? {} : fieldsOf(parseJson(Buffer.from(bytes).toString()))
}
