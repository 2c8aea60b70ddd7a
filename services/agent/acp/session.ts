import { type Reason } from '../../../reasons/index.js'
import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../ground/fields.js'
import { agentFailure } from './failure.js'
import { notAllowed } from './modes.js'
import { readOptions, type Choosable, type SessionOptions } from './offer.js'
import { type AgentProcess, type SessionHandlers } from './process.js'
import { readUpdate, type AgentCommandWords, type Update } from './wire.js'

/** Handles what an agent says and asks for during a turn. */
export interface TurnHandlers {
  update (update: Update): void
  request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  refused (said: Reason): void
}

/** How many refused places a conversation reports. */
const mostRefused = 10
const optionMs = 30_000
/** How long to wait for the commands, which agents send shortly after a session is opened. */
const settleMs = 500

/** One session of an agent: what can be chosen in it, and the prompt that it works on. */
export class AgentSession implements SessionHandlers {
  commands: AgentCommandWords[] = []
  /** The agent's offer as it was stored last, as JSON. */
  noted: string | null = null
  /** What this session has cost so far according to the agent; null if it does not say. */
  costUsd: number | null = null
  /** The agent's own settings when the session was opened. */
  readonly #own: { model: string | null, mode: string | null, effort: string | null }
  #turn: TurnHandlers | null = null
  /** In which modes it may work now, and what ends its turn if it switches to another one. */
  #mayWork: (mode: string) => boolean = () => true
  #stray: ((mode: string) => void) | null = null
  #prompt: Promise<unknown> | null = null
  /** Refused places that were already reported. */
  readonly #refused = new Set<string>()
  #heardCommands: () => void = () => {}
  #isLeft = false

  constructor (readonly process: AgentProcess, readonly id: string, public options: SessionOptions) {
    const { model, mode, effort } = options
    this.#own = { model: model?.current ?? null, mode: mode?.current ?? null, effort: effort?.current ?? null }
    process.sessions.set(id, this)
  }

