import { Value } from '@sinclair/typebox/value'
import { after } from '../../ground/concurrency/after.js'
import { type Log } from '../../ground/log.js'
import { isKeyOf } from '../../ground/one-of.js'
import { type RunSpec } from '../protocol.js'
import {
  lasting, runRequests, type RequestAnswer, type RequestBody, type RequestFailure, type RequestKind, type RunReply, type RunRequest
} from '../requests.js'

/** The run that asks. `signal` is aborted when the answer is no longer needed. */
interface Asker {
  spec: RunSpec
  signal: AbortSignal
  /** Trace span of the call that asks, if the turn is traced. */
  span?: string | undefined
}

/** Answers one kind of request. An error that it throws is answered as `failed`, without its message. */
export type RequestHandler<K extends RequestKind> = (body: RequestBody<K>, asker: Asker) => Promise<RequestAnswer<K>>

/** The handlers of all kinds of requests, for all hosts. */
export class RequestHandlers {
  readonly #handlers: { [K in RequestKind]?: RequestHandler<K> }

  constructor (handlers: { [K in RequestKind]?: RequestHandler<K> } = {}) { this.#handlers = { ...handlers } }

  /** Sets the handler of a kind. Throws if it has one already. */
  serve<K extends RequestKind> (what: K, handler: RequestHandler<K>): void {
    if (this.get(what) !== undefined) throw new Error(`Requests of the kind "${what}" are answered already`)
    Object.assign(this.#handlers, { [what]: handler })
  }

  get<K extends RequestKind> (what: K): { [K in RequestKind]?: RequestHandler<K> }[K] {
    return isKeyOf(this.#handlers, what) ? this.#handlers[what] : undefined
  }
}

/** Limits on requests of one run, at once and in all, against a hostile host. */
const mostOpen = 64
const mostPerRun = 10_000

type Answer = { answer: unknown } | { error: RequestFailure }
const failure = (code: RequestFailure['code'], message: string): Answer => ({ error: { code, message } })

function refusedElsewhere (what: keyof typeof lasting): unknown {
  const problem = `Refused: ${lasting[what]} can only be changed in conversations that work on the machine of the service. Tell the user what should be changed there.`
  return what.endsWith('_text') ? { problem } : { text: problem, isError: true }
}

export interface ServedRequestsOptions {
  spec: RunSpec
  handlers: RequestHandlers
  send: (reply: RunReply) => void
  log: Log
}

/** Requests of one run. Each is answered once, even if messages are doubled or lost. */
export class ServedRequests {
  readonly #seen = new Set<string>()
  readonly #working = new Map<string, AbortController>()
  /** Kept until the host no longer waits for them. */
  readonly #answers = new Map<string, Answer>()

  constructor (private readonly options: ServedRequestsOptions) {}

  take (request: RunRequest): void {
    const { requestId } = request
    const answered = this.#answers.get(requestId)
    if (answered !== undefined) return this.#reply(requestId, answered)
    if (this.#seen.has(requestId)) return
    if (this.#working.size >= mostOpen || this.#seen.size >= mostPerRun) {
      return this.#reply(requestId, failure('busy', 'Too many requests at once'))
    }
    this.#seen.add(requestId)
    void this.#answer(request)
  }

  /** Takes the list of requests that the host still waits for: repeats answers that did not arrive, and forgets the others. */
  reconcile (waiting: readonly string[]): void {
    const wanted = new Set(waiting)
    for (const requestId of this.#answers.keys()) if (!wanted.has(requestId)) this.#answers.delete(requestId)
    for (const requestId of wanted) {
      if (this.#working.has(requestId)) continue
      this.#seen.add(requestId)
      this.#reply(requestId, this.#answers.get(requestId) ?? failure('lost', 'The request or its answer was lost on its way'))
    }
  }

  /** Called when the run is over: aborts what is being answered. */
  close (): void {
    for (const abort of this.#working.values()) abort.abort()
    this.#working.clear()
    this.#answers.clear()
  }

  async #answer (request: RunRequest): Promise<void> {
    const { requestId, deadlineMs } = request
    const abort = new AbortController()
    this.#working.set(requestId, abort)
    const stopWaiting = deadlineMs === null
      ? () => {}
      : after(deadlineMs, () => this.#settle(requestId, failure('late', 'There was no answer in time')))
    this.#settle(requestId, await this.#outcome(request, abort.signal))
    stopWaiting()
  }

  async #outcome<K extends RequestKind> ({ what, body, span }: RunRequest<K>, signal: AbortSignal): Promise<Answer> {
    const { handlers, spec, log } = this.options
    const handler = handlers.get(what)
    if (handler === undefined) return failure('unserved', `Nobody answers "${what.slice(0, 100)}" here`)
    if (!Value.Check(runRequests[what].body, body)) return failure('invalid', 'The request does not have the form of its kind')
    if (spec.host !== undefined && isKeyOf(lasting, what)) return { answer: refusedElsewhere(what) }
    try {
      return { answer: await handler(body, { spec, signal, span }) }
    } catch (error) {
      if (!signal.aborted) log('a request of a turn failed', { runId: spec.runId, what, reason: String(error) })
      return failure('failed', 'It could not be done')
    }
  }

  /** Takes the outcome of a request. Only the first one counts, and none after the run is over. */
  #settle (requestId: string, answer: Answer): void {
    const abort = this.#working.get(requestId)
    if (abort === undefined) return
    this.#working.delete(requestId)
    abort.abort()
    this.#answers.set(requestId, answer)
    this.#reply(requestId, answer)
  }

  #reply (requestId: string, answer: Answer): void {
    this.options.send({ requestId, runId: this.options.spec.runId, ...answer })
  }
}
