import { codeOf } from '../../ground/errors.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { ToolError } from '../tools/containment.js'
import { oneLine } from '../tools/wording.js'
import { BadEndings } from './bad-endings.js'
import { SignInNeeded } from './bearer.js'
import { resolvedTarget, type McpServerConfig, type McpTarget } from './configuration.js'
import { type Connection, type ConnectionOptions } from './connection.js'
import { failureOf, signInWords, type ServerFailure } from './failure.js'
import { type ServerLog } from './log.js'
import { type ServerListing } from './server-listing.js'
import { openTransport, type OpenedTransport, type ServerSurroundings } from './surroundings.js'

export type McpStatus = 'disabled' | 'idle' | 'starting' | 'ready' | 'needs_sign_in' | 'failed'

/** A failed server is tried again after a growing pause. Calls try it after `callPauseMs` already, unless it was silent. */
const firstPauseMs = 15_000
const longestPauseMs = 10 * 60_000
const callPauseMs = 3_000
/** How long a call waits for a server to start. A slower server may become ready later; a silent one does not delay the call further. */
const usualStartPatienceMs = 10_000
/** How often a server is asked for its tools at most, however often it says that they have changed. */
const listAgainMs = 2_000

/** A server that runs. */
export interface Live { connection: Connection, transport: OpenedTransport }

export interface ServerLifeOptions {
  config: McpServerConfig
  /** Variables of the profile's `.env`. */
  variables: Readonly<Record<string, string>>
  surroundings: ServerSurroundings
  log: ServerLog
  listing: ServerListing
  /** Answers to what the server asks on its own. */
  answers: Pick<ConnectionOptions, 'elicit' | 'completed' | 'sample' | 'roots'>
  /** Whether nothing uses it, so that it may be stopped after a while. */
  isUnused: () => boolean
}

/** Whether a server, or a proxy before it, failed to answer the question about its protocol version. */
const wasProbe = (error: unknown): boolean => ['ERA_NEGOTIATION_FAILED', 'REQUEST_TIMEOUT'].includes(codeOf(error) ?? '')

/** The life of a server: it is started when it is needed, tried again after it has failed, and stopped when it is idle. */
export class ServerLife {
  startedAtMs: number | null = null
  error: string | null
  #live: Live | null = null
  #opening: Promise<Live> | null = null
  #attempt = new AbortController()
  readonly #closing = new AbortController()
  #idle: NodeJS.Timeout | undefined
  #listAgain: NodeJS.Timeout | undefined
  #needsSignIn = false
  #failures = 0
  #failedAtMs = -Infinity
  /** Whether it stayed silent when it was started last: calls then fail at once instead of waiting for it again. */
  #wasSilent = false
  #openingSinceMs = 0
  /** Whether it has turned out not to support a protocol version of 2026 or later. */
  #isLegacy = false
  readonly #badEndings: BadEndings

  constructor (private readonly options: ServerLifeOptions) {
    const { config, surroundings: { endedBadly } } = options
    this.#badEndings = new BadEndings(config, endedBadly)
    this.error = config.problem
  }

