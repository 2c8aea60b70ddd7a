import { promptId } from '../../ids.js'
import { Cancelled, type Engine, type RunIO } from '../engines/engine.js'
import { type ApprovalAsk, type ApprovalChoice, type ControlAck, type ControlBody, type RunEventBody, type RunSpec, type TodoItem } from '../protocol.js'

interface OpenAsk {
  /** Approvals carry what they ask for. */
  approval?: ApprovalAsk
  settle (value: string | null, how: 'answered' | 'expired' | 'yolo'): void
  cancel (): void
}

/** One running turn: the engine's link to the outside, and the target of controls. */
export class Run {
  readonly #abort = new AbortController()
  readonly #asks = new Map<string, OpenAsk>()
  #steers: string[] = []
  #todos: TodoItem[]
  #yolo: boolean
  readonly #grants: Set<string>

  constructor (readonly spec: RunSpec, readonly emit: (event: RunEventBody) => void) {
    this.#todos = spec.todos
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
      for (const ask of [...this.#asks.values()]) ask.cancel()
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
        this.#steers.push(body.text)
        return 'applied'
      case 'answer': {
        const ask = this.#asks.get(body.askId)
        if (ask === undefined) return 'stale'
        ask.settle(body.value, 'answered')
        if (ask.approval !== undefined && (body.value === 'session' || body.value === 'always')) this.#grant(ask.approval)
        return 'applied'
      }
      case 'yolo':
        this.#yolo = body.on
        if (body.on) for (const ask of [...this.#asks.values()]) if (ask.approval !== undefined) ask.settle('once', 'yolo')
        return 'applied'
    }
  }

  cancel (): void {
    this.#abort.abort(new Cancelled())
    for (const ask of [...this.#asks.values()]) ask.cancel()
  }

  #io (): RunIO {
    return {
      signal: this.#abort.signal,
      emit: this.emit,
      grants: this.#grants,
      yolo: () => this.#yolo,
      askApproval: async (body) => await this.#ask({ approval: body }, 0, (askId, expiresAtMs) => ({ t: 'ask', askId, kind: 'approval', body, expiresAtMs })) as ApprovalChoice | null,
      askQuestion: async (body) => {
        const { clarifyTimeoutS: timeoutS } = this.spec
        if (!this.spec.attended) return null
        return await this.#ask({}, timeoutS, (askId, expiresAtMs) => ({ t: 'ask', askId, kind: 'clarify', body: { ...body, timeoutS }, expiresAtMs }))
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

  /** Keeps what was allowed for more than once, and answers the questions that it covers as well. */
  #grant ({ patternKeys, maxScope }: ApprovalAsk): void {
    if (maxScope === 'once') return
    for (const key of patternKeys) this.#grants.add(key)
    for (const ask of [...this.#asks.values()]) {
      if (ask.approval?.maxScope !== 'once' && ask.approval?.patternKeys.every((key) => this.#grants.has(key)) === true) ask.settle('once', 'answered')
    }
  }

  /** A paused turn is this promise and nothing else: no thread, no timer unless the question expires. */
  async #ask (about: Pick<OpenAsk, 'approval'>, timeoutS: number, event: (askId: string, expiresAtMs: number | null) => RunEventBody): Promise<string | null> {
    if (this.#abort.signal.aborted) throw new Cancelled()
    const askId = promptId()
    return await new Promise<string | null>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined
      const leave = () => {
        clearTimeout(timer)
        this.#asks.delete(askId)
      }
      const ask: OpenAsk = {
        ...about,
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
      if (timeoutS > 0) timer = setTimeout(() => ask.settle(null, 'expired'), timeoutS * 1000)
      this.emit(event(askId, timeoutS > 0 ? Date.now() + timeoutS * 1000 : null))
    })
  }
}
