import { type Reason } from '../../../reasons/index.js'
import { client, RequestError, type ClientContext } from '@agentclientprotocol/sdk'
import { isAbsolute } from 'node:path'
import { fieldsOf } from '../../ground/fields.js'
import { redact } from '../../ground/redaction/index.js'
import { timeLimit } from '../../ground/time/time-limit.js'
import { visibleProse } from '../../ground/text/visible.js'
import { agentPresets, limitWords, onPath, saysUsedUp, type ConfiguredAgent } from '../../providers/index.js'
import { type Dialect } from './dialect.js'
import { agentFailure, type AgentFailure } from './failure.js'
import { type Prepared } from './isolation.js'
import { AgentPipe } from './pipe.js'
import { shownName } from './shown-names.js'
import { dialectOf, hello, refusesVersion } from './versions.js'
import { list, text } from './wire.js'

export interface ProcessSurroundings {
  cwd: string
  /** The whole environment of the agent, its own variables included. */
  env: Readonly<Record<string, string>>
  mark: string | undefined
  /** Aborts the start, which then fails as if the agent had ended. */
  signal: AbortSignal
  helloMs?: number | undefined
  /** How it is started in a sandbox. */
  prepare?: ((file: string) => Promise<Prepared>) | undefined
}

/** Handles what an agent sends in one of its sessions. Errors are sent to the agent; the message of a RequestError is included. */
export interface SessionHandlers {
  /** Whether a prompt is not answered yet. */
  readonly isBusy: boolean
  update (update: unknown): void
  request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  /** Called when the sandbox has refused a connection to a place; `said` returns the text for a person. */
  refused (place: string, said: () => Reason): void
}

const initializeMs = 20_000
/** How many requests of an agent may be open at once. An agent that sends more does not wait for answers. */
const mostAtOnce = 512
const authRequired = -32_000
const notFound = -32_002

/** One running agent and its connection. Sessions are told apart by the agent's own ids. */
export class AgentProcess {
  readonly sessions = new Map<string, SessionHandlers>()
  /** The version of the protocol that it uses; null before `initialize` is answered. */
  #dialect: Dialect | null = null
  #serving = 0

  private constructor (
    readonly agent: ConfiguredAgent, readonly pipe: AgentPipe, private readonly context: ClientContext,
    /** Variables by which programs find their way out of its sandbox. */
    readonly proxyVariables: Readonly<Record<string, string>>, private readonly path: string | undefined
  ) {}

  /** Starts it and initialises the connection. Throws AgentFailure. */
  static async start (
    agent: ConfiguredAgent, { cwd, env, mark, signal, helloMs = initializeMs, prepare }: ProcessSurroundings
  ): Promise<AgentProcess> {
    const [program = '', ...args] = agent.command
    // The service looks the program up itself: a relative folder in PATH would mean a different place for each program.
    const file = onPath(program, env['PATH']) ?? program
    if (!isAbsolute(file)) throw agentFailure('error', notStarted(agent, Object.assign(new Error('not found'), { code: 'ENOENT' })))
    let process: AgentProcess | null = null
    const line: Omit<Prepared, 'release'> & Partial<Prepared> = await prepare?.(file) ?? { file, args, cwd }
    const { proxyVariables = {}, ...starting } = line
    const pipe = await AgentPipe.start({
      env,
      ...starting,
      mark,
      // Handled before the library sees it, so that updates keep their order and precede the answer that follows them.
      onMessage: (message) =>
        message['method'] === 'session/update' && message['id'] === undefined && process?.update(message['params']) !== undefined
    }).catch((error: NodeJS.ErrnoException) => { throw agentFailure('error', notStarted(agent, error)) })
    const connection = client({ name: 'service' })
    for (const method of served) {
      connection.onRequest(method, fieldsOf, async ({ params, signal }) =>
        await started.serve(method, params, signal))
    }
    const started = new AgentProcess(agent, pipe, connection.connect(pipe.stream).agent, proxyVariables, env['PATH'])
    process = started
    const giveUp = (): void => { void pipe.close('nobody waits for it any more') }
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    try {
      await started.#initialize(agent.startMs ?? helloMs)
      return started
    } catch (error) {
      await pipe.close()
      throw error
    } finally {
      signal.removeEventListener('abort', giveUp)
    }
  }

