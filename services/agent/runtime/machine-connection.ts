import { type JsMsg } from '@nats-io/jetstream'
import { after } from '../../ground/concurrency/after.js'
import { Conflict, DomainError, RelayFailed } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { instanceHeader, readFromMachine, type FromMachine, type StartAnswer } from '../machine-messages.js'
import { type Control, type ControlAck, type RunSpec, type ToHost } from '../protocol.js'
import { type HostConnection } from './connection.js'
import { type NatsTransportOptions } from './machines.js'
import { readMessage } from './incoming.js'
import { type Loss } from './losses.js'
import { startRefused, startAnswerIn, valueOf } from './nats-answers.js'
import { isUnanswerable, MachineLine } from './nats-line.js'
import { StreamReader } from './nats-reader.js'
import { StreamRoom } from './nats-room.js'
import { MachineRun, toldIn, withKept, type BatchNumbers } from './nats-run.js'

/** The connection to a profile's process on a machine that has joined. */
export class MachineConnection implements HostConnection {
  readonly pid = null
  readonly #runs = new Map<string, MachineRun>()
  #listener: (message: unknown) => void = () => {}
  #exitListener: (reason: string, message?: string) => void = () => {}
  #lostListener: (runId: string, loss: Loss) => void = () => {}
  readonly #line: MachineLine
  readonly #room: StreamRoom
  #reader: StreamReader | null = null
  /** The instance of the machine's program that this talks to; null until one is known. */
  #instance: string | null
  #stopWaiting: (() => void) | null = null
  #isOver = false

  constructor (
    private readonly profile: string, private readonly machine: string, private readonly options: NatsTransportOptions,
    private readonly left: () => void
  ) {
    this.#instance = options.presence.instanceOf(machine)
    const { link, log } = options
    this.#room = new StreamRoom({ link, log, machine })
    this.#line = new MachineLine({ link, machine, profile, log, open: async () => await this.#open() })
    this.look()
    this.#line.open().catch(() => {}) // it is tried again with what is sent first
  }

