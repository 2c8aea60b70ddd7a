import { Api, ApiError, newClientId, type ApiOptions, type Wire } from './api.js'
import {
  Streams, type FeedFrame, type FeedOptions, type StreamOptions, type StreamTiming, type TurnFrame, type TurnOptions, type Watched,
  type WatchedFrame
} from './streams.js'
import { type paths } from '../wire.js'

type Start = NonNullable<paths['/api/chat/start']['post']['requestBody']>['content']['application/json']

export interface ClientOptions {
  /** The address of the service, such as `https://agent.example.org`; empty: the page's own. */
  url?: string
  /** The token of a device; without one, the browser's cookies are used. */
  token?: string | null
  /** How event streams are resumed. */
  timing?: StreamTiming
  /** All other options of the {@link Api}, such as `csrfToken`. */
  api?: Omit<ApiOptions, 'origin'>
}

/** What a message may contain besides its text. */
export type MessageOptions = Omit<Partial<Start>, 'session_id' | 'message'>

/** A prompt that waits for a person: the agent asks for permission, or has a question. */
export type Prompt =
  { kind: 'approval', prompt: Wire<'PendingApproval'> } | { kind: 'question', prompt: Wire<'PendingClarification'> }

export type ApprovalChoice = 'once' | 'session' | 'always' | 'deny'

/** A finished answer. `message_id`: the message that holds it. */
export interface Answer { text: string, streamId: string, done: Wire<'Done'> | Wire<'DoneOnTheSide'> | null }

export interface AskOptions extends MessageOptions, StreamOptions {
  /** Called with each frame of the turn. */
  onFrame?: (frame: TurnFrame) => void
  /**
   * Called with each approval and question of the session. Without it, a turn that asks waits until someone answers elsewhere. If it
   * throws, `ask` ends with that error; the turn keeps waiting.
   */
  onPrompt?: (prompt: Prompt) => Promise<void> | void
}

/** A turn that did not end with an answer: `type` is that of its last frame, such as `rate_limit` or `cancelled`. */
export class TurnFailed extends Error {
  override readonly name = 'TurnFailed'
  constructor (message: string, readonly type: string, readonly hint: string | null) {
    super(message)
  }
}

/** Client of a service, for programs. Every failed request throws an ApiError. */
export class Client {
  /** Typed calls of every operation. */
  readonly api: Api
  readonly url: string
  readonly #streams: Streams

  constructor ({ url = '', token = null, timing, api = {} }: ClientOptions = {}) {
    this.url = url.replace(/\/$/, '')
    this.api = new Api({
      ...api, origin: this.url, headers: { ...api.headers, ...(token !== null && token !== '' && { authorization: `Bearer ${token}` }) }
    })
    this.#streams = new Streams(this.api, timing)
  }

  /** Exchanges the code of `POST /api/auth/tokens/pair` for the token of this device. It is shown once: keep it. Throws ApiError. */
  static async pair (url: string, code: string): Promise<{ token: string, device: Wire<'Device'> }> {
    const { token, device } = await new Client({ url }).api.post('/api/auth/pair', { code })
    if (token === null) throw new ApiError('The service answered without a token.', 200)
    return { token, device }
  }

  /** Sends a message. If it is sent again because it may not have arrived, it counts once. Throws ApiError. */
  async send (sessionId: string, message: string, options: MessageOptions = {}): Promise<Wire<'Started'>> {
    const started = await this.api.postOnce('/api/chat/start', { ...options, session_id: sessionId, message })
    if (!('stream_id' in started)) throw new ApiError('The service starts no turn for this message.', 200, started)
    return started
  }

  /** See {@link Streams.turn}. */
  turn (streamId: string, options?: TurnOptions): AsyncGenerator<TurnFrame> {
    return this.#streams.turn(streamId, options)
  }

  /** See {@link Streams.events}. */
  events (options?: FeedOptions): AsyncGenerator<FeedFrame> {
    return this.#streams.events(options)
  }

  /** See {@link Streams.watch}. */
  watch<Path extends Watched> (...request: Parameters<typeof Streams.prototype.watch<Path>>): AsyncGenerator<WatchedFrame<Path>> {
    return this.#streams.watch(...request)
  }

