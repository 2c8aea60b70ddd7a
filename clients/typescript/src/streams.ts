import { ApiError, type Api, type Wire } from './api.js'
import { openEvents, type EventFrame } from './events.js'
import { type paths } from '../wire.js'

type StreamOf<Operation> = Operation extends { responses: { 200: { content: { 'text/event-stream': infer Frame } } } } ? Frame : never
type QueryOf<Operation> = Operation extends { parameters: { query: infer Query } } ? Query : Record<never, never>

/** The event streams that begin with the present state, and have no cursor. */
export type Watched = '/api/approval/stream' | '/api/clarify/stream' | '/api/session/stream' | '/api/sessions/events' | '/api/workspace/events'
export type WatchedFrame<Path extends Watched> = StreamOf<paths[Path]['get']>

/** A frame of a turn, with its id, from which the stream can be resumed. */
export type TurnFrame = Wire<'ChatEvent'> & { id: string }
/** A frame of the stream of all events. The stream can be resumed from each frame with an id. */
export type FeedFrame = Wire<'FeedEvent'>

export interface StreamTiming {
  /**
   * How many milliseconds nothing may arrive before a connection counts as dead; the service sends something every 5 s. Default: 20,000.
   */
  silentMs?: number
  /**
   * First and longest pause in milliseconds before a lost connection is opened again; each pause is twice as long as the one
   * before. Default: 250 and 8,000.
   */
  pausesMs?: readonly [first: number, longest: number]
  /** How many milliseconds an unreachable service is tried again. Default: 120,000 for a turn, without limit for everything else. */
  patienceMs?: number
}

export interface StreamOptions extends StreamTiming { signal?: AbortSignal | undefined }

export interface TurnOptions extends StreamOptions {
  /** The id of the last frame that was seen. Default: from the first frame. */
  after?: string | undefined
}

export interface FeedOptions extends StreamOptions {
  /** Sessions whose events are wanted, including the frames of turns that run or begin there. */
  sessions?: readonly string[]
  /** Turns whose frames are wanted: the id of each, or the id of its last frame that was seen. */
  turns?: readonly string[]
  /** Folders whose changes are wanted, as `<session_id>:<path>`. */
  folders?: readonly string[]
  /** The id of the last frame that was seen. Default: begin with a snapshot. */
  after?: string | undefined
  /** Which sessions the list shows, and how many of them a snapshot contains. */
  list?: { all_profiles?: string, include_archived?: string, limit?: string }
}

const lastFrames: ReadonlySet<string> = new Set(['stream_end', 'cancel', 'apperror', 'error'])

/** Whether this frame is the last of its turn. */
export const isTerminal = (event: string): boolean => lastFrames.has(event)

/** The number in the id of a frame, `<stream_id>:<seq>`; 0 without one. */
const seqOf = (id: string): number => Number(/:(\d{1,15})$/.exec(id)?.[1] ?? 0)
const streamOf = (id: string): string => id.replace(/:\d{1,15}$/, '')

/** Position of a client: in the stream of all events, and in each turn that is not over. */
interface Place { cursor: string, turns: Map<string, number> }

/** Advances the position in a turn. `seen`: the frame was received before; `gap`: a frame before it is missing. */
function followTurn (turns: Place['turns'], { stream_id: streamId, id, event }: { stream_id: string, id: string, event: string }): 'new' | 'seen' | 'gap' {
  const [before, seq] = [turns.get(streamId), seqOf(id)]
  if (before !== undefined && seq <= before) return 'seen'
  if (before !== undefined && seq > before + 1) return 'gap'
  if (isTerminal(event)) turns.delete(streamId)
  else turns.set(streamId, seq)
  return 'new'
}

/** Event streams that resume where they were cut off. */
export class Streams {
  readonly #api: Api
  readonly #timing: StreamTiming

  constructor (api: Api, timing: StreamTiming = {}) {
    this.#api = api
    this.#timing = timing
  }

  /**
   * Yields the frames of a turn, each once and in order, until its last one (see {@link isTerminal}). Throws ApiError if the service
   * refuses the stream or is away for too long, and the signal's reason when that is aborted; the turn itself continues.
   */
  async * turn (streamId: string, { after = '', ...options }: TurnOptions = {}): AsyncGenerator<TurnFrame> {
    const retry = this.#retry(options, 120_000)
    let seq = seqOf(after)
    for (;;) {
      try {
        for await (const frame of this.#framesAfter(streamId, seq, retry)) {
          seq = seqOf(frame.id)
          retry.succeeded()
          yield frame
          if (isTerminal(frame.event)) return
        }
        if (await this.#isOver(streamId, seq)) return
      } catch (error) {
        retry.failed(error)
      }
      await retry.pause()
    }
  }

  /**
   * Yields the frames that follow without a gap, until the connection ends or a frame is missing: frames that a proxy has
   * lost must be requested again.
   */
  async * #framesAfter (streamId: string, seq: number, retry: Retry): AsyncGenerator<TurnFrame> {
    for await (const batch of this.#open<Wire<'ChatEvent'>>('/api/chat/stream', { stream_id: streamId, after_seq: String(seq) }, retry)) {
      for (const { id, frame } of batch) {
        const its = seqOf(id ?? '')
        if (id === null || its <= seq) continue
        if (its > seq + 1) return
        seq = its
        yield { ...frame, id }
      }
    }
  }