  get isClosed (): boolean { return this.pipe.isClosed }

  /** What it said about itself when it was started. */
  get initialized (): Readonly<Record<string, unknown>> { return this.#dialect?.initialized ?? {} }

  /** Sends a request. Throws AgentFailure, including when the agent ends meanwhile, and after `limitMs`. */
  async request (method: string, params: unknown, limitMs?: number): Promise<Readonly<Record<string, unknown>>> {
    return await this.#answer(this.#dialect?.request(method, params) ?? this.#send(method, params), limitMs)
  }

  async #answer (answer: Promise<unknown>, limitMs?: number): Promise<Readonly<Record<string, unknown>>> {
    const { agent, pipe } = this
    const limit = limitMs === undefined ? null : timeLimit(limitMs)
    const late = new Promise<never>((_resolve, reject) => {
      limit?.signal.addEventListener('abort', () => reject(agentFailure(
        'no_response', `${agent.displayName} did not answer in time.`, 'Check that its program works, and send the message again.'
      )), { once: true })
    })
    try {
      return fieldsOf(await Promise.race([late, answer]))
    } catch (error) {
      if (pipe.isClosed) {
        await pipe.closed
        throw agentFailure(
          'interrupted', `${agent.displayName} has ended: ${pipe.ending}.`,
          'What it had written so far is kept. It is started again with the next message.'
        )
      }
      throw error instanceof RequestError ? this.#refused(error) : error
    } finally {
      limit?.clear()
    }
  }

  notify (method: string, params: unknown): void {
    void this.context.notify(method, params).catch(() => {}) // the end of the agent is reported elsewhere
  }

  async close (why?: string): Promise<void> {
    await this.pipe.close(why)
  }

  /** Passes on an update. Updates of unknown sessions are ignored. */
  update (params: unknown): true {
    try {
      for (const said of this.#dialect?.updates(params) ?? []) this.#tell(fieldsOf(said))
    } catch (error) {
      // One odd update must not end the host, with all that runs in it.
      console.error('An update of an agent was left out:', error instanceof Error ? error.message : 'unknown error')
    }
    return true
  }

  /** Reports a refused connection to all of its sessions. */
  refused (place: string, said: () => Reason): void {
    for (const session of this.sessions.values()) session.refused(place, said)
  }

  async serve (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    const session = this.sessions.get(text(params['sessionId']) ?? '')
    if (session === undefined) throw RequestError.invalidParams(undefined, 'There is no turn in this session now')
    if (this.#serving >= mostAtOnce) {
      throw RequestError.invalidRequest(undefined, `There are ${mostAtOnce} requests open already; wait for answers`)
    }
    this.#serving++
    try {
      return await this.#dialect?.serve(method, params, async (meant) => await session.request(method, meant, signal))
    } finally {
      this.#serving--
    }
  }

  async #send (method: string, params: unknown): Promise<unknown> {
    return await this.context.request<unknown>(method, params)
  }

