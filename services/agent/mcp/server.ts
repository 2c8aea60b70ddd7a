import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../ground/errors.js'
import { timeLimit } from '../../ground/time-limit.js'
import { oneLine } from '../tools/wording.js'
import { ToolError } from '../tools/containment.js'
import { type ToolContext, type ToolResult } from '../tools/tool.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { BadEndings } from './bad-endings.js'
import { SignInNeeded } from './bearer.js'
import { resolved, type McpServerConfig, type McpTarget } from './configuration.js'
import { type Connection, type McpPrompt, type McpResource } from './connection.js'
import { type ToolDefinition } from './definitions.js'
import { Use } from './elicitation.js'
import { failureOf, signInWords, type ServerFailure } from './failure.js'
import { type AnswerInput } from './input-rounds.js'
import { ServerLog } from './log.js'
import { PausableLimit } from './pausable-limit.js'
import { progressLine } from './progress.js'
import { ServerQuestions } from './questions.js'
import { ServerListing } from './server-listing.js'
import { openTransport, type OpenedTransport, type ServerSurroundings } from './surroundings.js'
import { type TaskFollowing } from './tasks.js'
import { type ViewPage } from './views.js'

export type McpStatus = 'disabled' | 'idle' | 'starting' | 'ready' | 'needs_sign_in' | 'failed'

export interface ServerOptions {
  config: McpServerConfig
  /** Variables of the profile's `.env`. */
  variables: Readonly<Record<string, string>>
  surroundings: ServerSurroundings
  /** Called when its tools may have changed. */
  changed: () => void
}

/** A failed server is tried again after a growing pause. Calls try it after `callPauseMs` already, unless it was silent. */
const firstPauseMs = 15_000
const longestPauseMs = 10 * 60_000
const callPauseMs = 3_000
/** How long a call waits for a server to start. A slower server may become ready later; a silent one does not delay the call further. */
const usualStartPatienceMs = 10_000
/** How often a server is asked for its tools at most, however often it says that they have changed. */
const listAgainMs = 2_000

/** The caller: how long it waits, and which user and model the server may ask meanwhile. */
type Asking = Pick<ToolContext, 'signal' | 'clarify' | 'sample' | 'warn' | 'output'>
type Calling = Asking & Pick<ToolContext, 'traceparent'>

interface Live { connection: Connection, transport: OpenedTransport }

/** Whether a server, or a proxy before it, failed to answer the question about its protocol version. */
const wasProbe = (error: unknown): boolean => ['ERA_NEGOTIATION_FAILED', 'REQUEST_TIMEOUT'].includes(codeOf(error) ?? '')

/** One server of a profile. It is started when needed and stopped when idle, and its failure affects only its own calls. */
export class McpServer {
  readonly log = new ServerLog()
  /** What it offers, by its latest answer. */
  readonly listing: ServerListing
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
  /** Its current calls, each with a way to ask its user. */
  readonly #uses = new Set<Use>()
  readonly #questions: ServerQuestions
  /** Whether it has turned out not to support a protocol version of 2026 or later. */
  #isLegacy = false
  readonly #badEndings: BadEndings

  constructor (private readonly options: ServerOptions) {
    const { config, surroundings: { profileHome, endedBadly } } = options
    this.listing = new ServerListing({ config, profileHome, changed: options.changed, log: this.log })
    this.#questions = new ServerQuestions({ server: config.name, sampling: config.sampling, log: this.log })
    this.#badEndings = new BadEndings(config, endedBadly)
    this.error = config.problem
  }