  /**
   * Yields each approval and question of a session when it is first in line, beginning with one that already waits. Throws ApiError, and
   * the signal's reason when that is aborted.
   */
  async * prompts (sessionId: string, options: StreamOptions = {}): AsyncGenerator<Prompt> {
    const shown = new Set<string>()
    for await (const frame of this.events({ ...options, list: { all_profiles: '1', limit: '1' } })) {
      const news = frame.event === 'snapshot' ? frame.data.prompts : frame.event === 'prompts' ? [frame.data] : []
      for (const { session_id: id, data: { pending } } of news) {
        if (id !== sessionId || pending === null) continue
        const prompt: Prompt = 'approval_id' in pending ? { kind: 'approval', prompt: pending } : { kind: 'question', prompt: pending }
        const promptId = 'approval_id' in pending ? pending.approval_id : pending.clarify_id
        if (shown.has(promptId)) continue
        shown.add(promptId)
        yield prompt
      }
    }
  }

  /** Answers an approval. Throws ApiError: 409 if it no longer waits, 502 if it still does. */
  async approve (
    { session_id: sessionId, approval_id: id }: Wire<'PendingApproval'>, choice: ApprovalChoice = 'once'
  ): Promise<Wire<'ApprovalAnswer'>> {
    return await this.api.post('/api/approval/respond', { session_id: sessionId, approval_id: id, choice })
  }

  /** Answers a question: with a text, or the values of its form by name; null declines a form. Throws ApiError. */
  async answer (
    { session_id: sessionId, clarify_id: id }: Wire<'PendingClarification'>, response: string | Record<string, unknown> | null
  ): Promise<Wire<'ClarifyAnswer'>> {
    return await this.api.post('/api/clarify/respond', {
      session_id: sessionId, clarify_id: id, ...(response === null ? { decline: true } : { response })
    })
  }

  /** Stops a turn. Returns whether there was something to stop. */
  async cancel (streamId: string): Promise<boolean> {
    return (await this.api.post('/api/chat/cancel', { stream_id: streamId })).cancelled
  }

  /** Sends a message and waits for its answer. Throws ApiError and TurnFailed; after an abort, the turn continues in the service. */
  async ask (
    sessionId: string, message: string, { onFrame, onPrompt, signal, silentMs, pausesMs, patienceMs, ...options }: AskOptions = {}
  ): Promise<Answer> {
    const { stream_id: streamId } = await this.send(sessionId, message, options)
    const timing = { ...(silentMs !== undefined && { silentMs }), ...(pausesMs !== undefined && { pausesMs }) }
    const over = new AbortController()
    const end = (): void => { over.abort(signal?.reason) }
    signal?.addEventListener('abort', end)
    if (signal?.aborted === true) end()
    const asked = this.#handle(sessionId, onPrompt, { ...timing, signal: over.signal })
    // Whichever fails first ends the other.
    const failed = asked.catch((error: unknown) => { over.abort(error) })
    try {
      let [text, done]: [string, Answer['done']] = ['', null]
      for await (const frame of this.turn(streamId, { ...timing, signal: over.signal, ...(patienceMs !== undefined && { patienceMs }) })) {
        onFrame?.(frame)
        if (frame.event === 'token') text += frame.data.text
        else if (frame.event === 'tool') text = ''
        else if (frame.event === 'done') done = 'usage' in frame.data && frame.data.usage !== null ? frame.data : null
        else if (frame.event === 'interim_assistant' && !frame.data.already_streamed) text = frame.data.text
        else if (frame.event === 'cancel' || frame.event === 'apperror') throw failureOf(frame)
      }
      return { text: text.trim(), streamId, done }
    } finally {
      signal?.removeEventListener('abort', end)
      over.abort()
      await failed
    }
  }

  /**
   * Uploads a file; the answer goes into `attachments` of a message. If it is repeated because no answer came, it counts
   * once. Throws ApiError.
   */
  async upload (sessionId: string, file: File): Promise<Wire<'AttachedFile'>> {
    const clientId = newClientId()
    const send = async (): Promise<Wire<'AttachedFile'>> => {
      const form = new FormData()
      form.append('session_id', sessionId)
      form.append('client_id', clientId)
      form.append('file', file, file.name)
      return await this.api.post('/api/upload', form)
    }
    return await send().catch(async (error: unknown) => {
      if (error instanceof ApiError && error.status === 0) return await send()
      throw error
    })
  }

  async #handle (sessionId: string, onPrompt: AskOptions['onPrompt'], options: StreamOptions): Promise<void> {
    if (onPrompt === undefined) return
    try {
      for await (const prompt of this.prompts(sessionId, options)) await onPrompt(prompt)
    } catch (error) {
      if (options.signal?.aborted !== true) throw error
    }
  }
}

function failureOf ({ event, data }: Extract<TurnFrame, { event: 'cancel' | 'apperror' }>): TurnFailed {
  return new TurnFailed(
    data.message, event === 'cancel' ? 'cancelled' : 'type' in data ? data.type : 'error', 'hint' in data ? data.hint ?? null : null
  )
}