  #tell ({ sessionId, update }: Readonly<Record<string, unknown>>): void {
    this.sessions.get(text(sessionId) ?? '')?.update(update)
  }

  async #initialize (limitMs: number): Promise<void> {
    const { agent, pipe, path } = this
    const answer = await this.#greet(agent.protocol ?? 2, limitMs)
    this.#dialect = dialectOf(answer, {
      send: async (method, params) => await this.#send(method, params), tell: (params) => this.#tell(params), closed: pipe.closed, path
    })
    if (this.#dialect === null) {
      throw agentFailure('error', `${agent.displayName} speaks version ${shownName(String(answer['protocolVersion']).slice(0, 20))} of the Agent Client Protocol, and this service versions 1 and 2. Install another version of it.`)
    }
  }

  /** Initialises the connection. An agent that rejects a version that is newer than its own is asked again for version 1. */
  async #greet (newest: 1 | 2, limitMs: number): Promise<Readonly<Record<string, unknown>>> {
    const ask = async (version: 1 | 2): Promise<unknown> => {
      try {
        return await this.#send('initialize', hello(version))
      } catch (error) {
        if (version === 1 || this.pipe.isClosed || !refusesVersion(error)) throw error
        return await ask(1)
      }
    }
    return await this.#answer(ask(newest), limitMs)
  }

  /** Signs in without a person, if the environment has the key for that. Resolves with false if there is no such way. */
  async authenticate (env: Readonly<Record<string, string>>): Promise<boolean> {
    const { preset } = this.agent
    const offered = new Set(list(this.initialized['authMethods']).map((method) => text(fieldsOf(method)['id'])))
    const ways = Object.entries(preset === null ? {} : agentPresets[preset].authenticate)
    const way = ways.find(([variable, method]) => (env[variable] ?? '') !== '' && offered.has(method))
    if (way === undefined) return false
    await this.request('authenticate', { methodId: way[1] }, initializeMs)
    return true
  }

  #refused ({ code, message, data }: RequestError): AgentFailure {
    const { displayName, preset } = this.agent
    if (code === authRequired) {
      const ways = list(this.initialized['authMethods']).map((method) => text(fieldsOf(method)['name']) ?? '').filter(Boolean).slice(0, 5)
      const how = preset === null
        ? 'Sign in with its own program as the user that the service runs as, or give it a key in its env in config.yaml.'
        : `To sign in, ${agentPresets[preset].signIn}.`
      return agentFailure(
        'auth_mismatch',
        `${displayName} wants somebody to sign in first${ways.length === 0 ? '' : ` (${visibleProse(redact(ways.join(', ')))})`}.`, how
      )
    }
    const details = text(fieldsOf(data)['details']) ?? text(fieldsOf(data)['message']) ?? text(data)
    const words = visibleProse(
      redact([message, ...(details === undefined || details === message ? [] : [details])].join(': ').slice(0, 600))
    )
    const hint = Object.keys(this.proxyVariables).length > 0 && unreached.test(words) ? closedNetwork : undefined
    const said = agentFailure(code === notFound ? 'not_found' : typeOf(words), `${displayName}: ${words}`, hint)
    if (saysUsedUp(words)) said.limit = { waitMs: limitWords(words, { nowMs: Date.now() }) ?? null }
    return said
  }
}

/** How agents say that they cannot reach their model. A port of this machine that their sandbox closes looks unused to them. */
const unreached = /ECONNREFUSED|ENETUNREACH|connection (?:refused|error|failed)|unable to connect|fetch failed/i
const closedNetwork = 'From its sandbox it reaches only those servers on this machine and in private networks that its env or "network" in config.yaml names.'

const served = [
  'session/request_permission', 'fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'terminal/output', 'terminal/wait_for_exit',
  'terminal/kill', 'terminal/release', 'elicitation/create'
]

function notStarted ({ displayName, command, preset }: ConfiguredAgent, error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') {
    return `${displayName} could not be started: the program ${command[0] ?? ''} is not there. ${preset === null ? 'Check "command" in config.yaml.' : agentPresets[preset].install}`
  }
  return `${displayName} could not be started (${error.code ?? 'unknown error'}).`
}

/** Returns the `apperror` type of what an agent says about its model's provider. */
function typeOf (words: string): string {
  if (saysUsedUp(words)) return 'quota_exhausted'
  if (/rate.?limit|\b429\b|too many requests/i.test(words)) return 'rate_limit'
  if (/quota|insufficient|billing|credit/i.test(words)) return 'quota_exhausted'
  if (/api.?key|unauthori|\b401\b|log ?in|sign ?in/i.test(words)) return 'auth_mismatch'
  return 'error'
}