  onMessage (listener: (message: unknown) => void): void { this.#listener = listener }
  onExit (listener: (reason: string, message?: string) => void): void { this.#exitListener = listener }
  onLost (listener: (runId: string, loss: Loss) => void): void { this.#lostListener = listener }

  isAway (): boolean {
    const { link, presence } = this.options
    return !link.isConnected() || presence.instanceOf(this.machine) === null
  }

  send (message: ToHost): void {
    if (this.#isOver) return
    switch (message.type) {
      case 'start': return this.#start(message.spec)
      case 'observe':
        void this.#observe(message)
        return
      case 'stored':
        if (this.#runs.get(message.runId)?.stored(message.seq) === true) this.#forget(message.runId)
        return
      case 'control':
        void this.control(message.control, 5_000).then((ack) => this.#listener({ type: 'ack', ack }), () => {})
        return
      case 'ping':
        this.#room.asked(message.beat)
        this.#room.make(this.#runs).catch(() => {}) // with the next heartbeat, again
        return this.#line.say(message)
      default: return this.#line.say(message)
    }
  }

  async control (control: Control, timeoutMs: number): Promise<ControlAck> {
    const { controlId, op, runId } = control
    if (this.#runs.get(runId)?.toldAfter === Infinity) {
      if (op === 'cancel') this.#lose(runId, { reason: 'cancelled before it began', message: 'This turn was cancelled before it began.' })
      return { controlId, result: op === 'cancel' ? 'applied' : 'not_running' }
    }
    if (this.isAway() || this.#isOver) throw this.#unreachable()
    try {
      const ack: unknown = (await this.#line.request('control', () => ({ type: 'control', control }), timeoutMs)).json()
      const [read] = readMessage({ type: 'ack', ack }) ?? []
      if (read?.type === 'ack') return read.ack
    } catch (error) {
      if (isUnanswerable(error)) throw this.#unreachable()
    }
    throw new RelayFailed(`The machine ${this.machine} did not report the result in time`, 'gateway_approval_relay_failed', { ok: false })
  }

  /** Closes this connection only: what runs there continues. */
  async stop (): Promise<void> { this.#close() }

  kill (): void { this.#line.say({ type: 'kill' }) }

  giveUp (): void {
    // Another service may follow the runs from now on.
    for (const runId of [...this.#runs.keys()]) this.#forget(runId)
    this.#exit(
      'the connection was given up', `The service has given up its connection to the machine ${this.machine}, in the middle of this turn.`
    )
  }

  /** Called when the NATS server is back. It may have lost its consumers. */
  renew (): void {
    this.#reader?.renew()
    for (const run of this.#runs.values()) run.renew()
  }

  /** Called when the machine, or the connection to it, has come or gone. */
  look (): void {
    if (this.#isOver) return
    const { presence, awayMs } = this.options
    const now = presence.instanceOf(this.machine)
    if (now !== null && this.#instance !== null && now !== this.#instance) {
      return this.#exit('the machine has started anew', `The machine ${this.machine} was started anew in the middle of this turn.`)
    }
    this.#instance ??= now
    if (!this.isAway()) {
      this.#stopWaiting?.()
      this.#stopWaiting = null
    } else {
      this.#stopWaiting ??= after(awayMs, () => this.#exit(
        'the machine was away for too long', `The machine ${this.machine} could not be reached for too long, in the middle of this turn.`
      ))
    }
  }

  #unreachable (): Conflict {
    return new Conflict(`The machine ${this.machine} is not reachable`, 'gateway_run_unavailable', { ok: false })
  }

  /** Starts to read the machine's messages. Done before anything is asked of the machine, so that no answer is missed. */
  async #open (): Promise<void> {
    if (this.#reader !== null || this.#isOver) return
    const { link, log } = this.options
    const { state, config: { max_bytes: mostBytes } } = await link.jsm.streams.info(link.subjects.runs)
    this.#room.measured(mostBytes)
    this.#reader = new StreamReader({
      link, log, filter: link.subjects.allFrom(this.machine, this.profile), from: state.last_seq + 1,
      take: async (message) => await this.#take(message)
    })
  }

  #start (spec: RunSpec): void {
    const { runId } = spec
    const run = this.#runOf(spec)
    run.begin()
    void this.#taken(spec, run).then((taken) => {
      run.isStarting = false
      if (this.#runs.get(runId) !== run) return
      if (taken.taken) run.process = taken.process
      else this.#lose(runId, taken)
    })
  }

  async #taken (spec: RunSpec, run: MachineRun): Promise<StartAnswer> {
    const { link, log, prepare, startTimeoutMs = 10_000 } = this.options
    if (!link.isConnected()) {
      return startRefused(
        'not connected to NATS', `The machine ${this.machine} is not reachable: the service has no connection to its NATS server.`
      )
    }
    if (this.isAway()) return startRefused('the machine is away', `The machine ${this.machine} is not reachable.`)
    try {
      // This may take long, so nothing else waits for it.
      const prepared = await prepare?.(spec) ?? spec
      if (this.#runs.get(spec.runId) !== run) return startRefused('given up meanwhile', '')
      run.toldAfter = this.#room.beat
      const message = await this.#line.request('start', () => ({ type: 'start', spec: prepared }), startTimeoutMs)
      this.#instance ??= message.headers?.get(instanceHeader) ?? null
      return startAnswerIn(message, this.machine)
    } catch (error) {
      log('a turn could not be handed to a machine', { machine: this.machine, runId: spec.runId, reason: String(error) })
      if (error instanceof DomainError) return startRefused('not prepared', error.message)
      if (isUnanswerable(error)) return startRefused('nobody there', `The machine ${this.machine} is not reachable.`)
      // The turn may have arrived although no answer came. If the cancel does not arrive, either, the next heartbeat finds the run.
      void this.control({ controlId: crypto.randomUUID(), op: 'cancel', runId: spec.runId }, 5_000).catch(() => {})
      return startRefused('no answer', `The machine ${this.machine} did not say in time that it takes the turn.`)
    }
  }

  async #observe ({ runId, generation, after: behind }: Extract<ToHost, { type: 'observe' }>): Promise<void> {
    const run = this.#runOf({ runId, generation })
    try {
      await this.#line.open()
      const isMissing = await run.readAgain(behind)
      if (isMissing === true && !this.#isOver) this.#listener({ type: 'missing', runId, generation })
    } catch (error) {
      // The next heartbeat asks for it again.
      this.options.log('the events of a turn could not be read again', { machine: this.machine, runId, reason: String(error) })
    }
  }

  #runOf ({ runId, generation }: Pick<RunSpec, 'runId' | 'generation'>): MachineRun {
    const { link, log, endKeptMs = 60_000 } = this.options
    const known = this.#runs.get(runId)
    if (known?.generation === generation) return known
    known?.close()
    const subject = link.subjects.from(this.machine, this.profile, runId)
    const run = new MachineRun({
      link, log, endKeptMs, forgottenAtOnceBytes: () => this.#room.forgottenAtOnceBytes, machine: this.machine, runId, generation, subject,
      deliver: async (message) => await this.#deliver(message),
      isSucceeded: () => (this.#runs.get(runId)?.generation ?? generation) !== generation
    })
    this.#runs.set(runId, run)
    return run
  }

  async #take (message: JsMsg): Promise<void> {
    if (this.#isOver) return
    const instance = message.headers?.get(instanceHeader) ?? ''
    this.#instance ??= instance
    if (instance !== this.#instance) return
    const token = message.subject.slice(message.subject.lastIndexOf('.') + 1)
    if (token !== 'host') return await this.#runs.get(token)?.take(message)
    try {
      await this.#hostSaid(await valueOf(message, this.machine, this.options))
    } catch (error) {
      // Reading it again would fail again, and everything behind it would wait for ever.
      if (!this.options.link.isConnected()) throw error
      this.options.log('a message of a machine could not be handled', { machine: this.machine, subject: message.subject, reason: String(error) })
    }
    this.#room.taken(message)
  }

  /** Delivers a message of a run. Skips one that cannot be read: the receiver notices the missing number. */
  async #deliver (message: JsMsg): Promise<BatchNumbers[]> {
    const value = await valueOf(message, this.machine, this.options)
    if (this.#isOver || typeOf(value) !== 'events') return []
    // Read before the listener gets the value, because the listener may change it.
    const told = toldIn(value)
    this.#listener(value)
    return told
  }

  async #hostSaid (value: unknown): Promise<void> {
    const own = readFromMachine(value)
    // Earlier messages of the runs are read first.
    if (own !== null) await Promise.all([...this.#runs.values()].map(async ({ caughtUp }) => await caughtUp))
    const told = typeOf(value) === 'pong' ? await withKept(value, this.#runs) : value
    const { beat } = fieldsOf(told)
    if (typeof beat === 'number') this.#room.answered(beat)
    if (this.#isOver || told === undefined) return
    if (own === null) this.#listener(told)
    else if (own.type === 'exited') this.#exited(own)
    else this.#lose(own.runId, own)
  }

  /** Takes the end of a process. Runs that began in another process since, or are about to begin, are not affected. */
  #exited ({ process, reason }: FromMachine & { type: 'exited' }): void {
    const why = `its process ended: ${reason}`
    const message = `The agent process on the machine ${this.machine} stopped unexpectedly in the middle of this turn.`
    const [lost, others]: [string[], string[]] = [[], []]
    for (const [runId, run] of this.#runs) (run.isStarting || (run.process !== null && run.process !== process) ? others : lost).push(runId)
    if (others.length === 0) return this.#exit(why, message)
    for (const runId of lost) this.#lose(runId, { reason: why, message })
  }

  letGo (runId: string): void {
    this.#runs.get(runId)?.giveUp()
    this.#forget(runId)
  }

  #lose (runId: string, { reason, message }: Loss): void {
    this.letGo(runId)
    if (!this.#isOver) this.#lostListener(runId, { reason, message })
  }

  #forget (runId: string): void {
    this.#runs.get(runId)?.close()
    this.#runs.delete(runId)
  }

  #exit (reason: string, message: string): void {
    if (this.#isOver) return
    for (const runId of [...this.#runs.keys()]) this.letGo(runId)
    this.#close()
    this.#exitListener(reason, message)
  }

  #close (): void {
    this.#isOver = true
    this.#stopWaiting?.()
    this.#reader?.stop()
    for (const runId of [...this.#runs.keys()]) this.#forget(runId)
    this.left()
  }
}

const typeOf = (message: unknown): unknown => fieldsOf(message).type
