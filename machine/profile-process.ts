import { readMessage, ServedRequests, type HostConnection, type RequestHandlers } from '../services/agent/index.js'
import { type FromMachine, type TakenStanding } from '../services/agent/machine-messages.js'
import { type Control, type ControlAck, type RunSpec, type RunStanding, type ToHost } from '../services/agent/protocol.js'
import { type RunRequest } from '../services/agent/requests.js'
import { isBatch } from '../services/agent/runtime/incoming.js'
import { after } from '../services/ground/concurrency/after.js'
import { DomainError } from '../services/ground/errors.js'
import { fieldsOf } from '../services/ground/fields.js'
import { type Log } from '../services/ground/log.js'

export interface ProfileProcessOptions {
  connection: HostConnection
  handlers: RequestHandlers
  /** Publishes a message of a run, or (null) of the process, to the stream. */
  publish: (run: string | null, message: unknown, stored?: () => void, refused?: (reason: string) => void) => void
  mapSpec: (spec: RunSpec) => Promise<RunSpec>
  idleStopMs: number
  /** How long the process may take to answer before it counts as stuck. */
  answerWithinMs: number
  /** Called when the process is gone or about to stop. `isLost`: it exited, together with the turns in it. */
  gone: (process: ProfileProcess, isLost: boolean) => void
  log: Log
}

/** A turn that runs in a folder of this machine. */
export interface RunningTurn { runId: string, sessionId: string, workspace: string }

interface KnownRun {
  generation: number
  turn: RunningTurn
  /** The last heartbeat that the process was asked for before it got the run; Infinity until it gets it. */
  beat: number
  /** Resolves when the process has got the run. */
  begun: Promise<void>
  served: ServedRequests | null
}

const runToken = /^[A-Za-z0-9_-]{1,128}$/

/** Passes messages between the process of a profile on this machine and the stream. */
export class ProfileProcess {
  readonly id = crypto.randomUUID()
  readonly #runs = new Map<string, KnownRun>()
  readonly #acks = new Map<string, { acknowledged: Promise<ControlAck | null>, settle: (ack: ControlAck | null) => void }>()
  /** Requests that are answered on this machine, as long as their run exists. */
  readonly #here = new Set<string>()
  /** The last event that the stream has stored of each run, with the run's latest generation. */
  readonly #taken = new Map<string, { generation: number, last: number }>()
  #beat = 0
  /** Whether the service believes that the process is stuck, and it has said nothing since. */
  #isDoubted = false
  #stopIdle: () => void = () => {}
  #farewell: string | null = null
  #isGone = false

