import { redact } from '../../ground/redaction/index.js'
import {
  protocolVersion, type ControlBody, type RunName, type RunSpec, type RunStanding, type SmallTaskRequest, type StepUsage
} from '../protocol.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { type McpQueryAnswer, type McpQueryBody, type McpQueryKind } from '../mcp/queries.js'
import { FollowedRun, type RunObserver } from './followed-run.js'
import { Heartbeat, type HeartbeatOptions } from './heartbeat.js'
import { HostQuestions, type HostQuestionsOptions, type RelayedAck } from './host-questions.js'
import { readMessage, type Incoming, type ReadBatch } from './incoming.js'
import { losses, type Loss } from './losses.js'
import { ServedRequests, type RequestHandlers } from './served-requests.js'

export interface HostLinkOptions extends HostQuestionsOptions, Pick<HeartbeatOptions, 'heartbeatMs'> {
  profile: string
  handlers: RequestHandlers
  tokensRenewed: () => void
  /** Called when it has started. `runs` have waited for it since `sinceMs`, in epoch milliseconds. */
  started: (runs: readonly RunSpec[], sinceMs: number) => void
  idleStopMs: number
  whenStored: (callback: () => void) => void
  /** Called when it must get no more runs, and is to end. */
  retire: (link: HostLink) => void
  gone: (link: HostLink) => void
  /** Runs that it has from an earlier service. */
  has?: readonly RunName[]
}

interface Followed { run: FollowedRun, requests: ServedRequests }

/** One host, as long as it lives: its runs, the questions to it, and its heartbeat. */
export class HostLink {
  readonly sinceMs = Date.now()
  isReady = false
  /** How it confines terminal commands; null until it has said so. */
  sandbox: SandboxStatus | null = null
  readonly #runs = new Map<string, Followed>()
  /** Generations of runs that it has from an earlier service and that are about to be followed, by run id. */
  #expected: Map<string, number>
  readonly #questions: HostQuestions
  readonly #heartbeat: Heartbeat
  #idleTimer: NodeJS.Timeout | null = null
  #isGarbled = false
  #isGone = false
  /** It was told to end, so its end is not logged. */
  #isLeaving = false

