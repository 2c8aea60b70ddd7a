import { isDeepStrictEqual } from 'node:util'
import { promptId } from '../../ground/ids.js'
import { isGranted } from '../policy/index.js'
import { Cancelled, type Asking, type Engine, type RunIO } from '../engines/engine.js'
import { type ApprovalAsk, type ApprovalChoice, type AskOrigin, type ClarifyAsk, type ControlAck, type ResumedAsk, type ControlBody, type RunEventBody, type RunSpec, type TodoItem } from '../protocol.js'

const longestTimerMs = 2 ** 31 - 1
/** How long a run waits until its workspace is kept; whoever keeps it gives up before. */
const checkpointLimitMs = 20_000

interface OpenAsk {
  /** Approvals carry what they ask for. */
  approval?: ApprovalAsk
  /** Questions: what makes two of them the same. */
  question?: string
  answer: Promise<string | null>
  settle (value: string | null, how: 'answered' | 'expired' | 'yolo'): void
  cancel (): void
}

/** One running turn: the engine's link to the outside, and the target of controls. */
export class Run {
  readonly #abort = new AbortController()
  readonly #asks = new Map<string, OpenAsk>()
  readonly #delegations = new Map<string, { resolve: (answer: { text: string, isError: boolean }) => void, reject: (reason: Error) => void }>()
  #checkpoint: { kept: Promise<void>, settle: () => void, reject: (reason: Error) => void } | null = null
  /** Prompts of before an interruption that the run has not come to yet, and answers to them. */
  readonly #awaited: Map<string, ResumedAsk>
  readonly #early = new Map<string, string>()
  #steers: string[] = []
  #todos: TodoItem[]
  #yolo: boolean
  readonly #grants: Set<string>

  constructor (readonly spec: RunSpec, readonly emit: (event: RunEventBody) => void, readonly drained: RunIO['drained'] = () => undefined) {
    this.#todos = spec.todos
    this.#awaited = new Map(spec.resume?.asks.map((ask) => [ask.callId, ask]))
    this.#steers = [...spec.resume?.steers ?? []]
    this.#yolo = spec.yolo
    this.#grants = new Set(spec.grants)
  }