  constructor (private readonly options: ProfileProcessOptions) {
    const { connection, log } = options
    connection.onMessage((message) => {
      try {
        this.#said(message)
      } catch (error) {
        log('a message of an agent process could not be forwarded', { reason: String(error) })
      }
    })
    connection.onExit((reason) => this.#exited(reason))
    this.#rest()
  }

  get runs (): number { return this.#runs.size }

  turns (): RunningTurn[] { return [...this.#runs.values()].map(({ turn }) => turn) }

  /** Starts a run. Ignores a run that is already known, because it was sent twice. */
  start (spec: RunSpec): void {
    const { runId, generation, sessionId, places: { workspace } } = spec
    if (this.#runs.has(runId)) return
    this.#stopIdle()
    const known: KnownRun = { generation, turn: { runId, sessionId, workspace }, beat: Infinity, begun: Promise.resolve(), served: null }
    this.#runs.set(runId, known)
    known.begun = this.#begin(spec, known)
  }

  /** Sends a control. Resolves to null if no answer comes in time. A control that is sent twice gets the same answer. */
  async control (control: Control, timeoutMs: number): Promise<ControlAck | null> {
    const known = this.#acks.get(control.controlId)
    if (known !== undefined) return await known.acknowledged
    const { promise, resolve } = Promise.withResolvers<ControlAck | null>()
    this.#acks.set(control.controlId, { acknowledged: promise, settle: resolve })
    const stop = after(timeoutMs, () => resolve(null))
    try {
      await this.#runs.get(control.runId)?.begun
      this.options.connection.send({ type: 'control', control })
      return await promise
    } finally {
      stop()
      this.#acks.delete(control.controlId)
    }
  }

  send (message: ToHost): void {
    if (message.type === 'ping') this.#beat = message.beat
    else this.#rest()
    this.options.connection.send(message)
  }

  /**
   * Kills the process unless it answers in time. The service believes that it is stuck, but it is not if the whole machine was asleep or
   * the connection was lost.
   */
  killIfStuck (): void {
    if (this.#isDoubted) return
    const { connection, answerWithinMs, log } = this.options
    this.#isDoubted = true
    connection.send({ type: 'ping', beat: this.#beat })
    after(answerWithinMs, () => {
      if (!this.#isDoubted || this.#isGone) return
      log('killed an agent process that does not respond', { pid: connection.pid, runs: this.runs })
      connection.kill()
    })
  }

  /** @param farewell message with which its turns end when the process is gone */
  async stop (farewell: string | null = null): Promise<void> {
    this.#farewell = farewell
    await this.options.connection.stop()
  }

  async #begin (spec: RunSpec, known: KnownRun): Promise<void> {
    const { connection, handlers, mapSpec, log } = this.options
    try {
      const mapped = await mapSpec(spec)
      // Request handlers need no history.
      known.served = new ServedRequests({
        spec: { ...mapped, history: [], system: [] }, handlers, log, send: (reply) => connection.send({ type: 'reply', reply })
      })
      known.beat = this.#beat
      connection.send({ type: 'start', spec: mapped })
    } catch (error) {
      log('a turn could not be started', { runId: spec.runId, reason: String(error) })
      this.#lose(spec.runId, String(error), error instanceof DomainError
        ? error.message
        : 'This turn could not be begun on the other machine.')
    }
  }

  #lose (runId: string, reason: string, message: string): void {
    this.#over(runId)
    this.options.publish(null, { type: 'lost', runId, reason, message } satisfies FromMachine)
  }

  #over (runId: string): void {
    this.#runs.get(runId)?.served?.close()
    this.#runs.delete(runId)
    this.#rest()
  }

  #said (message: unknown): void {
    this.#isDoubted = false
    const { publish, handlers } = this.options
    const { type } = fieldsOf(message)
    if (type === 'events') return this.#events(fieldsOf(message).batches)
    const [read] = readMessage(message) ?? []
    if (read === undefined) return this.options.log('a message of an agent process does not follow the protocol', {})
    switch (read.type) {
      case 'ack': return this.#acks.get(read.ack.controlId)?.settle(read.ack)
      case 'pong': return publish(null, { ...read, runs: this.#standings(read.beat, read.runs) })
      case 'request': {
        const served = handlers.get(read.request.what) === undefined ? null : this.#runs.get(read.request.runId)?.served
        if (served === null || served === undefined) return publish(null, read)
        this.#here.add(idOf(read.request))
        return served.take(read.request)
      }
      default: return publish(null, read)
    }
  }

  /** Publishes events, each run's under a subject of its own. */
  #events (batches: unknown): void {
    if (!Array.isArray(batches)) return
    for (const batch of batches) {
      if (!isBatch(batch) || !runToken.test(batch.runId)) continue
      const { runId, generation, seq, events } = batch
      const last = seq + events.length - 1
      this.options.publish(runId, { type: 'events', batches: [batch] }, () => {
        if (generation < (this.#taken.get(runId)?.generation ?? generation)) return
        this.#taken.set(runId, { generation, last })
        if (!this.#isGone) this.options.connection.send({ type: 'stored', runId, seq: last })
      }, (reason) => this.#lose(runId, reason, 'What the agent has said was too large for the way to the service.'))
      if (events.some((event) => fieldsOf(event).t === 'end')) this.#over(runId)
    }
  }

  /** Returns the standings, with the runs that the process has not got yet, and without the requests that are answered here. */
  #standings (beat: number, told: RunStanding[]): TakenStanding[] {
    const known = new Set(told.map(({ runId }) => runId))
    for (const runId of this.#taken.keys()) if (!known.has(runId)) this.#taken.delete(runId)
    const standings = told.map((standing) => {
      const taken = this.#taken.get(standing.runId)
      const own = standing.requests.filter((requestId) => this.#here.has(`${standing.runId} ${requestId}`))
      this.#runs.get(standing.runId)?.served?.reconcile(own)
      return {
        ...standing, taken: taken?.generation === standing.generation ? taken.last : 0,
        requests: standing.requests.filter((requestId) => !own.includes(requestId))
      }
    })
    const waiting = new Set(standings.flatMap(({ runId }) => [...this.#here].filter((id) => id.startsWith(`${runId} `))))
    for (const id of this.#here) if (!waiting.has(id)) this.#here.delete(id)
    for (const [runId, { beat: begunAt, generation }] of this.#runs) {
      if (begunAt >= beat && !known.has(runId)) standings.push({ runId, generation, seq: 0, taken: 0, isOver: false, requests: [] })
    }
    return standings
  }

  /** Ends the process after a long time without a run. The next turn starts another one. */
  #rest (): void {
    this.#stopIdle()
    if (this.#isGone || this.#runs.size > 0) return
    this.#stopIdle = after(this.options.idleStopMs, () => {
      this.#leave(false)
      void this.stop()
    })
  }

  #exited (reason: string): void {
    if (this.#isGone) return
    if (this.#farewell !== null) for (const runId of [...this.#runs.keys()]) this.#lose(runId, reason, this.#farewell)
    this.#leave(true)
    this.options.publish(null, { type: 'exited', process: this.id, reason } satisfies FromMachine)
  }

  #leave (isLost: boolean): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#stopIdle()
    for (const { settle } of this.#acks.values()) settle(null)
    for (const { served } of this.#runs.values()) served?.close()
    this.#runs.clear()
    this.options.gone(this, isLost)
  }
}

const idOf = ({ runId, requestId }: RunRequest): string => `${runId} ${requestId}`
