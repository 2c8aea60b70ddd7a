import { setTimeout as delay } from 'node:timers/promises'
import { Api, ApiError, newClientId, type Wire } from '../web/src/core/service/api.js'
import { eventFrames, type EventFrame } from '../web/src/core/service/event-frames.js'

/** What streams tell, by their path. */
export interface Streams {
  '/api/chat/stream': Wire<'ChatEvent'>
  '/api/approval/stream': Wire<'ApprovalEvent'>
  '/api/clarify/stream': Wire<'QuestionEvent'>
}

/** A frame of a turn. */
export type Frame = Streams['/api/chat/stream']

const lastFrames = new Set(['stream_end', 'cancel', 'apperror'])
const firstPauseMs = 250
const longestPauseMs = 4_000
/** So long a service may be away that is restarted, before the turn is given up here. It goes on there. */
const patienceMs = 120_000

/** The service as a program sees it from outside: its interface, and streams that are taken up again where they were cut. */
export class Service {
  readonly api: Api

  constructor (readonly origin: string, private readonly token: string | null) {
    this.api = new Api({ origin, headers: this.#headers })
  }

  get #headers (): Record<string, string> {
    return this.token === null ? {} : { authorization: `Bearer ${this.token}` }
  }

  /** Sends a file; what it answers goes into `attachments` of a message. Throws ApiError. */
  async upload (sessionId: string, file: File): Promise<Wire<'AttachedFile'>> {
    const form = new FormData()
    form.append('session_id', sessionId)
    form.append('client_id', newClientId())
    form.append('file', file, file.name)
    const send = async () => await this.#reached(async () => await this.api.read<Wire<'AttachedFile'>>(
      await fetch(this.api.url('/api/upload'), { method: 'POST', headers: this.#headers, body: form })
    ))
    return await send().catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 0) return await send()
      throw error
    })
  }

  /**
   * The frames of a turn, each once, until its last one. A cut line is taken up again; what the service says to that, and two
   * minutes without a way to it, are an ApiError.
   */
  async * turn (streamId: string, signal: AbortSignal): AsyncGenerator<Frame> {
    let last = '0'
    let pauseMs = firstPauseMs
    let cutAtMs: number | null = null
    for (;;) {
      try {
        for await (const { id, frame } of this.#frames('/api/chat/stream', { stream_id: streamId, after_seq: last }, signal)) {
          cutAtMs = null
          pauseMs = firstPauseMs
          last = id?.split(':').at(-1) ?? last
          yield frame
          if (lastFrames.has(frame.event)) return
        }
      } catch (error) {
        if (signal.aborted || (error instanceof ApiError && error.status !== 0 && error.status < 500)) throw error
      }
      cutAtMs ??= Date.now()
      if (Date.now() - cutAtMs > patienceMs) {
        throw new ApiError(`The service at ${this.origin} cannot be reached any more. The turn may go on there.`, 0)
      }
      await delay(pauseMs, undefined, { signal })
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  /** What a stream without a memory tells, from its present state on, for as long as the signal lets it. */
  async * watch<Path extends keyof Streams> (
    path: Path, query: Record<string, string>, signal: AbortSignal
  ): AsyncGenerator<Streams[Path]> {
    for (;;) {
      try {
        for await (const { frame } of this.#frames(path, query, signal)) yield frame
      } catch (error) {
        if (error instanceof ApiError && error.status !== 0 && error.status < 500) throw error
      }
      if (signal.aborted) return
      await delay(firstPauseMs * 4, undefined, { signal }).catch(() => {})
    }
  }

  async * #frames<Path extends keyof Streams> (
    path: Path, query: Record<string, string>, signal: AbortSignal
  ): AsyncGenerator<EventFrame<Streams[Path]>> {
    const response = await this.#reached(async () =>
      await fetch(this.api.url(path, query), { headers: { ...this.#headers, accept: 'text/event-stream' }, signal }))
    if (!response.ok || response.body === null) {
      await this.api.read(response)
      return
    }
    yield * eventFrames<Streams[Path]>(response.body)
  }

  async #reached<Answer> (ask: () => Promise<Answer>): Promise<Answer> {
    try {
      return await ask()
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError(`The service at ${this.origin} cannot be reached.`, 0)
    }
  }
}
