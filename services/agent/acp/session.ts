import { type Reason } from '../../../reasons/index.js'
import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../ground/fields.js'
import { agentFailure } from './failure.js'
import { notAllowed } from './modes.js'
import { readOptions, type Choosable, type SessionOptions } from './offer.js'
import { type AgentProcess, type SessionHandlers } from './process.js'
import { readUpdate, type AgentCommandWords, type Update } from './wire.js'

/** What a turn does with what its agent tells and asks for. */
export interface TurnHandlers {
  update (update: Update): void
  request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
  refused (said: Reason): void
}

/** Places that a conversation is told of. */
const mostRefused = 10
const optionMs = 30_000
/** Commands are told shortly after a session is opened. */
const settleMs = 500

/** One session of an agent: what can be chosen in it, and the prompt that it works on. */
export class AgentSession implements SessionHandlers {
  commands: AgentCommandWords[] = []
  /** What was kept of the agent's offer the last time. */
  noted: string | null = null
  /** What the agent has spent in this session so far, as it says; null: it says nothing. */
  costUsd: number | null = null
  /** What it was set to by itself. */
  readonly #own: { model: string | null, mode: string | null, effort: string | null }
  #turn: TurnHandlers | null = null
  /** In which modes it may work now, and what ends its turn when it works in another one. */
  #mayWork: (mode: string) => boolean = () => true
  #stray: ((mode: string) => void) | null = null
  #prompt: Promise<unknown> | null = null
  /** Places that were refused, of which it was told. */
  readonly #refused = new Set<string>()
  #heardCommands: () => void = () => {}
  #isLeft = false

  constructor (readonly process: AgentProcess, readonly id: string, public options: SessionOptions) {
    const { model, mode, effort } = options
    this.#own = { model: model?.current ?? null, mode: mode?.current ?? null, effort: effort?.current ?? null }
    process.sessions.set(id, this)
  }

  get isUsable (): boolean { return !this.#isLeft && !this.process.isClosed && this.#prompt === null }

  /** The mode that it was in when it was opened; null: it has none, or that is not known. */
  get ownMode (): string | null { return this.#own.mode }

  /** Whether this is the name of a mode of its own in which it may not work now. */
  isForbiddenMode (id: string): boolean {
    return this.options.mode?.values.some((mode) => mode.id === id) === true && !this.#mayWork(id)
  }

  get isBusy (): boolean { return this.#prompt !== null }

  /** Resolves when it works on no prompt: one that was cancelled, and is not left alone for long if it does not stop. */
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

  /** Tells the turn of a place once; an agent may try it again and again. */
  refused (place: string, said: () => Reason): void {
    if (this.#turn === null || this.#refused.has(place) || this.#refused.size >= mostRefused) return
    this.#refused.add(place)
    this.#turn.refused(said())
  }

  /** Resolves when the agent has told its commands, or does not within a moment. */
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
   * Gives the agent a prompt; resolves with what it answers in the end. `turn` hears what comes meanwhile. Throws AgentFailure, also when
   * the agent goes over to a mode in which it may not work: it is still at work then. `traceparent`: the span of the turn, which it may go
   * on with.
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

  /** Nobody hears of its turn any more. */
  mute (): void {
    this.#turn = null
  }

  cancel (): void {
    this.process.notify('session/cancel', { sessionId: this.id })
  }

  /**
   * Sets what a turn wants; null: as the agent itself is set. Throws AgentFailure for a model or a mode that it does not have, and when it
   * does not go over to the mode.
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
      // What it says of its mode need not be so: commands and settings of its own change that as well.
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

  /** Takes leave of it; the agent may forget what it holds in memory. */
  leave (): void {
    if (this.#isLeft) return
    this.#isLeft = true
    // Taken up again under the same id, it is another one's to close.
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

/** Of options that are told anew, those that were told. */
function known (options: SessionOptions): Partial<SessionOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, choosable]) => choosable !== null))
}
