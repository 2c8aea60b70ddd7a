import { randomUUID } from 'node:crypto'
import { Conflict, Unavailable } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
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
  /** How it confines terminal commands; null until it has said so. */
  sandbox: SandboxStatus | null
}

/** Where a profile's host runs: on the machine of that name, or on this one. Undefined is said, so that no machine is forgotten. */
interface Seat { profile: string, machine: string | undefined }

/** A small task, and the model that is to do it. */
interface SmallTaskOf<Name extends SmallTaskName> { task: Name, model: ModelRef, input: SmallTaskInput<Name> }

/** The agent as the rest of the service sees it. */
export interface AgentRuntime {
  /** Hands a turn to the host of its profile, starting the host if need be. */
  start (spec: RunSpec, observer: RunObserver): void
  /** Connects to hosts that have outlived an earlier service. Resolves when their runs are known. */
  connectFound (): Promise<void>
  /** Whether a run has outlived an earlier service. */
  has (run: RunName): boolean
  /** Whether no host has ever received this run: those of earlier services live or have ended in order, and none has it. */
  neverHad (run: RunName): boolean
  /** Keeps these of those runs, to be followed, and ends the others. */
  expect (runs: readonly RunName[]): void
  /** Whether runs on a machine (default: this one) can outlive the service, so that the numbers of their events have to be stored. */
  outlives (machine?: string): boolean
  /** Whether such runs continue when this service stops now, because `keepAtWork` was called. */
  staysAtWork (machine?: string): boolean
  /** From now on, stopping this service leaves those hosts running that can outlive it. */
  keepAtWork (): void
  /** Follows a run that outlived the web tier, from the event after number `after`. */
  follow (spec: RunSpec, after: number, observer: RunObserver): void
  /**
   * Sends a control and waits for its acknowledgement. Throws Conflict (`gateway_run_unavailable`) when the run has no
   * live owner, and RelayFailed when the owner does not answer in time.
   */
  control (profile: string, control: ControlBody & { runId: string }): Promise<RelayedAck>
  /** Sets the handler of one kind of requests by runs. Kinds without a handler are refused. Throws if there is one already. */
  serve<K extends RequestKind> (what: K, handler: RequestHandler<K>): void
  /**
   * Does a small model task outside of turns. Returns null when there is no answer in time, or its machine is away. `used` is called with
   * the usage if an answer came.
   */
  smallTask<Name extends SmallTaskName> (
    seat: Seat, request: SmallTaskOf<Name>, timeoutMs: number, used?: (usage: StepUsage) => void
  ): Promise<SmallTaskResult<Name> | null>
  /**
   * Asks the host of a profile about its MCP servers. Returns its answer or error; null when there is no answer in time, or (with
   * `start: false`) no host.
   */
  mcp<K extends McpQueryKind> (
    profile: string, what: K, body: McpQueryBody<K>, options: { timeoutMs: number, start: boolean }
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null>
  /** Starts the host before its first turn, or finds out what still runs on another machine. Does nothing if it cannot be reached. */
  warm (seat: Seat): void
  health (profile: string): HostHealth
  /** Ends the host of a profile; resolves when it has ended. The next turn starts another one. */
  release (profile: string): Promise<void>
  /** Counts of hosts, runs and unanswered questions, for tests and metrics. */
  size (): { hosts: number, runs: number, waiting: number }
  /** Counts of hosts by state, for metrics. */
  hosts (): { starting: number, ready: number }
  /** Resolves when every host has ended. */
  stop (): Promise<void>
}

export interface RuntimeOptions {
  transport: HostTransport
  log?: Log
  controlTimeoutMs?: number
  heartbeatMs?: number
  idleStopMs?: number
  /** Wraps the handling of a run's request, so that code below can know who asked. Default: no wrapper. */
  answering?: <T>(spec: RunSpec, answer: () => T) => T
  /** Called when tokens of a profile's MCP servers have changed. */
  tokensRenewed?: (profile: string) => void
  /** Called when a host is ready. `runs` have waited for it since `sinceMs`, in epoch milliseconds. */
  started?: (runs: readonly RunSpec[], sinceMs: number) => void
  /** Calls back when everything that observers were given so far is stored. Default: at once. */
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

/** How long a host that gets no new runs waits after its last one, until the turns have settled. */
const finishedMs = 3_000

/** Key of a host. Names of profiles contain no `@`. */
const seat = (profile: string, machine?: string): string => machine === undefined ? profile : `${profile}@${machine}`

/** One host per profile and machine, started when needed and again after it has died. */
class Runtime implements AgentRuntime {
  readonly #options: Required<RuntimeOptions>
  readonly #handlers = new RequestHandlers()
  readonly #hosts = new Map<string, HostLink>()
  #isStopped = false
  #keeps = false
  #haveAllBeenMet = false
  /** Hosts that are ending. */
  readonly #leaving = new Set<Promise<void>>()

