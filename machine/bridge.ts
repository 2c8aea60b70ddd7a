import { type Msg, type Subscription } from '@nats-io/nats-core'
import { RequestHandlers, type HostTransport, type RequestHandler } from '../services/agent/index.js'
import { instanceHeader, type StartAnswer, type ToMachine } from '../services/agent/machine-messages.js'
import { protocolVersion, type RunSpec } from '../services/agent/protocol.js'
import { type RequestKind } from '../services/agent/requests.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { unpack } from '../services/ground/nats/packets.js'
import { headers } from '@nats-io/nats-core'
import { readControl, readSaid, readStart } from './forms.js'
import { ProfileProcess, type RunningTurn } from './profile-process.js'
import { Publisher } from './publisher.js'
import { type Log } from '../services/ground/log.js'

export interface BridgeOptions {
  link: NatsLink
  /** The name of this machine. */
  machine: string
  /** Identifies this process of the program. Presence reports the same value. */
  generation: string | number
  /** Starts the processes of profiles. The caller closes it. */
  transport: HostTransport
  hasProfile: (profile: string) => boolean
  /** Maps the places of a run to folders of this machine. The message of a DomainError that it throws is shown unchanged. */
  mapSpec?: (spec: RunSpec) => Promise<RunSpec>
  /** Handlers of requests of runs that are answered here instead of by the service. They do not get the run's history. */
  serve?: { [K in RequestKind]?: RequestHandler<K> }
  log: Log
  /** Called with the reason when messages cannot be stored for now; with null when they can again. */
  trouble?: (reason: string | null) => void
  idleStopMs?: number
  /** How long a process that the service believes to be stuck may take to answer. */
  answerWithinMs?: number
  controlTimeoutMs?: number
}

export interface Bridge {
  /** Returns the number of running turns. */
  runs (): number
  turns (): RunningTurn[]
  /** Ends every process, and reports it to the service if that is connected. */
  close (): Promise<void>
}

const usualIdleStopMs = 30 * 60_000
const usualAnswerWithinMs = 3_000
const goodbyeMs = 2_000

/** Runs turns for a service in processes of this machine, and reports what happens in them. */
export function createBridge (options: BridgeOptions): Bridge {
  return new MachineBridge(options)
}

class MachineBridge implements Bridge {
  readonly #processes = new Map<string, ProfileProcess>()
  readonly #handlers: RequestHandlers
  readonly #publisher: Publisher
  readonly #subscription: Subscription
  readonly #instance: string
  #isClosed = false

  constructor (private readonly options: BridgeOptions) {
    const { link, machine, generation, log, trouble, serve = {} } = options
    this.#instance = String(generation)
    this.#handlers = new RequestHandlers(serve)
    this.#publisher = new Publisher({ link, machine, instance: this.#instance, log, trouble })
    this.#subscription = link.nc.subscribe(link.subjects.allTo(machine), {
      callback: (error, message) => {
        if (error !== null) return log('messages of the service cannot be received', { reason: String(error) })
        this.#heard(message).catch((error: unknown) =>
          log('a message of the service could not be handled', { subject: message.subject, reason: String(error) }))
      }
    })
  }

  runs (): number {
    return [...this.#processes.values()].reduce((sum, { runs }) => sum + runs, 0)
  }

  turns (): RunningTurn[] {
    return [...this.#processes.values()].flatMap((process) => process.turns())
  }

  async close (): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#subscription.unsubscribe()
    await Promise.all([...this.#processes.values()].map(async (process) =>
      await process.stop(`The machine ${this.options.machine} has been stopped in the middle of this turn.`)))
    await this.#publisher.close(goodbyeMs)
  }

  async #heard (message: Msg): Promise<void> {
    const { link, machine } = this.options
    const [profile = '', way] = message.subject.split('.').slice(-2)
    const said = await unpack(link, machine, message)
    if (this.#isClosed) return
    switch (way) {
      case 'start': return this.#answer(message, this.#start(profile, said))
      case 'control': return await this.#control(profile, message, said)
      case 'say': return this.#said(profile, readSaid(said))
    }
  }

  #start (profile: string, said: unknown): StartAnswer {
    const refused = (reason: string, message: string): StartAnswer => ({ taken: false, reason, message })
    const { machine, hasProfile, log } = this.options
    const spec = readStart(said)
    if (spec === null) return refused('no turn', `The machine ${machine} could not understand what it is to do.`)
    if (spec.v !== protocolVersion) {
      return refused(
        `protocol version ${spec.v}`,
        `The machine ${machine} speaks version ${protocolVersion} of the protocol, and the service version ${spec.v}: they are of different releases.`
      )
    }
    if (!('runId' in spec) || spec.profile !== profile) {
      return refused('no turn', `The machine ${machine} could not understand what it is to do.`)
    }
    if (!hasProfile(profile)) return refused('no such profile', `The machine ${machine} has no profile called ${profile}.`)
    try {
      const process = this.#processOf(profile)
      process.start(spec)
      return { taken: true, process: process.id }
    } catch (error) {
      log('an agent process could not be started', { profile, reason: String(error) })
      return refused('not started', `The agent process of this profile could not be started on the machine ${machine}.`)
    }
  }

  async #control (profile: string, message: Msg, said: unknown): Promise<void> {
    const control = readControl(said)
    if (control === null) return
    const process = this.#processes.get(profile)
    const { controlTimeoutMs = 10_000 } = this.options
    const ack = process === undefined
      ? { controlId: control.controlId, result: 'not_running' }
      : await process.control(control, controlTimeoutMs)
    if (ack !== null) this.#answer(message, ack)
  }

  #said (profile: string, message: ToMachine | null): void {
    if (message === null) return this.options.log('a message of the service does not follow the protocol', { profile })
    const process = this.#processes.get(profile)
    switch (message.type) {
      case 'kill': return process?.killIfStuck()
      case 'ping':
        // An answer would only wait in the queue. But the service is there, and may have made room in the stream.
        if (this.#publisher.isStuck) return this.#publisher.retry()
        if (process === undefined) return this.#publish(profile, null, { type: 'pong', beat: message.beat, runs: [] })
        return process.send(message)
      case 'aux':
      case 'mcp':
        if (this.options.hasProfile(profile)) this.#processOf(profile).send(message)
        return
      default: process?.send(message)
    }
  }

  #processOf (profile: string): ProfileProcess {
    const known = this.#processes.get(profile)
    if (known !== undefined) return known
    const {
      transport, mapSpec = async (spec) => spec, idleStopMs = usualIdleStopMs, answerWithinMs = usualAnswerWithinMs, log
    } = this.options
    const process = new ProfileProcess({
      connection: transport(profile),
      handlers: this.#handlers,
      publish: (run, message, stored, refused) => this.#publish(profile, run, message, stored, refused),
      mapSpec,
      idleStopMs,
      answerWithinMs,
      log,
      gone: (process) => { if (this.#processes.get(profile) === process) this.#processes.delete(profile) }
    })
    this.#processes.set(profile, process)
    return process
  }

  #publish (profile: string, run: string | null, message: unknown, stored?: () => void, refused?: (reason: string) => void): void {
    const { link: { subjects }, machine } = this.options
    this.#publisher.say(subjects.from(machine, profile, run), message, stored, refused)
  }

  #answer (message: Msg, answer: unknown): void {
    const head = headers()
    head.set(instanceHeader, this.#instance)
    message.respond(JSON.stringify(answer), { headers: head })
  }
}
