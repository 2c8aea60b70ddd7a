import { randomUUID } from 'node:crypto'
import { Conflict, Unavailable } from '../../ground/errors.js'
import { type SmallTaskInput, type SmallTaskName, type SmallTaskResult } from '../small-tasks/tasks.js'
import { type ControlBody, type ModelRef, type RunName, type RunSpec, type StepUsage } from '../protocol.js'
import { type McpQueryAnswer, type McpQueryBody, type McpQueryKind } from '../mcp/queries.js'
import { type RequestKind } from '../requests.js'
import { type SandboxStatus } from '../sandbox/index.js'
import { type HostTransport } from './connection.js'
import { type RunObserver } from './followed-run.js'
import { HostLink, type HostLinkOptions } from './host-link.js'
import { type RelayedAck } from './host-questions.js'
import { losses } from './losses.js'
import { RequestHandlers, type RequestHandler } from './served-requests.js'

interface HostHealth {
  running: boolean
  pid: number | null
  sinceMs: number | null
  runs: number
  /** How it confines terminal commands; null until it has told. */
  sandbox: SandboxStatus | null
}

/** Where a host of a profile sits: on the machine of that name, or without one on this. */
interface Seat { profile: string, host?: string }

/** A small task, and the model that is to do it. */
interface SmallTaskOf<Name extends SmallTaskName> { task: Name, model: ModelRef, input: SmallTaskInput<Name> }

/** What the rest of the service knows of the agent. */
export interface AgentRuntime {
  /** Hands a turn to the host of its profile, starting the host if need be. */
  start (spec: RunSpec, observer: RunObserver): void
  /** Takes up the hosts that have outlived a service before this one. Resolves when it is known which runs they have. */
  takeUp (): Promise<void>
  /** Whether a run has outlived a service before this one. */
  has (run: RunName): boolean
  /** Of those runs, these are to be followed; the others are ended. */
  expect (runs: readonly RunName[]): void
  /** Whether a run, on the machine of that name or on this, outlives the service: then its numbers are to be kept. */
  outlives (host?: string): boolean
  /** Whether it goes on when this service stops now, as it was asked to. */
  staysAtWork (host?: string): boolean
  /** From now on a stop of this service is none of its hosts that can go on without it. */
  keepAtWork (): void
  /** Goes on with a run that outlived the web tier, behind its event of the number `after`. */
  follow (spec: RunSpec, after: number, observer: RunObserver): void
  /**
   * Sends a control and waits for its acknowledgement. Throws Conflict (`gateway_run_unavailable`) when the run has no
   * live owner, and RelayFailed when the owner does not answer in time.
   */
  control (profile: string, control: ControlBody & { runId: string }): Promise<RelayedAck>
  /** Answers what runs ask for, one kind of it; a kind that nobody serves is refused. Throws when it is served already. */
  serve<K extends RequestKind> (what: K, handler: RequestHandler<K>): void
  /**
   * A small model task beside the turns; null when there is no answer in time, or its machine is away. `used` is called
   * with what it has used, where an answer came.
   */
  smallTask<Name extends SmallTaskName> (
    seat: Seat, request: SmallTaskOf<Name>, timeoutMs: number, used?: (usage: StepUsage) => void
  ): Promise<SmallTaskResult<Name> | null>
  /**
   * What the host of a profile says of its MCP servers, or why it does not; null when there is no answer in time, or
   * (`start: false`) no host.
   */
  mcp<K extends McpQueryKind> (
    profile: string, what: K, body: McpQueryBody<K>, options: { timeoutMs: number, start: boolean }
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null>
  /** Starts the host ahead of its first turn, or finds out what still runs on another machine. A seat that cannot be reached is left. */
  warm (seat: Seat): void
  health (profile: string): HostHealth
  /** Ends the host of a profile; resolves when it has ended. The next turn starts another one. */
  release (profile: string): Promise<void>
  /** What it holds, for tests and metrics. */
  size (): { hosts: number, runs: number, waiting: number }
  /** How many hosts there are in each state, for metrics. */
  hosts (): { starting: number, ready: number }
  /** Resolves when every host has ended. */
  stop (): Promise<void>
}

export interface RuntimeOptions {
  transport: HostTransport
  log?: (message: string, details: Record<string, unknown>) => void
  controlTimeoutMs?: number
  heartbeatMs?: number
  idleStopMs?: number
  /** Runs what answers a request of a run, for whoever wants to know by whom it is asked for. Default: as it is. */
  answering?: <T>(spec: RunSpec, answer: () => T) => T
  /** Tokens of a profile's MCP servers are others than before. */
  tokensRenewed?: (profile: string) => void
  /** A host was ready that these runs had waited for since a moment, in epoch milliseconds. */
  started?: (runs: readonly RunSpec[], sinceMs: number) => void
  /** Calls back when everything that observers were handed so far is stored. Default: at once. */
  whenStored?: (callback: () => void) => void
}

const defaults = {
  log: () => {},
  answering: <T>(_spec: RunSpec, answer: () => T) => answer(),
  tokensRenewed: () => {},
  started: () => {},
  controlTimeoutMs: 10_000,
  heartbeatMs: 5_000,
  idleStopMs: 30 * 60_000,
  whenStored: (callback: () => void) => callback()
}

/** A host that gets no new runs ends when those that it has are over and their turns have come to rest. */
const finishedMs = 3_000

/** No profile's name holds the sign. */
const seat = (profile: string, machine?: string): string => machine === undefined ? profile : `${profile}@${machine}`

/** One host per profile and machine, started when needed and again after it has died. */
class Runtime implements AgentRuntime {
  readonly #options: Required<RuntimeOptions>
  readonly #handlers = new RequestHandlers()
  readonly #hosts = new Map<string, HostLink>()
  #isStopped = false
  #keeps = false
  /** Hosts on their way out. */
  readonly #leaving = new Set<Promise<void>>()