  get name (): string { return this.options.config.name }
  get config (): McpServerConfig { return this.options.config }
  get isUsable (): boolean { return this.config.enabled && this.config.target !== null }
  get status (): McpStatus {
    if (!this.config.enabled) return 'disabled'
    if (this.#live !== null) return 'ready'
    if (this.#opening !== null) return 'starting'
    if (this.#needsSignIn) return 'needs_sign_in'
    return this.error === null ? 'idle' : 'failed'
  }

  /** Asks it for its tools, unless it has just failed. Never rejects. */
  async learn (): Promise<void> {
    if (!this.isUsable || this.#live !== null || performance.now() - this.#failedAtMs < this.#pauseMs()) return
    await this.#use(null, null, async () => {}).catch(() => {})
  }

  #pauseMs (): number {
    return this.#failures === 0 ? 0 : Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failures - 1))
  }

  /**
   * Calls a tool. Throws ToolError for a tool that is gone or has changed, and for a server that cannot be reached or does not answer in
   * time.
   */
  async call (
    { tool, fingerprint }: ToolDefinition, args: Record<string, unknown>, { signal, traceparent, ...asking }: Calling
  ): Promise<ToolResult> {
    return await this.#limited(signal, asking, async ({ connection }, within, limit, answer, use) => {
      const present = this.listing.definitions.find((definition) => definition.tool === tool)
      if (present === undefined) throw new ToolError(`The MCP server "${this.name}" does not have this tool any more.`)
      if (present.fingerprint !== fingerprint) {
        throw new ToolError(`The MCP server "${this.name}" describes this tool differently now, so it was not called. Look at its description again, which you get with the next step.`)
      }
      return await connection.call(tool, args, { ...this.#following(within, limit, asking, answer, use), traceparent })
    })
  }

  /** Waits again for a task of an earlier call, and returns its result. Throws ToolError. */
  async task (id: string, { signal, ...asking }: Asking): Promise<ToolResult> {
    return await this.#limited(signal, asking, async ({ connection }, within, limit, answer, use) =>
      await connection.task(id, this.#following(within, limit, asking, answer, use)))
  }

  async stopTask (id: string, signal: AbortSignal): Promise<ToolResult> {
    return await this.#limited(signal, null, async ({ connection }) => await connection.stopTask(id))
  }

  /** How a call's task is followed. One that takes longer than a call may continues as a task of the server. */
  #following (
    signal: AbortSignal, limit: PausableLimit, { output }: Pick<Asking, 'output'>, answer: AnswerInput, use: Use
  ): TaskFollowing {
    return {
      signal,
      answer,
      follows: (id) => { use.task = id },
      patienceMs: this.config.timeoutMs,
      rest: async (ms, news) => {
        const over = new AbortController()
        await limit.during(async () => await Promise.race([sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }), news]))
          .finally(() => over.abort())
      },
      progressed: (progress) => {
        limit.extend()
        output?.(progressLine(progress))
      }
    }
  }

  async resources (signal: AbortSignal): Promise<McpResource[]> {
    return await this.#limited(signal, null, async ({ connection }) => await connection.resources())
  }

  async read (uri: string, { signal, ...asking }: Asking): Promise<ToolResult> {
    return await this.#limited(signal, asking, async ({ connection }, within, _, answer) =>
      await connection.read(uri, within, answer))
  }

  /** Reads the document of a view. Throws ToolError. */
  async page (uri: string, signal: AbortSignal): Promise<ViewPage> {
    return await this.#limited(signal, null, async ({ connection }, within) => await connection.page(uri, within))
  }

  async prompts (): Promise<McpPrompt[]> {
    return await this.#limited(this.#closing.signal, null, async ({ connection }) => await this.listing.listPrompts(connection))
  }

  async prompt (name: string, args: Record<string, string>): Promise<string> {
    return await this.#limited(this.#closing.signal, null, async ({ connection }) => await connection.prompt(name, args))
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
    if (this.config.problem === null) this.error = null
  }

  /** Stops it for good. Resolves when it has ended. */
  async close (): Promise<void> {
    this.#closing.abort(new ToolError('It was stopped.'))
    await this.#opening?.catch(() => {})
    await this.#stop()
  }