  get status (): McpStatus {
    if (!this.options.config.enabled) return 'disabled'
    if (this.#live !== null) return 'ready'
    if (this.#opening !== null) return 'starting'
    if (this.#needsSignIn) return 'needs_sign_in'
    return this.error === null ? 'idle' : 'failed'
  }

  get isRunning (): boolean { return this.#live !== null }
  /** Aborted when it is stopped for good. */
  get closing (): AbortSignal { return this.#closing.signal }
  /** Whether it has failed so recently that it is not tried again without a call. */
  get isPausing (): boolean { return performance.now() - this.#failedAtMs < this.#pauseMs() }
  /** Whether it has failed so recently that a call does not try it again either. */
  get refusesCalls (): boolean { return performance.now() - this.#failedAtMs < (this.#wasSilent ? this.#pauseMs() : callPauseMs) }

  #pauseMs (): number {
    return this.#failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1))
  }

  /** Stops it, even during a call; the next use starts it again. */
  async restart (): Promise<void> {
    this.#attempt.abort(new ToolError('It was stopped.'))
    await this.#opening?.catch(() => {})
    await this.#stop()
    this.#failures = 0
    this.#isLegacy = false
    this.#failedAtMs = -Infinity
    this.#needsSignIn = false
    this.#badEndings.clear()
    if (this.options.config.problem === null) this.error = null
  }

  /** Stops it for good. Resolves when it has ended. */
  async close (): Promise<void> {
    this.#closing.abort(new ToolError('It was stopped.'))
    await this.#opening?.catch(() => {})
    await this.#stop()
  }

  /** Called when it is used: it is not stopped meanwhile. */
  stay (): void {
    clearTimeout(this.#idle)
  }

  /** Stops it when it has been idle for a while. */
  rest (): void {
    clearTimeout(this.#idle)
    if (this.options.isUnused()) this.#idle = setTimeout(() => { void this.#stop() }, this.options.surroundings.idleStopMs).unref()
  }

  /** Starts it if it does not run, but does not wait for long. Throws ToolError. */
  async openedSoon (): Promise<Live> {
    const opening = this.opened()
    if (this.#live !== null) return this.#live
    opening.catch(() => {}) // a caller that no longer waits sees the failure in the status
    const patienceMs = this.options.surroundings.startPatienceMs ?? usualStartPatienceMs
    const limit = timeLimit(Math.max(0, this.#openingSinceMs + patienceMs - performance.now()))
    try {
      return await untilAborted(opening, limit.signal)
    } catch (error) {
      if (!limit.signal.aborted) throw error
      throw new ToolError(
        `The MCP server "${this.options.config.name}" has not started within ${patienceMs / 1_000} s, and is not waited for. It may be there later; go on without it for now.`
      )
    } finally {
      limit.clear()
    }
  }

  /** Starts it if it does not run. Throws ToolError. */
  opened (): Promise<Live> {
    if (this.#live !== null) return Promise.resolve(this.#live)
    this.#opening ??= this.#open().finally(() => { this.#opening = null })
    return this.#opening
  }

  async #open (): Promise<Live> {
    this.error = null
    this.#needsSignIn = false
    this.#openingSinceMs = performance.now()
    const { config, variables } = this.options
    let transport: OpenedTransport | null = null as OpenedTransport | null
    this.#attempt = new AbortController()
    const limit = timeLimit(config.connectTimeoutMs, [this.#attempt.signal, this.#closing.signal])
    try {
      if (this.#closing.signal.aborted) throw this.#closing.signal.reason
      const target = config.target === null ? config.problem ?? 'It is not set up.' : resolvedTarget(config.target, variables)
      if (typeof target === 'string') throw new ToolError(target)
      const live = await this.#connected(target, limit.signal, (opened) => { transport = opened })
      await untilAborted(this.options.listing.list(live.connection), limit.signal)
      if (live.transport.failure() !== null) throw new Error('it has ended')
      this.#live = live
      this.#failures = 0
      this.#badEndings.clear()
      this.startedAtMs = Date.now()
      this.rest()
      return live
    } catch (error) {
      const { why, code } = this.#failure(error, transport)
      await transport?.close()
      if (!this.#closing.signal.aborted && !this.#attempt.signal.aborted) {
        this.#failures++
        this.#failedAtMs = performance.now()
        this.error = why
        this.#needsSignIn = error instanceof SignInNeeded
        this.#wasSilent = limit.signal.aborted
        this.options.log.remark(why)
        if (!this.#needsSignIn) this.#badEndings.add({ reason: why, code, attempts: this.#failures })
      }
      throw this.trouble(why)
    } finally {
      limit.clear()
    }
  }

  /**
   * Opens the connection. A server that fails at the question about its version is started again with the older handshake.
   *
   * @param begun called with each transport, which the caller closes if this fails
   */
  async #connected (target: McpTarget, signal: AbortSignal, begun: (transport: OpenedTransport) => void): Promise<Live> {
    // Loaded on demand: the schemas of the protocol take longer to load than anything else of the service.
    const { Connection } = await import('./connection.js')
    const { config, surroundings, answers, log } = this.options
    for (;;) {
      const transport = await openTransport(config.name, target, surroundings, log)
      begun(transport)
      try {
        const connection = await untilAborted(Connection.open({
          transport: transport.transport,
          timeoutMs: config.connectTimeoutMs,
          signal,
          isLegacy: this.#isLegacy,
          onChanged: () => this.#changed(),
          onClosed: () => this.#lost(transport),
          onError: (error) => log.remark(oneLine(error.message, 300)),
          ...answers
        }), signal)
        this.#isLegacy = !connection.isModern
        return { connection, transport }
      } catch (error) {
        if (this.#isLegacy || signal.aborted || !wasProbe(error)) throw error
        await transport.close()
        this.#isLegacy = true
      }
    }
  }

  #changed (): void {
    if (this.#listAgain !== undefined) return
    this.#listAgain = setTimeout(() => {
      this.#listAgain = undefined
      const { listing, log } = this.options
      if (this.#live !== null) listing.list(this.#live.connection).catch((error: unknown) => log.remark(this.reason(error)))
    }, listAgainMs).unref()
  }

  /** Called when it has ended on its own. */
  #lost (transport: OpenedTransport): void {
    if (this.#live?.transport !== transport) return
    const { why, code } = this.#failure(new Error('it has ended'), transport)
    this.error = why
    this.options.log.remark(why)
    this.#badEndings.add({ reason: why, code, attempts: 1 })
    void this.#stop()
  }

  async #stop (): Promise<void> {
    clearTimeout(this.#idle)
    clearTimeout(this.#listAgain)
    this.#listAgain = undefined
    const live = this.#live
    this.#live = null
    this.startedAtMs = null
    if (live === null) return
    // The program is ended first, because one that does not react would delay closing the connection.
    await live.transport.close()
    await live.connection.close()
  }

  /** Called when its tokens have expired during its work. */
  async signedOut (): Promise<void> {
    this.#needsSignIn = true
    this.error = signInWords
    await this.#stop()
  }

  #failure (error: unknown, transport: OpenedTransport | null): ServerFailure {
    const { target, connectTimeoutMs } = this.options.config
    return failureOf(error, { target, limitMs: connectTimeoutMs, refusal: transport?.failure() ?? null })
  }

  /** Returns why a call has failed, for people and models. */
  reason (error: unknown, transport: OpenedTransport | null = null): string {
    return this.#failure(error, transport).why
  }

  trouble (why: string): ToolError {
    return new ToolError(`The MCP server "${this.options.config.name}" cannot be used: ${why}`)
  }
}
