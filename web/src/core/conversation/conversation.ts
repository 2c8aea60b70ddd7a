import { computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import {
  refusalOf, type ConversationEvent, type Mode, type ModelPick, type NewSession, type Notice, type OpenState, type Outgoing,
  type SessionFacts
} from './conversation-state.js'
import { FollowedSession } from './followed-session.js'
import { type GoalNow } from './goal.js'
import { MessageSender } from './message-sender.js'
import { type OfflineCopies } from '../device/offline-copies.js'
import { updateSession } from '../sessions/session-settings.js'
import { type Link } from '../service/link.js'
import { type Outbox } from './outbox.js'
import { type Schedule } from '../turn/running-turn.js'
import { type Transcript } from './transcript.js'

export interface ConversationOptions {
  api: Api
  link: Link
  /** Null for an empty page, which becomes a session with its first message or file. */
  sessionId: string | null
  /** Returns the settings of a new session when it is created. */
  newSession?: () => NewSession
  schedule?: Schedule
  nowS?: () => number
  /** Copies on this device, used while the service cannot be reached. */
  copies?: OfflineCopies | undefined
  /** Takes messages that cannot be sent now. */
  outbox?: Outbox | undefined
}

/** One open session, and the person's actions in it. Created when it is opened, closed when it is left. */
export class Conversation {
  readonly #followed: FollowedSession
  readonly #sender: MessageSender
  readonly #newSession: () => NewSession
  readonly #notice = signal<Notice | null>(null)
  readonly #stopping = signal<string | null>(null)
  readonly #listeners = new Set<(event: ConversationEvent) => void>()
  #creating: Promise<string> | null = null
  /** What the box can do now. */
  readonly mode: ReadonlySignal<Mode> = computed(() => {
    if (this.#sender.isSending.value) return 'sending'
    const running = this.#followed.running.value
    if (running === null) return 'idle'
    return this.#stopping.value === running ? 'stopping' : 'running'
  })

  constructor (readonly options: ConversationOptions) {
    const { api, link, sessionId, newSession = () => ({}), schedule, nowS = () => Date.now() / 1000, copies, outbox } = options
    this.#newSession = newSession
    this.#followed = new FollowedSession({ api, link, schedule, nowS, copies, say: (event) => this.#say(event) })
    this.#sender = new MessageSender({
      api, outbox, newSession, nowS, followed: this.#followed, ensure: () => this.ensure(), tell: (notice) => this.tell(notice)
    })
    if (sessionId !== null) this.#followed.follow(sessionId)
  }

  get api (): Api { return this.options.api }
  get transcript (): Transcript { return this.#followed.transcript }
  get sessionId (): ReadonlySignal<string | null> { return this.#followed.id }
  /** Null until it is loaded. */
  get session (): ReadonlySignal<SessionFacts | null> { return this.#followed.known.facts }
  get state (): ReadonlySignal<OpenState> { return this.#followed.known.state }
  /** Why the last attempt to read the session failed. */
  get problem (): ReadonlySignal<ApiError | null> { return this.#followed.known.problem }
  /** The stream of the running turn. */
  get running (): ReadonlySignal<string | null> { return this.#followed.running }
  get notice (): ReadonlySignal<Notice | null> { return this.#notice }
  get todos (): ReadonlySignal<Wire<'TodoState'> | null> { return this.#followed.known.todos }
  get goal (): ReadonlySignal<GoalNow | null> { return this.#followed.goals.now }
  /** The usage reported by the last turn that ended here; until then, the session has the sums. */
  get usage (): ReadonlySignal<Wire<'TurnUsage'> | null> { return this.#followed.known.usage }
  /** When the shown copy was made; null once the service has answered. */
  get keptAtMs (): ReadonlySignal<number | null> { return this.#followed.keptAtMs }
  get isReadingBack (): ReadonlySignal<boolean> { return this.#followed.isReadingBack }

  /** Adds a listener for events that other parts act on. */
  listen (listener: (event: ConversationEvent) => void): () => void {
    this.#listeners.add(listener)
    return () => { this.#listeners.delete(listener) }
  }

  /** Stops following the session; its turns continue in the service. */
  close (): void {
    this.#followed.close()
    this.#listeners.clear()
  }

  /** Shows the person a message beside the box; null removes it. */
  tell (notice: Notice | null): void { this.#notice.value = notice }

  /** Reads the session again; unchanged parts are not redrawn. Never rejects: `problem` has the error. */
  async reload (): Promise<void> { await this.#followed.read() }

  /** Loads an earlier page. Resolves with whether that succeeded. */
  async readEarlier (): Promise<boolean> { return await this.#tried(() => this.#followed.readEarlier()) }

  /** Loads earlier pages until a message of the transcript is loaded. Resolves with whether it is. Throws ApiError. */
  async readBackTo (index: number): Promise<boolean> {
    await this.#followed.readEarlier(index)
    return this.transcript.offset <= index
  }

  /** Sets whether something in this session waits for the person. */
  setWaiting (isWaiting: boolean): void { this.#followed.setWaiting(isWaiting) }

  /** Adopts the row of the session list: another device may have renamed, moved or pinned the session. */
  syncRow (row: Partial<Wire<'PageRow'>> & Pick<Wire<'PageRow'>, 'session_id'>): void {
    if (row.session_id !== this.sessionId.peek()) return
    const { title, pinned, archived, project_id: projectId, model, model_provider: provider, workspace } = row
    const said = Object.entries({
      title, display_title: title, pinned, archived, project_id: projectId, model, model_provider: provider, workspace
    })
    this.#followed.known.know({ ...Object.fromEntries(said.filter(([, value]) => value !== undefined)), mode: row.mode })
  }

  /** Switches plan mode on or off; an empty page becomes a chat. Throws ApiError. */
  async setPlanning (isOn: boolean): Promise<void> {
    const id = await this.ensure()
    const { known } = this.#followed
    const before = known.facts.peek()?.mode
    known.know({ mode: isOn ? 'plan' : undefined })
    try {
      await updateSession(this.api, id, { mode: isOn ? 'plan' : 'default' })
    } catch (error) {
      known.know({ mode: before })
      throw error
    }
  }

  /** Makes this temporary chat a normal one. Throws ApiError. */
  async keep (): Promise<void> {
    const id = this.sessionId.peek()
    if (id === null) return
    await updateSession(this.api, id, { temporary: false })
    this.#followed.known.know({ temporary: undefined })
  }

  /** Returns the id of the session, which an empty page creates once for all callers. Throws ApiError. */
  async ensure (): Promise<string> {
    const id = this.sessionId.peek()
    if (id !== null) return id
    this.#creating ??= this.#create()
    return await this.#creating
  }

  async #create (): Promise<string> {
    try {
      const { session } = await this.api.post('/api/session/new', this.#newSession())
      const { session_id: id } = session
      // The message is still sent if another chat is open by now.
      if (this.#followed.isClosed) return id
      this.#followed.follow(id, session)
      this.#say({ type: 'created', sessionId: id })
      return id
    } finally {
      this.#creating = null
    }
  }

  /** See `MessageSender.send`. */
  async send (message: Outgoing): Promise<boolean> { return await this.#sender.send(message) }

  /** See `MessageSender.queue`. */
  async queue (message: Outgoing): Promise<boolean> { return await this.#sender.queue(message) }

  /** See `MessageSender.pursue`. */
  async pursue (text: string): Promise<boolean> { return await this.#sender.pursue(text) }

  /** Adds a note to the running turn. Resolves with whether the agent takes it; if not, `notice` says why. */
  async steer (text: string): Promise<boolean> {
    const [streamId, id] = [this.running.peek(), this.sessionId.peek()]
    if (streamId === null || id === null) return false
    if (this.options.outbox?.isCut() === true && this.#sender.putOut({ text, attachments: [] })) return true
    let isTaken = false
    await this.#tried(async () => {
      const { accepted, fallback } = await this.api.post('/api/chat/steer', { session_id: id, text })
      isTaken = accepted
      if (accepted) this.#followed.note(streamId, text)
      else this.tell({ code: 'steer-refused', reason: refusalOf(fallback) })
    })
    return isTaken
  }

  /** Stops the running turn; its output so far stays. */
  async stop (): Promise<void> {
    const streamId = this.running.peek()
    if (streamId === null || this.#stopping.peek() === streamId) return
    this.#stopping.value = streamId
    const isDone = await this.#tried(async () => {
      const { cancelled } = await this.api.post('/api/chat/cancel', { stream_id: streamId })
      if (!cancelled && this.running.peek() === streamId) this.tell({ code: 'ending-already' })
    })
    if (!isDone && this.#stopping.peek() === streamId) this.#stopping.value = null
  }

  /**
   * Resumes a turn that waits for a provider's limit: now, perhaps with another model, or (`now: false`) at a time that the service finds.
   */
  async resume (how: { now?: boolean, pick?: ModelPick } = {}): Promise<void> {
    const streamId = this.running.peek()
    if (streamId === null) return
    const { now = true, pick } = how
    await this.#tried(async () => {
      await this.api.post('/api/chat/resume', {
        stream_id: streamId, now,
        ...(pick === undefined ? {} : { model: pick.model, ...(pick.provider === undefined ? {} : { model_provider: pick.provider }) })
      })
    })
  }

  /** Pauses, resumes or clears the goal. Resolves with the service's answer; null on failure. */
  async actOnGoal (args: 'status' | 'pause' | 'resume' | 'clear'): Promise<Wire<'GoalAnswer'> | null> {
    const id = this.sessionId.peek()
    let answer: Wire<'GoalAnswer'> | null = null
    if (id !== null) await this.#tried(async () => { answer = await this.#followed.goals.act(id, args) })
    return answer
  }

  async #tried (act: () => Promise<void>): Promise<boolean> {
    try {
      await act()
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.tell({ code: 'failed', message: error.message })
      return false
    }
  }

  #say (event: ConversationEvent): void {
    if (event.type === 'leftover') this.tell({ code: 'leftover' })
    for (const listener of [...this.#listeners]) listener(event)
  }
}