  /** Runs work on the server with the time limit of a call, which includes starting the server. */
  async #limited<T> (
    signal: AbortSignal, asking: Omit<Asking, 'signal'> | null,
    work: (live: Live, within: AbortSignal, limit: PausableLimit, answer: AnswerInput, use: Use) => Promise<T>
  ): Promise<T> {
    const { timeoutMs } = this.config
    if (performance.now() - this.#failedAtMs < (this.#wasSilent ? this.#pauseMs() : callPauseMs)) {
      throw this.#trouble(this.error ?? 'it has just failed')
    }
    const limit = new PausableLimit(timeoutMs, signal)
    let used: OpenedTransport | null = null
    let task: () => string | null = () => null
    try {
      return await untilAborted(this.#use(asking, limit, async (live, use) => {
        used = live.transport
        task = () => use.task
        return await work(live, limit.signal, limit, async (asked, within) => await this.#questions.answer(use, asked, within), use)
      }), limit.signal)
    } catch (error) {
      if (signal.aborted) throw error
      if (error instanceof SignInNeeded) await this.#signedOut()
      const left = task()
      const leaves = left === null ? '' : ` It may go on with this as its task ${JSON.stringify(left)}, which mcp_task looks at later.`
      if (limit.isReached) {
        throw new ToolError(
          `The MCP server "${this.name}" did not answer within ${timeoutMs / 1_000} s, and the call was given up. Whether it had an effect is not known.${leaves}`
        )
      }
      throw error instanceof ToolError ? error : this.#trouble(`${this.#reason(error, used)}${leaves}`)
    } finally {
      limit.clear()
    }
  }

  async #use<T> (asking: Omit<Asking, 'signal'> | null, limit: PausableLimit | null, work: (live: Live, use: Use) => Promise<T>): Promise<T> {
    clearTimeout(this.#idle)
    const { clarify = null, sample = null, warn = null, output = null } = asking ?? {}
    const use = new Use(clarify, limit, sample, warn, output)
    this.#uses.add(use)
    try {
      const result = await work(await (limit === null ? this.#opened() : this.#openedSoon()), use)
      use.end('answered')
      return result
    } finally {
      use.end('failed')
      this.#uses.delete(use)
      this.#rest()
    }
  }

  /** Stops it when it has been idle for a while. */
  #rest (): void {
    clearTimeout(this.#idle)
    if (this.#uses.size === 0) this.#idle = setTimeout(() => { void this.#stop() }, this.options.surroundings.idleStopMs).unref()
  }

  async #openedSoon (): Promise<Live> {
    const opening = this.#opened()
    if (this.#live !== null) return this.#live
    opening.catch(() => {}) // a caller that no longer waits sees the failure in the status
    const patienceMs = this.options.surroundings.startPatienceMs ?? usualStartPatienceMs
    const limit = timeLimit(Math.max(0, this.#openingSinceMs + patienceMs - performance.now()))
    try {
      return await untilAborted(opening, limit.signal)
    } catch (error) {
      if (!limit.signal.aborted) throw error
      throw new ToolError(
        `The MCP server "${this.name}" has not started within ${patienceMs / 1_000} s, and is not waited for. It may be there later; go on without it for now.`
      )
    } finally {
      limit.clear()
    }
  }

  #opened (): Promise<Live> {
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
      const target = config.target === null ? config.problem ?? 'It is not set up.' : resolved(config.target, variables)
      if (typeof target === 'string') throw new ToolError(target)
      const live = await this.#connected(target, limit.signal, (opened) => { transport = opened })
      await untilAborted(this.listing.list(live.connection), limit.signal)
      if (live.transport.failure() !== null) throw new Error('it has ended')
      this.#live = live
      this.#failures = 0
      this.#badEndings.clear()
      this.startedAtMs = Date.now()
      this.#rest()
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
        this.log.remark(why)
        if (!this.#needsSignIn) this.#badEndings.add({ reason: why, code, attempts: this.#failures })
      }
      throw this.#trouble(why)
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
    const { config, surroundings } = this.options
    for (;;) {
      const transport = await openTransport(config.name, target, surroundings, this.log)
      begun(transport)
      try {
        const connection = await untilAborted(Connection.open({
          transport: transport.transport,
          timeoutMs: config.connectTimeoutMs,
          signal,
          isLegacy: this.#isLegacy,
          onChanged: () => this.#changed(),
          onClosed: () => this.#lost(transport),
          onError: (error) => this.log.remark(oneLine(error.message, 300)),
          elicit: async (asked) => await this.#questions.elicit(this.#uses, asked),
          completed: (id) => this.#questions.completed(id),
          sample: config.sampling ? async (params, stopped) => await this.#questions.sample(this.#uses, params, stopped) : null
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
      if (this.#live !== null) this.listing.list(this.#live.connection).catch((error: unknown) => this.log.remark(this.#reason(error)))
    }, listAgainMs).unref()
  }

  /** Called when it has ended on its own. */
  #lost (transport: OpenedTransport): void {
    if (this.#live?.transport !== transport) return
    const { why, code } = this.#failure(new Error('it has ended'), transport)
    this.error = why
    this.log.remark(why)
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
  async #signedOut (): Promise<void> {
    this.#needsSignIn = true
    this.error = signInWords
    await this.#stop()
  }

  #failure (error: unknown, transport: OpenedTransport | null): ServerFailure {
    return failureOf(error, { target: this.config.target, limitMs: this.config.connectTimeoutMs, refusal: transport?.failure() ?? null })
  }

  #reason (error: unknown, transport: OpenedTransport | null = null): string {
    return this.#failure(error, transport).why
  }

  #trouble (why: string): ToolError {
    return new ToolError(`The MCP server "${this.name}" cannot be used: ${why}`)
  }
}