  /** Runs to the end; never throws. The last event is always `end`. */
  async perform (engine: Engine): Promise<void> {
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true, lastPromptTokens: 0 }
    const leftover = () => {
      const text = this.#steers.join('\n')
      return text === '' ? {} : { steerLeftover: text }
    }
    const end = (event: Omit<Extract<RunEventBody, { t: 'end' }>, 't'>) => {
      this.#dropOpen()
      this.emit({ t: 'end', ...event, ...leftover() })
    }
    try {
      end(await engine.run(this.spec, this.#io()))
    } catch (error) {
      if (error instanceof Cancelled || this.#abort.signal.aborted) {
        end({ state: 'cancelled', usage: none })
      } else {
        const message = error instanceof Error ? error.message : String(error)
        end({ state: 'failed', usage: none, error: { type: 'error', message: `The agent failed: ${message}` } })
      }
    }
  }

  control (body: ControlBody): ControlAck['result'] {
    switch (body.op) {
      case 'cancel':
        this.cancel()
        return 'applied'
      case 'steer':
        // An answer on the side has no next step that could take it in.
        if (this.spec.kind === 'btw') return 'unsupported'
        this.#steers.push(body.text)
        return 'applied'
      case 'delegated': {
        const delegation = this.#delegations.get(body.callId)
        if (delegation === undefined) return 'stale'
        delegation.resolve({ text: body.text, isError: body.isError })
        return 'applied'
      }
      case 'checkpointed':
        if (this.#checkpoint === null) return 'stale'
        this.#checkpoint.settle()
        return 'applied'
      case 'answer': {
        const ask = this.#asks.get(body.askId)
        if (ask === undefined) return this.#answerEarly(body.askId, body.value)
        this.#answer(ask, body.value)
        return 'applied'
      }
      case 'yolo':
        this.#yolo = body.on
        if (body.on) for (const ask of [...this.#asks.values()]) if (ask.approval !== undefined && ask.approval.personal !== true) ask.settle('once', 'yolo')
        return 'applied'
      case 'grant':
        this.#grant(body.patternKeys)
        return 'applied'
    }
  }

  /** A resumed turn may be answered before it has come to the question again. */
  #answerEarly (askId: string, value: string): ControlAck['result'] {
    if (![...this.#awaited.values()].some((ask) => ask.askId === askId)) return 'stale'
    this.#early.set(askId, value)
    return 'applied'
  }

  cancel (): void {
    this.#abort.abort(new Cancelled())
    this.#dropOpen()
  }

  #dropOpen (): void {
    for (const ask of [...this.#asks.values()]) ask.cancel()
    for (const delegation of [...this.#delegations.values()]) delegation.reject(new Cancelled())
    this.#checkpoint?.reject(new Cancelled())
  }

  /** Once for all calls of the turn. */
  #keepWorkspace (): Promise<void> {
    if (this.#checkpoint !== null) return this.#checkpoint.kept
    const { promise: kept, resolve, reject } = withResolvers<undefined>()
    const timer = setTimeout(() => resolve(undefined), checkpointLimitMs)
    const settle = (): void => resolve(undefined)
    // Nobody may be waiting when the turn is over.
    kept.catch(() => {}).finally(() => clearTimeout(timer))
    this.#checkpoint = { kept, settle, reject }
    this.emit({ t: 'checkpoint', workspace: this.spec.workspace })
    return kept
  }

  #io (): RunIO {
    const { attended, approvalTimeoutS, clarifyTimeoutS } = this.spec
    return {
      signal: this.#abort.signal,
      emit: this.emit,
      drained: this.drained,
      grants: this.#grants,
      yolo: () => this.#yolo,
      askApproval: async (ask, from) => {
        const body = { ...ask, timeoutS: approvalTimeoutS }
        return await this.#ask({ approval: body }, body, approvalTimeoutS, from, (origin) => ({ t: 'ask', kind: 'approval', body, ...origin })) as ApprovalChoice | null
      },
      askQuestion: async (ask, from) => {
        if (!attended) return null
        const question = JSON.stringify(ask)
        // Asked twice in a row, a question is one card, and one answer serves both.
        const last = [...this.#asks.values()].findLast((open) => open.question !== undefined)
        if (last?.question === question) return await last.answer
        const body = { ...ask, timeoutS: clarifyTimeoutS }
        return await this.#ask({ question }, body, clarifyTimeoutS, from, (origin) => ({ t: 'ask', kind: 'clarify', body, ...origin }))
      },
      delegate: async (callId, task) => {
        if (this.#abort.signal.aborted) throw new Cancelled()
        return await new Promise<{ text: string, isError: boolean }>((resolve, reject) => {
          this.#delegations.set(callId, { resolve, reject })
          this.emit({ t: 'delegate', callId, task })
        }).finally(() => this.#delegations.delete(callId))
      },
      checkpoint: async () => {
        if (this.#abort.signal.aborted) throw new Cancelled()
        await this.#keepWorkspace()
      },
      letGo: (callId) => {
        const asked = this.#takeUp(callId)
        if (asked === undefined) return null
        this.emit({ t: 'ask_closed', askId: asked.askId, how: 'cancelled' })
        return this.#early.get(asked.askId) ?? null
      },
      takeSteers: () => {
        const taken = this.#steers
        this.#steers = []
        return taken
      },
      todos: {
        get: () => this.#todos,
        set: (todos) => {
          this.#todos = todos
          this.emit({ t: 'todo', todos })
        }
      }
    }
  }

  #answer (ask: OpenAsk, value: string): void {
    ask.settle(value, 'answered')
    const { approval } = ask
    if (approval !== undefined && approval.maxScope !== 'once' && (value === 'session' || value === 'always')) this.#grant(approval.patternKeys)
  }

  /** Keeps what was allowed for more than once, and answers the questions that it covers as well. */
  #grant (patternKeys: string[]): void {
    for (const key of patternKeys) this.#grants.add(key)
    for (const ask of [...this.#asks.values()]) {
      if (ask.approval?.maxScope !== 'once' && ask.approval?.patternKeys.every((key) => isGranted(key, this.#grants)) === true) ask.settle('once', 'answered')
    }
  }

  /** The prompt of before the interruption that a call has; only once, as call ids may come again. One that asked something else is closed. */
  #takeUp (callId: string, body?: ApprovalAsk | ClarifyAsk): ResumedAsk | undefined {
    const asked = this.#awaited.get(callId)
    this.#awaited.delete(callId)
    if (asked === undefined || body === undefined || sameQuestion(asked.body, body)) return asked
    this.emit({ t: 'ask_closed', askId: asked.askId, how: 'cancelled' })
    return undefined
  }

  /**
   * A paused turn is this promise and nothing else: no thread, no timer unless the question expires. A call whose prompt
   * outlived a restart takes it up again under its own id and with the time it has left.
   */
  async #ask (about: Pick<OpenAsk, 'approval' | 'question'>, body: ApprovalAsk | ClarifyAsk, timeoutS: number, from: Asking, event: (origin: AskOrigin & { askId: string }) => RunEventBody): Promise<string | null> {
    if (this.#abort.signal.aborted) throw new Cancelled()
    const known = this.#takeUp(from.callId, body)
    const askId = known?.askId ?? promptId()
    const timeLeftMs = known === undefined ? (timeoutS > 0 ? timeoutS * 1000 : null) : timeLeftOf(known)
    const expiresAtMs = known === undefined ? (timeLeftMs === null ? null : Date.now() + timeLeftMs) : known.expiresAtMs
    const { promise, resolve, reject } = withResolvers<string | null>()
    let stopWaiting = () => {}
    const leave = () => {
      stopWaiting()
      this.#asks.delete(askId)
    }
    const ask: OpenAsk = {
      ...about,
      answer: promise,
      settle: (value, how) => {
        leave()
        this.emit({ t: 'ask_closed', askId, how })
        resolve(value)
      },
      cancel: () => {
        leave()
        this.emit({ t: 'ask_closed', askId, how: 'cancelled' })
        reject(new Cancelled())
      }
    }
    this.#asks.set(askId, ask)
    const early = this.#early.get(askId)
    if (early !== undefined) this.#answer(ask, early)
    else if (timeLeftMs !== null) stopWaiting = after(timeLeftMs, () => ask.settle(null, 'expired'))
    if (early === undefined) this.emit(event({ askId, ...from, expiresAtMs }))
    return await promise
  }
}

/**
 * What a prompt has left of its time after a restart. The wall clock is all that outlives one; whatever it did meanwhile,
 * nobody gets more time than there was, and from here on it does not count any more.
 */
function timeLeftOf ({ expiresAtMs, body }: ResumedAsk): number | null {
  if (expiresAtMs === null) return null
  return Math.min(Math.max(0, expiresAtMs - Date.now()), body.timeoutS > 0 ? body.timeoutS * 1000 : Infinity)
}

/** A timer for any span: those of the platform take 25 days at most, and come at once beyond. Hands back what stops it. */
function after (ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number): void => {
    timer = setTimeout(() => leftMs > longestTimerMs ? wait(leftMs - longestTimerMs) : callback(), Math.min(leftMs, longestTimerMs))
  }
  wait(ms)
  return () => clearTimeout(timer)
}

/** Promise.withResolvers, which Node 20 does not have. */
function withResolvers<T> () {
  let resolve!: (value: T) => void
  let reject!: (reason: Error) => void
  const promise = new Promise<T>((...settle) => { [resolve, reject] = settle })
  return { promise, resolve, reject }
}

function sameQuestion (one: ApprovalAsk | ClarifyAsk, other: ApprovalAsk | ClarifyAsk): boolean {
  return isDeepStrictEqual({ ...one, timeoutS: 0 }, { ...other, timeoutS: 0 })
}