  constructor (options: RuntimeOptions) {
    this.#options = { ...defaults, ...options }
  }

  start (spec: RunSpec, observer: RunObserver): void {
    this.#reach(spec, observer)?.start(spec, observer)
  }

  async takeUp (): Promise<void> {
    for (const { profile, connection, runs, fits } of await this.#options.transport.takeUp?.() ?? []) {
      const key = fits && !this.#hosts.has(profile) ? profile : `${profile}@${randomUUID()}`
      const idleStopMs = key === profile ? this.#options.idleStopMs : finishedMs
      this.#link(key, { profile, connection, has: runs, idleStopMs })
    }
  }

  has (run: RunName): boolean {
    return this.#with(run) !== undefined
  }

  expect (runs: readonly RunName[]): void {
    for (const host of this.#hosts.values()) host.expect(runs)
  }

  outlives (host?: string): boolean {
    return host !== undefined || this.#options.transport.takeUp !== undefined
  }

  staysAtWork (host?: string): boolean {
    return host !== undefined || (this.#keeps && this.outlives())
  }

  keepAtWork (): void {
    this.#keeps = true
  }

  follow (spec: RunSpec, after: number, observer: RunObserver): void {
    (this.#with(spec) ?? this.#reach(spec, observer))?.follow(spec, after, observer)
  }

  #with (run: RunName): HostLink | undefined {
    return [...this.#hosts.values()].find((link) => link.hasRun(run))
  }

  /** The host of a run, which is lost where there is none. */
  #reach ({ profile, host }: RunSpec, observer: RunObserver): HostLink | null {
    if (this.#isStopped) {
      observer.lost(losses.stopping)
      return null
    }
    try {
      return this.#hostOf(profile, host)
    } catch (error) {
      // Its home is gone, for one.
      observer.lost(error instanceof Unavailable ? { reason: error.message, message: error.message } : losses.unstarted(String(error)))
      return null
    }
  }

  async control (profile: string, control: ControlBody & { runId: string }): Promise<RelayedAck> {
    const host = [...this.#hosts.values()].find((link) => link.options.profile === profile && link.has(control.runId))
    if (host === undefined) throw new Conflict('The run is not reachable any more', 'gateway_run_unavailable', { ok: false })
    return await host.control(control)
  }

  serve<K extends RequestKind> (what: K, handler: RequestHandler<K>): void {
    this.#handlers.serve(what, (body, asker) => this.#options.answering(asker.spec, () => handler(body, asker)))
  }

  async smallTask<Name extends SmallTaskName> (
    { profile, host }: Seat, request: SmallTaskOf<Name>, timeoutMs: number, used?: (usage: StepUsage) => void
  ): Promise<SmallTaskResult<Name> | null> {
    // The host does the task that it was asked for.
    return await this.#hostOf(profile, host).smallTask(request, timeoutMs, used) as SmallTaskResult<Name> | null
  }

  async mcp<K extends McpQueryKind> (
    profile: string, what: K, body: McpQueryBody<K>, { timeoutMs, start }: { timeoutMs: number, start: boolean }
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null> {
    if (this.#isStopped || (!start && !this.#hosts.has(profile))) return null
    return await this.#hostOf(profile).mcp(what, body, timeoutMs)
  }

  warm ({ profile, host }: Seat): void {
    if (this.#isStopped) return
    try {
      const link = this.#hostOf(profile, host)
      if (host !== undefined) link.compare()
    } catch (error) {
      this.#options.log('an agent host could not be started', { profile, host, reason: String(error) })
    }
  }

  health (profile: string): HostHealth {
    const host = this.#hosts.get(profile)
    if (host === undefined) return { running: false, pid: null, sinceMs: null, runs: 0, sandbox: null }
    const { isReady: running, pid, sinceMs, runs, sandbox } = host
    return { running, pid, sinceMs, runs, sandbox }
  }

  async release (profile: string): Promise<void> {
    const links = [...this.#hosts].filter(([, { options }]) => options.profile === profile)
    for (const [key] of links) this.#hosts.delete(key)
    await Promise.all(links.map(async ([, host]) => await this.#leave(host)))
  }

  size (): { hosts: number, runs: number, waiting: number } {
    const hosts = [...this.#hosts.values()]
    const sum = (of: (host: HostLink) => number): number => hosts.reduce((total, host) => total + of(host), 0)
    return { hosts: hosts.length, runs: sum(({ runs }) => runs), waiting: sum(({ waiting }) => waiting) }
  }

  hosts (): { starting: number, ready: number } {
    const ready = [...this.#hosts.values()].filter(({ isReady }) => isReady).length
    return { starting: this.#hosts.size - ready, ready }
  }

  async stop (): Promise<void> {
    this.#isStopped = true
    for (const host of this.#hosts.values()) void this.#leave(host)
    await Promise.all(this.#leaving)
    await this.#options.transport.close?.()
  }

  #hostOf (profile: string, machine?: string): HostLink {
    const key = seat(profile, machine)
    const known = this.#hosts.get(key)
    if (known !== undefined) return known
    return this.#link(key, { profile, connection: this.#options.transport(profile, machine) })
  }

  #link (key: string, own: Pick<HostLinkOptions, 'profile' | 'connection' | 'has'> & { idleStopMs?: number }): HostLink {
    const { transport, tokensRenewed, ...options } = this.#options
    const forget = (link: HostLink): void => { if (this.#hosts.get(key) === link) this.#hosts.delete(key) }
    const host = new HostLink({
      ...options,
      ...own,
      tokensRenewed: () => tokensRenewed(own.profile),
      handlers: this.#handlers,
      gone: forget,
      retire: (link) => {
        forget(link)
        void this.#leave(link)
      }
    })
    this.#hosts.set(key, host)
    return host
  }

  #leave (host: HostLink): Promise<void> {
    const left = host.leave({ keeps: this.#isStopped && this.#keeps }).finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
    return left
  }
}

export const createAgentRuntime = (options: RuntimeOptions): AgentRuntime => new Runtime(options)