  constructor (readonly options: HostLinkOptions) {
    const { connection, heartbeatMs, log, profile, has = [] } = options
    this.#expected = generationsOf(has)
    this.#questions = new HostQuestions(options)
    this.#heartbeat = new Heartbeat({
      connection, heartbeatMs, beats: () => this.#tellKept(),
      isStuck: () => log('an agent host does not respond and is killed', { profile, pid: this.pid, runs: this.runs })
    })
    connection.onMessage((message) => this.#receive(message))
    connection.onExit((reason, message) => this.#gone(message === undefined ? losses.gone(reason) : { reason, message }))
    connection.onLost?.((runId, loss) => {
      const run = this.#runs.get(runId)?.run
      if (run !== undefined) this.#end(run, loss)
    })
  }

  get pid (): number | null { return this.options.connection.pid }
  get runs (): number { return this.#runs.size }
  get #isIdle (): boolean { return this.#runs.size === 0 && this.#expected.size === 0 }
  /** How many questions have no answer yet. */
  get waiting (): number { return this.#questions.waiting }

  has (runId: string): boolean { return this.#runs.has(runId) || this.#expected.has(runId) }

  /** Whether it has exactly this run. Another host may still have events of an earlier run of the same turn. */
  hasRun ({ runId, generation }: RunName): boolean {
    return (this.#runs.get(runId)?.run.generation ?? this.#expected.get(runId)) === generation
  }

  /** Keeps only these of the runs from an earlier service; the others are cancelled. */
  expect (wanted: readonly RunName[]): void {
    if (this.options.has === undefined) return
    this.#expected = generationsOf(wanted.filter(({ runId, generation }) => this.#expected.get(runId) === generation))
    this.compare()
  }

  start (spec: RunSpec, observer: RunObserver): void {
    this.#register(spec, observer, 0)
    this.options.connection.send({ type: 'start', spec })
  }

  /** Follows a run that the host already has, from the event after number `after`. */
  follow (spec: RunSpec, after: number, observer: RunObserver): void {
    this.#observe(this.#register(spec, observer, after))
  }

  #register (spec: RunSpec, observer: RunObserver, after: number): FollowedRun {
    const { connection, handlers, log } = this.options
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    const requests = new ServedRequests({ spec, handlers, log, send: (reply) => connection.send({ type: 'reply', reply }) })
    const run = new FollowedRun(spec, this.#heartbeat.beat, observer, after)
    this.#runs.set(spec.runId, { run, requests })
    this.#expected.delete(spec.runId)
    return run
  }

  /** Throws RelayFailed when there is no acknowledgement in time, and Conflict when another machine cannot be reached. */
  async control (body: ControlBody & { runId: string }): Promise<RelayedAck> {
    if (body.op === 'cancel') this.#expected.delete(body.runId)
    return await this.#questions.control(body)
  }

  /** Returns null when there is no answer in time, or the host cannot be reached. */
  async smallTask (request: Omit<SmallTaskRequest, 'requestId'>, timeoutMs: number, used?: (usage: StepUsage) => void): Promise<unknown> {
    if (this.options.connection.isAway?.() === true) return null
    const result = await this.#questions.smallTask(request, timeoutMs, used)
    if (this.#runs.size === 0) this.#stopWhenIdle()
    return result
  }

  /** Asks the host about its MCP servers. Returns its answer or error; null when there is no answer in time. */
  async mcp<K extends McpQueryKind> (
    what: K, body: McpQueryBody<K>, timeoutMs: number
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null> {
    const reply = await this.#questions.mcp(what, body, timeoutMs)
    if (this.#runs.size === 0) this.#stopWhenIdle()
    return reply
  }

  /** Lets both sides compare what they know, with this heartbeat and those that follow. */
  compare (): void { this.#heartbeat.ping() }

  /** Ends the host; resolves when it has gone. `keeps`: leaves it running, if its transport can. */
  async leave ({ keeps }: { keeps: boolean }): Promise<void> {
    this.#isLeaving = true
    this.#heartbeat.stop()
    const { connection } = this.options
    if (keeps && connection.release !== undefined) connection.release()
    else await connection.stop()
    // Runs of another machine continue, but questions of this service will get no answer.
    this.#questions.giveUp()
    for (const { requests } of this.#runs.values()) requests.close()
  }

  #receive (message: unknown): void {
    if (this.#isGone) return
    this.#heartbeat.heard()
    const read = readMessage(message)
    if (read !== null) return read.forEach((incoming) => this.#take(incoming))
    // Logged once: a host that sends nothing else must not fill the log.
    if (!this.#isGarbled) {
      this.options.log('a message of an agent host does not have the form of the protocol', {
        profile: this.options.profile, pid: this.pid
      })
    }
    this.#isGarbled = true
  }

  #take (message: Incoming): void {
    switch (message.type) {
      case 'ready': return this.#ready(message.v)
      case 'sandbox':
        this.sandbox = message.status
        return
      case 'events': return this.#follow(message.batches)
      case 'garbled': return this.#giveUp(this.#known(message), losses.garbled)
      case 'missing': return this.#giveUp(this.#known(message), losses.missing)
      case 'ack': return this.#questions.acknowledged(message.ack)
      case 'aux': return this.#questions.smallTaskAnswered(message.reply)
      case 'mcp': return this.#questions.mcpAnswered(message.reply)
      case 'mcp_tokens': return this.options.tokensRenewed()
      case 'ended_badly': {
        const { what, reason, ...details } = message.ended
        return this.options.log(what === 'agent' ? 'an agent ended with an error' : 'an MCP server ended with an error', {
          profile: this.options.profile, ...details, reason: redact(reason)
        })
      }
      case 'request': return this.#known(message.request)?.requests.take(message.request)
      case 'pong': return this.#reconcile(message.beat, message.runs)
    }
  }

  /** Takes the version of a host. One of another release cannot be used. */
  #ready (v: number): void {
    const isFirst = !this.isReady && this.options.has === undefined
    this.isReady = v === protocolVersion
    if (this.isReady && isFirst) this.options.started([...this.#runs.values()].map(({ run }) => run.spec), this.sinceMs)
    if (this.isReady) return
    const loss = losses.version(v)
    this.options.log('an agent host is of another release', { profile: this.options.profile, reason: loss.reason })
    const lost = [...this.#runs.values()]
    this.#runs.clear()
    this.options.retire(this)
    for (const { run, requests } of lost) {
      requests.close()
      run.lost(loss)
    }
  }

  #follow (batches: readonly ReadBatch[]): void {
    for (const batch of batches) {
      const followed = this.#known(batch)
      if (followed === undefined) continue
      const { run } = followed
      try {
        const taken = run.take(batch)
        if (taken === 'portion') this.#tellStored(run)
        if (taken === 'missed' && !run.isAsked) this.#observe(run)
      } catch (error) {
        this.#giveUp(followed, losses.untaken(String(error)))
      }
      if (run.isOver) this.#end(run)
    }
  }

  /** Asks for everything after the last event received. */
  #observe (run: FollowedRun): void {
    const { runId, generation, received: after } = run
    run.isAsked = true
    this.options.connection.send({ type: 'observe', runId, generation, after })
  }

  /** Tells the host up to where a run is stored, so that the run may continue. Told in portions, for which a slow run never waits. */
  #tellStored ({ runId, received: seq, taken }: FollowedRun): void {
    const { whenStored, connection } = this.options
    const tell = (): void => whenStored(() => { if (!this.#isGone && !this.#isLeaving) connection.send({ type: 'stored', runId, seq }) })
    if (taken === null) tell()
    else void taken.then(tell)
  }

  /** Tells remote hosts what is stored and may be deleted, even while they have no room to send anything. */
  #tellKept (): void {
    if (this.options.connection.letGo !== undefined) for (const { run } of this.#runs.values()) this.#tellStored(run)
  }

  /** Finds out which messages were lost between both sides since the last heartbeat. */
  #reconcile (beat: number, standings: readonly RunStanding[]): void {
    const told = new Map(standings.map((standing) => [standing.runId, standing]))
    for (const followed of [...this.#runs.values()]) {
      const { run, requests } = followed
      const standing = told.get(run.runId)
      // A run that was started after the ping is not in the answer.
      if (standing === undefined || standing.generation !== run.generation) {
        if (run.beat < beat) this.#giveUp(followed, losses.unknown)
        continue
      }
      if (standing.seq > run.received) this.#observe(run)
      else if (standing.seq > 0) this.#tellStored(run)
      requests.reconcile(standing.requests)
    }
    for (const { runId, isOver } of standings) if (!isOver && !this.has(runId)) this.#cancel(runId)
    if (this.#isIdle && this.#idleTimer === null) this.#stopWhenIdle()
  }

  #known ({ runId, generation }: { runId: string, generation: number }): Followed | undefined {
    const followed = this.#runs.get(runId)
    return followed?.run.generation === generation ? followed : undefined
  }

  /** Gives up a run on which the host may still be working. */
  #giveUp (followed: Followed | undefined, loss: Loss): void {
    if (followed === undefined) return
    const { run } = followed
    this.#end(run, loss)
    this.#cancel(run.runId)
  }

  #cancel (runId: string): void {
    this.control({ op: 'cancel', runId }).catch(() => {}) // it is found again with the next heartbeat
  }

  #end (run: FollowedRun, loss?: Loss): void {
    this.#runs.get(run.runId)?.requests.close()
    this.#runs.delete(run.runId)
    if (loss !== undefined) {
      this.options.connection.letGo?.(run.runId)
      run.lost(loss)
    }
    if (this.#runs.size === 0) this.#stopWhenIdle()
  }

  #stopWhenIdle (): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    if (this.#isGone || this.#isLeaving) return
    this.#idleTimer = setTimeout(() => {
      if (!this.#isIdle || this.#questions.isOpen) return this.#stopWhenIdle()
      // New runs get a new host from now on. Events of this one may still have to be asked for again, so it ends only when all are stored.
      this.options.whenStored(() => { this.#isIdle ? this.options.retire(this) : this.#stopWhenIdle() })
    }, this.options.idleStopMs)
    this.#idleTimer.unref()
  }

  #gone (loss: Loss): void {
    if (this.#isGone) return
    this.#isGone = true
    this.#heartbeat.stop()
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer)
    const { gone, log, profile } = this.options
    gone(this)
    if (!this.#isLeaving && this.runs > 0) log('an agent host ended with turns running', { profile, reason: loss.reason, runs: this.runs })
    this.#questions.giveUp()
    for (const { run } of [...this.#runs.values()]) this.#end(run, loss)
  }
}

const generationsOf = (runs: readonly RunName[]): Map<string, number> => new Map(runs.map(({ runId, generation }) => [runId, generation]))