  /**
   * Yields all events until the signal is aborted: `snapshot` first, and again if the service does not know the position to resume from.
   * Frames of turns come once and in order, also across lost connections. Throws ApiError if the service refuses.
   */
  async * events ({ sessions = [], turns = [], folders = [], after = '', list = {}, ...options }: FeedOptions = {}): AsyncGenerator<FeedFrame> {
    const retry = this.#retry(options)
    const place: Place = { cursor: after, turns: new Map(turns.map((id) => [streamOf(id), seqOf(id)])) }
    for (;;) {
      try {
        for await (const frame of this.#everythingAfter(place, { ...list, session: sessions, folder: folders }, retry)) {
          retry.succeeded()
          yield frame
        }
      } catch (error) {
        if (place.cursor === '' || !(error instanceof ApiError) || error.status !== 400) retry.failed(error)
        // A refused cursor is useless; a snapshot brings what is missing.
        else place.cursor = ''
      }
      await retry.pause()
    }
  }

  /** Yields the frames that follow, and advances the position, until the connection ends or a frame of a turn is missing. */
  async * #everythingAfter (place: Place, query: object, retry: Retry): AsyncGenerator<FeedFrame> {
    const follow = [...place.turns].map(([id, seq]) => seq === 0 ? id : `${id}:${seq}`)
    const cursor = place.cursor === '' ? {} : { after_event_id: place.cursor }
    for await (const batch of this.#open<FeedFrame>('/api/events', { ...query, follow, ...cursor }, retry)) {
      for (const { id, frame } of batch) {
        const news = frame.event === 'turn' ? followTurn(place.turns, frame.data) : 'new'
        if (news === 'gap') {
          // The cursor is already past the missing frame: without it, each turn resumes at the frame that the request names.
          place.cursor = ''
          return
        }
        if (frame.event === 'turn_unknown') place.turns.delete(frame.data.stream_id)
        place.cursor = id ?? place.cursor
        if (news === 'new') yield id === null ? frame : { ...frame, id }
      }
    }
  }

  /** Yields the frames of a stream without a cursor, beginning with its present state, until the signal is aborted. Throws ApiError. */
  async * watch<Path extends Watched> (
    path: Path, query: QueryOf<paths[Path]['get']>, options: StreamOptions = {}
  ): AsyncGenerator<WatchedFrame<Path>> {
    const retry = this.#retry(options)
    for (;;) {
      try {
        for await (const batch of this.#open<WatchedFrame<Path> & { event: string, data: unknown }>(path, query, retry)) {
          for (const { frame } of batch) {
            retry.succeeded()
            yield frame
          }
        }
      } catch (error) {
        retry.failed(error)
      }
      await retry.pause()
    }
  }

  #retry (options: StreamOptions, patienceMs = Infinity): Retry {
    return new Retry({ patienceMs, ...this.#timing, ...options })
  }

  #open<Frame extends { event: string, data: unknown }> (
    path: string, query: object, retry: Retry
  ): AsyncGenerator<Array<EventFrame<Frame>>> {
    return openEvents<Frame>({
      url: this.#api.url(path, query), headers: this.#api.headers, signal: retry.signal, onOpen: () => retry.reached(),
      ...(retry.silentMs !== undefined && { silentMs: retry.silentMs })
    }, async (response) => await this.#api.read(response))
  }

  /** Whether no frame follows this one: a stream ends at once for a client that has seen all of it. */
  async #isOver (streamId: string, seq: number): Promise<boolean> {
    const { active, journal } = await this.#api.get('/api/chat/stream/status', { stream_id: streamId })
    return !active && journal.terminal && journal.last_seq <= seq
  }
}

/** Decides when a stream is opened again, and when to give up. */
class Retry {
  readonly signal: AbortSignal
  readonly silentMs: number | undefined
  readonly #pausesMs: readonly [number, number]
  readonly #patienceMs: number
  #failures = 0
  #failedAtMs: number | null = null
  #lastError: unknown = null
  #askedS = 0

  constructor ({ signal, silentMs, pausesMs = [250, 8_000], patienceMs = Infinity }: StreamOptions) {
    this.signal = signal ?? new AbortController().signal
    this.silentMs = silentMs
    this.#pausesMs = pausesMs
    this.#patienceMs = patienceMs
  }

  /** Called when the service has answered: the time limit starts over. */
  reached (): void {
    this.#failedAtMs = null
  }

  /** Called when a frame has arrived: the next pause is short again. */
  succeeded (): void {
    this.#failures = 0
  }

  /** Throws errors that a retry does not change: an abort, and what the service refuses. */
  failed (error: unknown): void {
    this.signal.throwIfAborted()
    if (error instanceof ApiError) {
      if (error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429) throw error
      this.#askedS = error.retryAfterS ?? 0
    }
    this.#lastError = error
  }

  /** Waits before the next attempt: longer each time, not at the same moment as other clients, and as long as the service asks for. */
  async pause (): Promise<void> {
    this.#failedAtMs ??= Date.now()
    if (Date.now() - this.#failedAtMs > this.#patienceMs) {
      throw this.#lastError instanceof ApiError ? this.#lastError : new ApiError('The service cannot be reached any more.', 0)
    }
    const [first, longest] = this.#pausesMs
    const pauseMs = Math.min(longest, first * 2 ** this.#failures++)
    const waitMs = Math.max(this.#askedS * 1_000, pauseMs * (0.75 + Math.random() / 2))
    this.#askedS = 0
    await wait(waitMs, this.signal)
  }
}

/** Throws the signal's reason when that is aborted. */
async function wait (ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise<void>((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal.addEventListener('abort', end)
  })
}