  get isUsable (): boolean { return !this.#isLeft && !this.process.isClosed && this.#prompt === null }

  /** The mode that it was in when it was opened; null if it has none, or if that is not known. */
  get ownMode (): string | null { return this.#own.mode }

  /** Whether this is one of its modes, and one in which it may not work now. */
  isForbiddenMode (id: string): boolean {
    return this.options.mode?.values.some((mode) => mode.id === id) === true && !this.#mayWork(id)
  }

  get isBusy (): boolean { return this.#prompt !== null }

  /** Resolves when it works on no prompt. A cancelled one may still be running, but is ended soon. */
  async over (): Promise<void> {
    await this.#prompt
  }

  update (update: unknown): void {
    const read = readUpdate(update)
    if (read === null) return
    if (read.type === 'commands') {
      this.commands = read.commands
      this.#heardCommands()
    } else if (read.type === 'options') this.options = { ...this.options, ...known(readOptions({ configOptions: read.options })) }
    else if (read.type === 'mode' && this.options.mode !== null) this.options.mode.current = read.id
    const mode = this.options.mode?.current
    if ((read.type === 'mode' || read.type === 'options') && typeof mode === 'string' && !this.#mayWork(mode)) this.#stray?.(mode)
    this.#turn?.update(read)
  }

  async request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    if (this.#turn === null) throw RequestError.invalidRequest(undefined, 'There is no turn in this session now')
    return await this.#turn.request(method, params, signal)
  }

  /** Reports each refused place once, since an agent may try it repeatedly. */
  refused (place: string, said: () => Reason): void {
    if (this.#turn === null || this.#refused.has(place) || this.#refused.size >= mostRefused) return
    this.#refused.add(place)
    this.#turn.refused(said())
  }

  /** Resolves when the agent has sent its commands, or after a moment. */
  async settled (): Promise<void> {
    if (this.commands.length > 0) return
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, settleMs)
      this.#heardCommands = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /**
   * Sends the agent a prompt and resolves with its final answer; `turn` handles what comes meanwhile. Throws AgentFailure, including when
   * the agent switches to a mode in which it may not work: it is still busy then. `traceparent`: the span of the turn, which it may
   * continue.
   */
  async prompt (prompt: unknown[], turn: TurnHandlers, traceparent?: string): Promise<Readonly<Record<string, unknown>>> {
    this.#turn = turn
    const strayed = new Promise<never>((_resolve, reject) => { this.#stray = (mode) => reject(notAllowed(this.process.agent, mode)) })
    const answer = this.process.request('session/prompt', {
      sessionId: this.id, prompt, ...(traceparent !== undefined && { _meta: { traceparent } })
    })
    const over = answer.catch(() => {})
    this.#prompt = over
    void over.then(() => { if (this.#prompt === over) this.#prompt = null })
    try {
      return await Promise.race([answer, strayed])
    } finally {
      this.#stray = null
      if (this.#turn === turn) this.#turn = null
    }
  }

  /** Ignores whatever else the agent sends for its turn. */
  mute (): void {
    this.#turn = null
  }

  cancel (): void {
    this.process.notify('session/cancel', { sessionId: this.id })
  }

  /**
   * Sets what a turn wants; null stands for the agent's own setting. Throws AgentFailure for a model or a mode that it does not have, and
   * when it does not switch to the mode.
   *
   * @param mayWork in which modes the agent may work until this is called again
   */
  async choose (
    wanted: { model: string | null, mode: string | null, effort: string | null }, mayWork: (mode: string) => boolean
  ): Promise<void> {
    const { displayName } = this.process.agent
    this.#mayWork = mayWork
    for (const what of ['model', 'mode', 'effort'] as const) {
      const value = wanted[what] ?? this.#own[what]
      const choosable = this.options[what]
      // The mode is always set, because the reported one may be outdated: the agent's own commands and settings also change it.
      if (value === null || (value === choosable?.current && what !== 'mode')) continue
      if (choosable === null || !choosable.values.some(({ id }) => id === value)) {
        if (wanted[what] === null || what === 'effort') continue
        throw agentFailure(
          'model_not_found', `${displayName} has no ${what} "${value.slice(0, 100)}".`, 'Choose another one of its models.'
        )
      }
      await this.#set(what, choosable, value)
    }
    const now = this.options.mode?.current
    if (typeof now === 'string' && !mayWork(now)) throw notAllowed(this.process.agent, now)
  }

  /** Closes the session; the agent may release what it holds in memory. */
  leave (): void {
    if (this.#isLeft) return
    this.#isLeft = true
    // If the session was opened again under the same id, the newer object closes it.
    if (this.process.sessions.get(this.id) !== this) return
    const { sessionCapabilities } = fieldsOf(this.process.initialized['agentCapabilities'])
    if (fieldsOf(sessionCapabilities)['close'] != null && !this.process.isClosed) {
      void this.process.request('session/close', { sessionId: this.id }, optionMs).catch(() => {})
    }
    this.process.sessions.delete(this.id)
  }

  async #set (what: keyof SessionOptions, choosable: Choosable, value: string): Promise<void> {
    const { how } = choosable
    const sessionId = this.id
    if (how === 'set_mode') await this.process.request('session/set_mode', { sessionId, modeId: value }, optionMs)
    else if (how === 'set_model') await this.process.request('session/set_model', { sessionId, modelId: value }, optionMs)
    else {
      const told = known(
        readOptions(await this.process.request('session/set_config_option', { sessionId, configId: how.option, value }, optionMs))
      )
      this.options = { ...this.options, ...told }
      if (told[what] !== undefined) return
    }
    const now = this.options[what]
    if (now !== null) now.current = value
  }
}

/** Returns only the options that an update contains. */
function known (options: SessionOptions): Partial<SessionOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, choosable]) => choosable !== null))
}
