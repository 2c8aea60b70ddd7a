import { setTimeout as sleep } from 'node:timers/promises'
import { ToolError } from '../tools/containment.js'
import { type ToolContext, type ToolResult } from '../tools/tool.js'
import { untilAborted } from '../../ground/concurrency/until-aborted.js'
import { SignInNeeded } from './bearer.js'
import { type McpServerConfig } from './configuration.js'
import { type McpPrompt, type McpResource } from './connection.js'
import { type ToolDefinition } from './definitions.js'
import { Use } from './elicitation.js'
import { type AnswerInput } from './input-rounds.js'
import { ServerLog } from './log.js'
import { PausableLimit } from './pausable-limit.js'
import { progressLine } from './progress.js'
import { ServerQuestions } from './questions.js'
import { ServerRoots } from './roots.js'
import { ServerLife, type Live, type McpStatus } from './server-life.js'
import { ServerListing } from './server-listing.js'
import { type OpenedTransport, type ServerSurroundings } from './surroundings.js'
import { type TaskFollowing } from './tasks.js'
import { type ViewPage } from './views.js'

export interface ServerOptions {
  config: McpServerConfig
  /** Variables of the profile's `.env`. */
  variables: Readonly<Record<string, string>>
  surroundings: ServerSurroundings
  /** Called when its tools may have changed. */
  changed: () => void
}

/** The caller: how long it waits, which user and model the server may ask meanwhile, and in which folder it works. */
type Asking = Pick<ToolContext, 'signal' | 'clarify' | 'sample' | 'warn' | 'output'> & Partial<Pick<ToolContext, 'workspace'>>
type Calling = Asking & Pick<ToolContext, 'traceparent'>

/** One server of a profile, and the calls of it. Its failure affects only its own calls. */
export class McpServer {
  readonly log = new ServerLog()
  /** What it offers, by its latest answer. */
  readonly listing: ServerListing
  readonly #life: ServerLife
  /** Its current calls, each with a way to ask its user. */
  readonly #uses = new Set<Use>()
  readonly #questions: ServerQuestions
  readonly #roots: ServerRoots

  constructor (private readonly options: ServerOptions) {
    const { config, variables, surroundings } = options
    const { profileHome } = surroundings
    this.listing = new ServerListing({ config, profileHome, changed: options.changed, log: this.log })
    const roots = this.#roots = new ServerRoots(config.target)
    this.#questions = new ServerQuestions({ server: config.name, sampling: config.sampling, roots, log: this.log })
    this.#life = new ServerLife({
      config,
      variables,
      surroundings,
      log: this.log,
      listing: this.listing,
      answers: {
        elicit: async (asked) => await this.#questions.elicit(this.#uses, asked),
        completed: (id) => this.#questions.completed(id),
        sample: config.sampling ? async (params, stopped) => await this.#questions.sample(this.#uses, params, stopped) : null,
        roots: roots.areTold ? () => roots.answer() : null
      },
      isUnused: () => this.#uses.size === 0
    })
  }

  get name (): string { return this.options.config.name }
  get config (): McpServerConfig { return this.options.config }
  get isUsable (): boolean { return this.config.enabled && this.config.target !== null }
  get status (): McpStatus { return this.#life.status }
  get error (): string | null { return this.#life.error }
  get startedAtMs (): number | null { return this.#life.startedAtMs }

  /** Asks it for its tools, unless it has just failed. Never rejects. */
  async learn (): Promise<void> {
    if (!this.isUsable || this.#life.isRunning || this.#life.isPausing) return
    await this.#use(null, null, async () => {}).catch(() => {})
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
    return await this.#limited(this.#life.closing, null, async ({ connection }) => await this.listing.listPrompts(connection))
  }

  async prompt (name: string, args: Record<string, string>): Promise<string> {
    return await this.#limited(this.#life.closing, null, async ({ connection }) => await connection.prompt(name, args))
  }

  /** Stops it, even during a call; the next use starts it again. */
  async restart (): Promise<void> {
    await this.#life.restart()
  }

  /** Stops it for good. Resolves when it has ended. */
  async close (): Promise<void> {
    await this.#life.close()
  }

  /** Runs work on the server with the time limit of a call, which includes starting the server. */
  async #limited<T> (
    signal: AbortSignal, asking: Omit<Asking, 'signal'> | null,
    work: (live: Live, within: AbortSignal, limit: PausableLimit, answer: AnswerInput, use: Use) => Promise<T>
  ): Promise<T> {
    const { timeoutMs } = this.config
    if (this.#life.refusesCalls) throw this.#life.trouble(this.error ?? 'it has just failed')
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
      if (error instanceof SignInNeeded) await this.#life.signedOut()
      const left = task()
      const leaves = left === null ? '' : ` It may go on with this as its task ${JSON.stringify(left)}, which mcp_task looks at later.`
      if (limit.isReached) {
        throw new ToolError(
          `The MCP server "${this.name}" did not answer within ${timeoutMs / 1_000} s, and the call was given up. Whether it had an effect is not known.${leaves}`
        )
      }
      throw error instanceof ToolError ? error : this.#life.trouble(`${this.#life.reason(error, used)}${leaves}`)
    } finally {
      limit.clear()
    }
  }

  async #use<T> (asking: Omit<Asking, 'signal'> | null, limit: PausableLimit | null, work: (live: Live, use: Use) => Promise<T>): Promise<T> {
    this.#life.stay()
    const { clarify = null, sample = null, warn = null, output = null, workspace = null } = asking ?? {}
    const use = new Use(clarify, limit, sample, warn, output, workspace)
    this.#uses.add(use)
    this.#roots.follow(this.#uses)
    try {
      const live = await (limit === null ? this.#life.opened() : this.#life.openedSoon())
      await live.connection.tellRoots()
      const result = await work(live, use)
      use.end('answered')
      return result
    } finally {
      use.end('failed')
      this.#uses.delete(use)
      this.#life.rest()
    }
  }
}