  constructor (options: RuntimeOptions) {
    this.#options = { ...defaults, ...options }
  }

  start (spec: RunSpec, observer: RunObserver): void {
    this.#reach(spec, observer)?.start(spec, observer)
  }

  async connectFound (): Promise<void> {
    const { hosts, areAllMet } = await this.#options.transport.findHosts?.() ?? { hosts: [], areAllMet: false }
    this.#haveAllBeenMet = areAllMet
    for (const { profile, connection, runs, fits } of hosts) {
      const key = fits && !this.#hosts.has(profile) ? profile : `${profile}@${randomUUID()}`
      const idleStopMs = key === profile ? this.#options.idleStopMs : finishedMs
      this.#link(key, { profile, connection, has: runs, idleStopMs })
    }
  }

  has (run: RunName): boolean {
    return this.#with(run) !== undefined
  }

  neverHad (run: RunName): boolean {
    return this.#haveAllBeenMet && !this.has(run)
  }

  expect (runs: readonly RunName[]): void {
    for (const host of this.#hosts.values()) host.expect(runs)
  }

  outlives (machine?: string): boolean {
    return machine !== undefined || this.#options.transport.findHosts !== undefined
  }

  staysAtWork (machine?: string): boolean {
    return machine !== undefined || (this.#keeps && this.outlives())
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

  /** Returns the host for a run. If there can be none, tells the observer that the run is lost, and returns null. */
  #reach ({ profile, host: machine }: RunSpec, observer: RunObserver): HostLink | null {
    if (this.#isStopped) {
      observer.lost(losses.stopping)
      return null
    }
    try {
      return this.#hostOf(profile, machine)
    } catch (error) {
      // For example, the profile's home is gone.
      observer.lost(error instanceof Unavailable ? { reason: error.message, message: error.message } : losses.unstarted(String(error)))
      return null
    }
  }

  async control (profile: string, control: ControlBody & { runId: string }): Promise<RelayedAck> {
    const host = [...this.#hosts.values()].find((link) => link.options.profile === profile && link.has(control.runId))
    if (host === undefined) throw new Conflict('The run can no longer be reached', 'gateway_run_unavailable', { ok: false })
    return await host.control(control)
  }

  serve<K extends RequestKind> (what: K, handler: RequestHandler<K>): void {
    this.#handlers.serve(what, (body, asker) => this.#options.answering(asker.spec, () => handler(body, asker)))
  }

  async smallTask<Name extends SmallTaskName> (
    { profile, machine }: Seat, request: SmallTaskOf<Name>, timeoutMs: number, used?: (usage: StepUsage) => void
  ): Promise<SmallTaskResult<Name> | null> {
    // The result has the form of the task that was asked for.
    return await this.#hostOf(profile, machine).smallTask(request, timeoutMs, used) as SmallTaskResult<Name> | null
  }

  async mcp<K extends McpQueryKind> (
    profile: string, what: K, body: McpQueryBody<K>, { timeoutMs, start }: { timeoutMs: number, start: boolean }
  ): Promise<{ answer: McpQueryAnswer<K> } | { error: string } | null> {
    if (this.#isStopped || (!start && !this.#hosts.has(profile))) return null
    return await this.#hostOf(profile).mcp(what, body, timeoutMs)
  }

  warm ({ profile, machine }: Seat): void {
    if (this.#isStopped) return
    try {
      const link = this.#hostOf(profile, machine)
      if (machine !== undefined) link.compare()
    } catch (error) {
      this.#options.log('an agent host could not be started', { profile, machine, reason: String(error) })
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
