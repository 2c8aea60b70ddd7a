import { RequestError } from '@agentclientprotocol/sdk'
import { agentFailure } from './failure.js'
import { readOptions, type Choosable, type SessionOptions } from './offer.js'
import { type AgentProcess, type SessionHandlers } from './process.js'
import { fields, readUpdate, type AgentCommandWords, type Update } from './wire.js'

/** What a turn does with what its agent tells and asks for. */
export interface TurnHandlers {
  update (update: Update): void
  request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown>
}

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
  #prompt: Promise<unknown> | null = null
  #heardCommands: () => void = () => {}
  #isLeft = false

  constructor (readonly process: AgentProcess, readonly id: string, public options: SessionOptions) {
    const { model, mode, effort } = options
    this.#own = { model: model?.current ?? null, mode: mode?.current ?? null, effort: effort?.current ?? null }
    process.sessions.set(id, this)
  }

  get isUsable (): boolean { return !this.#isLeft && !this.process.isClosed && this.#prompt === null }

  get isBusy (): boolean { return this.#prompt !== null }

  update (update: unknown): void {
    const read = readUpdate(update)
    if (read === null) return
    if (read.type === 'commands') {
      this.commands = read.commands
      this.#heardCommands()
    } else if (read.type === 'options') this.options = { ...this.options, ...known(readOptions({ configOptions: read.options })) }
    else if (read.type === 'mode' && this.options.mode !== null) this.options.mode.current = read.id
    this.#turn?.update(read)
  }

  async request (method: string, params: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<unknown> {
    if (this.#turn === null) throw RequestError.invalidRequest(undefined, 'There is no turn in this session now')
    return await this.#turn.request(method, params, signal)
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

  /** Gives the agent a prompt; resolves with what it answers in the end. `turn` hears what comes meanwhile. Throws AgentFailure. */
  async prompt (prompt: unknown[], turn: TurnHandlers): Promise<Readonly<Record<string, unknown>>> {
    this.#turn = turn
    const answer = this.process.request('session/prompt', { sessionId: this.id, prompt })
    const over = answer.catch(() => {})
    this.#prompt = over
    void over.then(() => { if (this.#prompt === over) this.#prompt = null })
    try {
      return await answer
    } finally {
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

  /** Sets what a turn wants; null: as the agent itself is set. Throws AgentFailure for a model or a mode that it does not have. */
  async choose (wanted: { model: string | null, mode: string | null, effort: string | null }): Promise<void> {
    const { displayName } = this.process.agent
    for (const what of ['model', 'mode', 'effort'] as const) {
      const value = wanted[what] ?? this.#own[what]
      const choosable = this.options[what]
      if (value === null || value === choosable?.current) continue
      if (choosable === null || !choosable.values.some(({ id }) => id === value)) {
        if (wanted[what] === null || what === 'effort') continue
        throw agentFailure('model_not_found', `${displayName} has no ${what} "${value.slice(0, 100)}".`, 'Choose another one of its models.')
      }
      await this.#set(what, choosable, value)
    }
  }

  /** Takes leave of it; the agent may forget what it holds in memory. */
  leave (): void {
    if (this.#isLeft) return
    this.#isLeft = true
    const { sessionCapabilities } = fields(this.process.initialized['agentCapabilities'])
    if (fields(sessionCapabilities)['close'] != null && !this.process.isClosed) void this.process.request('session/close', { sessionId: this.id }, optionMs).catch(() => {})
    if (this.process.sessions.get(this.id) === this) this.process.sessions.delete(this.id)
  }

  async #set (what: keyof SessionOptions, choosable: Choosable, value: string): Promise<void> {
    const { how } = choosable
    const sessionId = this.id
    if (how === 'set_mode') await this.process.request('session/set_mode', { sessionId, modeId: value }, optionMs)
    else if (how === 'set_model') await this.process.request('session/set_model', { sessionId, modelId: value }, optionMs)
    else this.options = { ...this.options, ...known(readOptions(await this.process.request('session/set_config_option', { sessionId, configId: how.option, value }, optionMs))) }
    const now = this.options[what]
    if (now !== null) now.current = value
  }
}

/** Of options that are told anew, those that were told. */
function known (options: SessionOptions): Partial<SessionOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, choosable]) => choosable !== null))
}
