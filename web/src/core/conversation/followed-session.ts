import { batch, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { wholeChanges, type ConversationEvent } from './conversation-state.js'
import { GoalWatch } from './goal.js'
import { type OfflineCopies } from '../device/offline-copies.js'
import { KnownSession } from './known-session.js'
import { isTerminal, type Link, type TurnFrame } from '../service/link.js'
import { loadTurns, turns } from '../turn/loading-turns.js'
import { problemIn } from '../turn/problem-sentence.js'
import { type RunningTurn, type Schedule } from '../turn/running-turn.js'
import { ReadingBack } from './reading-back.js'
import { readEnd, rowsOfWhole } from '../sessions/session-pages.js'
import { Transcript } from './transcript.js'
import { type LiveTurn } from '../turn/turn-live.js'
import { type StoredRow } from '../turn/turn-stored.js'
import { type Turn, type UserMessage } from '../turn/turn.js'

export interface FollowOptions {
  api: Api
  link: Link
  /** By default, the next animation frame. */
  schedule?: Schedule | undefined
  nowS: () => number
  say: (event: ConversationEvent) => void
  copies?: OfflineCopies | undefined
}

type LastFrame = Extract<TurnFrame, { event: 'done' | 'cancel' | 'apperror' }>

const endStates = { done: 'completed', cancel: 'cancelled', apperror: 'failed' } as const

/**
 * The state of one session, kept up to date: its transcript and its running turn. Late answers, and frames of ended turns, change nothing.
 */
export class FollowedSession {
  readonly transcript = new Transcript()
  readonly known = new KnownSession()
  readonly goals: GoalWatch
  readonly #back: ReadingBack
  readonly #id = signal<string | null>(null)
  readonly #running = signal<string | null>(null)
  readonly #keptAtMs = signal<number | null>(null)
  /** Streams whose end was seen: an older answer must not revive them. */
  readonly #ended = new Set<string>()
  /** Frames of turns that are unknown until a pending answer names them. */
  readonly #early = new Map<string, TurnFrame[]>()
  #live: RunningTurn | null = null
  /** The message that is being sent. */
  #sending: UserMessage | null = null
  #isWaiting = false
  #isClosed = false
  /** Incremented by anything that makes a pending answer outdated. */
  #version = 0
  #reading: Promise<void> | null = null
  /** An event that arrived when it could not be handled; a pending answer may be older than it. */
  #missed: { event: string, news: Record<string, unknown> } | null = null
  /** The length of the queue, as reported while the session was being read: the answer may be older. */
  #queued: number | null = null
  #unwatch: () => void = () => {}

  constructor (readonly options: FollowOptions) {
    this.goals = new GoalWatch(options.api)
    this.#back = new ReadingBack({ api: options.api, transcript: this.transcript, id: () => this.#isClosed ? null : this.#id.peek() })
  }

  get id (): ReadonlySignal<string | null> { return this.#id }
  /** The stream of the running turn; null if none runs. */
  get running (): ReadonlySignal<string | null> { return this.#running }
  get isReadingBack (): ReadonlySignal<boolean> { return this.#back.isActive }
  /** When the shown copy was made; null once the service has answered. */
  get keptAtMs (): ReadonlySignal<number | null> { return this.#keptAtMs }
  get isClosed (): boolean { return this.#isClosed }

  /** Stops following the session. */
  close (): void {
    this.#isClosed = true
    this.#version++
    this.#unwatch()
  }

  /** Follows this session. `detail`: the known state of a session that was just created. */
  follow (id: string, detail?: Wire<'SessionDetail'>): void {
    batch(() => {
      this.#id.value = id
      if (detail !== undefined) this.known.take(detail)
    })
    this.#unwatch = this.options.link.watchSession(id, {
      onTurn: (streamId, _seq, frame) => this.#hear(streamId, frame),
      onUnknown: (streamId) => this.#lose(streamId),
      onConversation: (event, news) => this.#hearNews(event, news)
    })
    if (detail === undefined) void Promise.all([this.read(), this.#showKept(id)])
  }

  /** Shows this device's copy until the service answers. */
  async #showKept (id: string): Promise<void> {
    const copy = await this.options.copies?.session(id) ?? null
    if (copy === null) return
    const code = await loadTurns().catch(() => null)
    if (code === null || this.#isClosed || this.known.facts.peek() !== null) return
    batch(() => {
      this.known.take(copy.detail)
      this.transcript.replace(copy.rows, { offset: copy.offset, anchor: code.anchorOf(copy.detail), live: null })
      this.#keptAtMs.value = copy.atMs
    })
  }

  /** Reads the session, or reads it again; unchanged parts are not redrawn. Never rejects: `problem` has the error. */
  async read (): Promise<void> {
    const id = this.#id.peek()
    if (id === null || this.#isClosed) return
    this.known.open()
    this.#queued = null
    const reading = this.#read(id, ++this.#version)
    this.#reading = reading
    await reading
    if (this.#reading !== reading) return
    this.#reading = null
    this.#hearMissed()
  }

  async #read (id: string, version: number): Promise<void> {
    try {
      const from = this.known.facts.peek() === null ? null : this.transcript.offset
      const [{ detail, rows, offset }, code] = await Promise.all([readEnd(this.options.api, id, from), loadTurns().catch(() => null)])
      if (version !== this.#version) return
      if (code === null) return this.known.fail(null)
      this.#take(this.#queued === null ? detail : { ...detail, queued_count: this.#queued }, rows, offset)
      if (!detail.read_only) void this.goals.refresh(id)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (version !== this.#version) return
      this.known.fail(error)
      if (error.status === 404) this.options.say({ type: 'gone' })
    }
  }

  /** Loads an earlier page, or with `from` everything back to that message. Throws ApiError. */
  async readEarlier (from: number | null = null): Promise<void> { await this.#back.read(from) }

  /** Sets whether something in this session waits for the person. */
  setWaiting (isWaiting: boolean): void {
    this.#isWaiting = isWaiting
    this.#live?.wait(isWaiting)
  }

  /** Shows a message at the end while it is being sent. A pending answer would not contain it. */
  async sending (user: UserMessage): Promise<void> {
    this.#sending = user
    await this.#reading
    this.#version++
    // The message is sent meanwhile.
    loadTurns().then(({ beginTurn }) => {
      if (this.#sending === user && this.#running.peek() === null) this.transcript.run({ ...beginTurn(user).turn, state: 'sending' })
    }, () => {})
  }

  /** Called when the message was stored, with the stream of its turn; null: no turn answers it. */
  async sent (streamId: string | null, user: UserMessage): Promise<void> {
    const code = await loadTurns().catch(() => null)
    if (this.#isClosed) return
    this.#sending = null
    this.#version++
    // If the answer was lost, the message may have started a turn that is known here, or over by now.
    const isOver = streamId !== null && this.#ended.has(streamId)
    if (streamId === null || isOver) this.transcript.run(null)
    else if (code !== null && this.#running.peek() !== streamId) this.#attach(streamId, code.beginTurn(user))
    if (isOver || code === null) void this.read()
    else this.#catchUp()
  }

  notSent (): void {
    this.#sending = null
    if (this.#running.peek() === null) this.transcript.run(null)
    this.#catchUp()
  }

  /** Reads the session if something was missed: turns may have begun, and things changed. */
  #catchUp (): void {
    if (this.#early.size > 0 && !this.#isClosed) void this.read()
    else this.#hearMissed()
  }

  #hearMissed (): void {
    const missed = this.#missed
    this.#missed = null
    if (missed !== null) this.#hearNews(missed.event, missed.news)
  }

  /** Adds a note that the agent has accepted to the running turn. */
  note (streamId: string, text: string): void {
    if (this.#running.peek() === streamId) this.#live?.addNote(text)
  }

  #attach (streamId: string, live: LiveTurn, stored?: { rows: readonly StoredRow[], offset: number, detail: Wire<'SessionDetail'> }): void {
    const { anchorOf, nextFrame, RunningTurn } = turns()
    const options = {
      schedule: this.options.schedule ?? nextFrame, nowS: this.options.nowS,
      show: (turn: Turn) => { if (this.#live === running) this.transcript.run(turn) }
    }
    const running = new RunningTurn(streamId, live, options)
    batch(() => {
      this.#live = running
      this.#running.value = streamId
      if (stored === undefined) this.transcript.run(running.turn)
      else this.transcript.replace(stored.rows, { offset: stored.offset, anchor: anchorOf(stored.detail), live: running.turn })
      running.wait(this.#isWaiting)
      const early = this.#early.get(streamId) ?? []
      this.#early.delete(streamId)
      for (const frame of early) this.#hear(streamId, frame)
    })
  }

  /** Replaces the known state with the service's answer. */
  #take (detail: Wire<'SessionDetail'>, rows: readonly StoredRow[], offset: number): void {
    this.#version++
    const { anchorOf, beginTurn, partAtRunning } = turns()
    if (detail.temporary !== true) this.options.copies?.putSession(detail, rows, offset)
    batch(() => {
      this.known.take(detail)
      this.#keptAtMs.value = null
      const { active_stream_id: active } = detail
      if (active === null || this.#ended.has(active)) {
        this.#live = null
        this.#running.value = null
        this.transcript.replace(rows, { offset, anchor: anchorOf(detail), live: null })
        return
      }
      const { before, asked, notes } = partAtRunning(rows, detail)
      if (this.#live?.streamId === active && !this.#live.hasSettled) {
        this.transcript.replace(before, { offset, anchor: anchorOf(detail), live: this.#live.know(asked) })
      } else this.#attach(active, beginTurn(asked, notes), { rows: before, offset, detail })
    })
  }

  #hear (streamId: string, frame: TurnFrame): void {
    if (this.#isClosed) return
    if (this.#ended.has(streamId)) return this.#hearAfterwards(frame)
    if (this.#live?.streamId !== streamId) return this.#hearEarly(streamId, frame)
    this.#live.hear(frame)
    switch (frame.event) {
      case 'done':
      case 'cancel':
      case 'apperror': return this.#settle(frame)
      case 'stream_end': return this.#lose(streamId)
      case 'todo_state': return this.known.plan(frame.data)
      case 'tool_complete': return this.options.say({ type: 'work' })
      default: return this.#hearAfterwards(frame)
    }
  }

  /**
   * Reads a turn that began elsewhere, together with its message. If this window is just sending a message, it waits for that answer first.
   */
  #hearEarly (streamId: string, frame: TurnFrame): void {
    const known = this.#early.get(streamId)
    this.#early.set(streamId, [...known ?? [], frame])
    if (isTerminal(frame.event) || frame.event === 'done') {
      // Its frames are no longer needed.
      if (this.#sending === null) {
        this.#early.delete(streamId)
        this.#ended.add(streamId)
        void this.read()
      }
    } else if (this.#sending === null && this.#reading === null) void this.read()
  }

  /** Handles frames that may come after the answer. */
  #hearAfterwards (frame: TurnFrame): void {
    const id = this.#id.peek()
    if (frame.event === 'title' && frame.data.session_id === id) {
      this.known.know({
        title: frame.data.title, display_title: frame.data.title
      })
    } else if (frame.event === 'goal' && frame.data.session_id === id) this.goals.tell(frame.data.goal, frame.data.state)
    else if (frame.event === 'pending_steer_leftover') this.options.say({ type: 'leftover', text: frame.data.text })
  }

  /** Replaces the streamed content with the stored transcript. */
  #settle ({ event, data }: LastFrame): void {
    const live = this.#live
    if (live === null) return
    this.#ended.add(live.streamId)
    const problem = event === 'apperror'
      ? problemIn(data)
      : null
    batch(() => {
      live.end({ state: problem?.type === 'interrupted' ? 'interrupted' : endStates[event], problem })
      if ('usage' in data && data.usage !== null && 'duration_seconds' in data.usage) this.known.use(data.usage)
      this.#running.value = null
      const detail = 'session' in data ? data.session : null
      if (detail !== null && 'messages' in detail && detail.session_id === this.#id.peek() &&
        detail.messages.length >= this.transcript.offset) {
        this.#take(detail, rowsOfWhole(detail, this.transcript.offset), this.transcript.offset)
      } else void this.read()
    })
    this.options.say({ type: 'ended', state: endStates[event] })
  }

  /** Reads the transcript if the end of a turn was missed, or the turn no longer exists. */
  #lose (streamId: string): void {
    this.#early.delete(streamId)
    if (this.#ended.has(streamId) || this.#live?.streamId !== streamId) return
    this.#ended.add(streamId)
    void this.read()
  }

  #hearNews (event: string, news: Record<string, unknown>): void {
    if (this.#isClosed) return
    if (event === 'bg_task_complete') return this.options.say({ type: 'background', taskId: String(news.task_id) })
    // The folder panel and the views of calls follow these events themselves.
    if (event === 'reviews_changed' || event === 'plan_changed' || event === 'view_calls_changed') return
    if (event === 'queue_changed') {
      this.#queued = Number(news.queued_count)
      this.known.know({ queued_count: this.#queued })
      return this.options.say({ type: 'queue' })
    }
    const facts = this.known.facts.peek()
    if (this.#sending !== null || this.#reading !== null) {
      this.#missed = { event, news }
      return
    }
    // The shown state is old or missing, and the service can be reached again.
    const isOld = facts === null || this.#keptAtMs.peek() !== null
    const { active_stream_id: active, message_count: count, updated_at: updatedAtS, reason } = news
    const isOther = isOld || count !== facts.message_count || updatedAtS !== facts.updated_at || wholeChanges.has(String(reason))
    const running = this.#running.peek()
    // Changes during a turn are read at its end. A turn that was over when the connection began to follow the session ends here.
    if (!isOld && running !== null && !(event === 'initial' && active !== running && isOther)) return
    if (isOld || (active === null ? isOther : typeof active === 'string' && !this.#ended.has(active))) void this.read()
  }
}
