import { asError } from '../../ground/errors.js'
import { Cancelled, type Engine, type PlacedSpec, type RunIO } from '../engines/engine.js'
import { type ControlAck, type ControlBody, type RunError, type RunEventBody, type TodoItem } from '../protocol.js'
import { type RunReply, type RunRequest } from '../requests.js'
import { OpenAsks } from './open-asks.js'
import { createRunSpans } from '../engines/run-spans.js'
import { Requests } from './requests.js'

/** How long a run waits for its checkpoint. Whoever makes it gives up earlier. */
const checkpointLimitMs = 20_000
const noUsage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: true, lastPromptTokens: 0 }

/** A run's link to the outside of its host. */
export interface RunLink {
  emit (event: RunEventBody): void
  /** If not undefined, has to be awaited before more is emitted. */
  drained: RunIO['drained']
  /** Returns false while no service is connected. */
  request (request: RunRequest): boolean
}

/** One running turn: the engine's link to the outside, and the target of controls. */
export class Run {
  readonly #abort = new AbortController()
  readonly #asks: OpenAsks
  readonly #requests: Requests
  #kept: Promise<unknown> | null = null
  #steers: string[]
  #todos: TodoItem[]
  #isPlanning: boolean
  #denied: readonly string[]
  /** Why it is ended early, other than by a person. */
  #farewell: RunError | null = null

  constructor (readonly spec: PlacedSpec, private readonly link: RunLink) {
    const { runId, generation, todos, resume, planning, denied } = spec
    this.#todos = todos
    this.#isPlanning = planning !== undefined
    this.#denied = denied
    this.#steers = [...resume?.steers ?? []]
    this.#asks = new OpenAsks({ spec, emit: link.emit, isCancelled: () => this.#abort.signal.aborted })
    this.#requests = new Requests((request) => link.request({ ...request, runId, generation }))
  }

  /** Runs to the end; never throws. The last event is always `end`. */
  async perform (engine: Engine): Promise<void> {
    try {
      this.#end(await engine.run(this.spec, this.#io()))
    } catch (error) {
      if (this.#farewell !== null) return this.#end({ state: 'failed', usage: noUsage, error: this.#farewell })
      if (error instanceof Cancelled || this.#abort.signal.aborted) return this.#end({ state: 'cancelled', usage: noUsage })
      const message = asError(error).message
      this.refuse(`The agent failed: ${message}`)
    }
  }

  /** Ends the run with an error. */
  refuse (message: string): void {
    this.#end({ state: 'failed', usage: noUsage, error: { type: 'error', message } })
  }

  control (body: ControlBody): ControlAck['result'] {
    switch (body.op) {
      case 'cancel':
        this.cancel()
        return 'applied'
      case 'steer':
        // A side question has no next step that could take the text in, and agents of other makers cannot be steered.
        if (this.spec.kind === 'btw' || this.spec.engine === 'acp') return 'unsupported'
        this.#steers.push(body.text)
        return 'applied'
      case 'answer':
        return this.#asks.answer(body.askId, body.value)
      case 'unanswered':
        return this.#asks.unanswered(body.askId)
      case 'yolo':
        this.#asks.setYolo(body.on)
        return 'applied'
      case 'plan':
        this.#isPlanning = true
        return 'applied'
      case 'grant':
        this.#asks.grant(body.patternKeys)
        return 'applied'
      case 'revoke':
        for (const key of body.patternKeys) this.#asks.grants.delete(key)
        return 'applied'
      case 'deny':
        this.#denied = body.patterns
        return 'applied'
      default:
        return 'unsupported'
    }
  }

  reply (reply: RunReply): void {
    this.#requests.take(reply)
  }

  /** Ids of the requests that wait for an answer. */
  get requests (): string[] { return this.#requests.open }

  /** Whether it waits for a person. */
  get isAsking (): boolean { return this.#asks.isOpen }

  cancel (): void {
    this.#abort.abort(new Cancelled())
    this.#dropOpen()
  }

  /** Ends it with an error, because it cannot continue. */
  giveUp (farewell: RunError): void {
    this.#farewell = farewell
    this.cancel()
  }

  /** Called when another service follows it from now on. */
  meet (): void { this.#requests.repeat() }

  #dropOpen (): void {
    this.#asks.close()
    this.#requests.close()
  }

  #end (event: Omit<Extract<RunEventBody, { t: 'end' }>, 't'>): void {
    this.#dropOpen()
    this.link.emit({ t: 'end', ...event })
  }

  #io (): RunIO {
    const { trace } = this.spec
    const asks = this.#asks
    const requests = this.#requests
    return {
      signal: this.#abort.signal,
      spans: trace === undefined ? undefined : createRunSpans(trace, this.link.emit),
      emit: this.link.emit,
      drained: this.link.drained,
      grants: asks.grants,
      denied: () => this.#denied,
      yolo: () => asks.yolo,
      planning: () => this.#isPlanning,
      askApproval: async (ask, from, signal) => await asks.approval(ask, from, signal),
      askQuestion: async (ask, from, signal) => await asks.question(ask, from, signal),
      letGo: (callId) => asks.letGo(callId),
      request: async (what, body, limits) => await requests.ask(what, body, limits),
      checkpoint: async () => {
        if (this.#abort.signal.aborted) throw new Cancelled()
        // One checkpoint serves all calls of the turn. If it is not ready in time, the turn continues without it.
        await (this.#kept ??= requests.ask('checkpoint', { place: 'workspace' }, { deadlineMs: checkpointLimitMs }))
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
          this.link.emit({ t: 'todo', todos })
        }
      }
    }
  }
}
