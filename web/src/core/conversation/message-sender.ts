import { signal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { type ModelPick, type NewSession, type Notice, type Outgoing } from './conversation-state.js'
import { type FollowedSession } from './followed-session.js'
import { type Outbox } from './outbox.js'
import { startBody } from '../turn/message-wire.js'
import { type Attachment, type UserMessage } from '../turn/turn.js'

export interface SenderOptions {
  api: Api
  followed: FollowedSession
  outbox: Outbox | undefined
  /** Returns the id of the session, which an empty page creates. Throws ApiError. */
  ensure: () => Promise<string>
  newSession: () => NewSession
  nowS: () => number
  /** Shows the person a message beside the box; null removes it. */
  tell: (notice: Notice | null) => void
}

type Started = Partial<Pick<Wire<'Started'>, 'stream_id' | 'title'>>
interface Message { text: string, attachments: readonly Attachment[], source: string | null, pick?: ModelPick | undefined }

/** Sends the messages of one session: to the service, or to this device's outbox while the service cannot be reached. */
export class MessageSender {
  readonly isSending = signal(false)

  constructor (readonly options: SenderOptions) {}

  /**
   * Sends a message that starts a turn. Resolves with whether the service stored it or this device's outbox took it; if not, the sender
   * keeps it and `notice` says why.
   */
  async send ({ text, attachments = [], pick }: Outgoing): Promise<boolean> {
    if (pick === undefined && this.#hasToWait() && this.putOut({ text, attachments })) return true
    return await this.#start({ text, attachments, source: null, pick }, async (id) => {
      const answer = await this.options.api.postOnce('/api/chat/start', startBody(id, { text, attachments, pick }))
      return 'stream_id' in answer ? answer : {}
    })
  }

  /**
   * Queues a message behind the running turn and the messages that already wait. Resolves with whether the service, or this device's
   * outbox, has it; if not, the sender keeps it and `notice` says why.
   */
  async queue ({ text, attachments = [], pick }: Outgoing): Promise<boolean> {
    const id = this.options.followed.id.peek()
    if (id === null) return await this.send({ text, attachments, pick })
    const message = { text, attachments, pick, isQueued: true }
    if (this.#hasToWait() && this.putOut(message)) return true
    try {
      await this.options.api.postOnce('/api/chat/start', startBody(id, message))
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      // A request without an answer may have arrived, so it is sent again with the same id.
      if (error.status === 0 && this.putOut(message, error.clientId)) return true
      this.options.tell({ code: 'failed', message: error.message })
      return false
    }
  }

  /** Sets a goal and follows its first turn; otherwise like `send`. */
  async pursue (text: string): Promise<boolean> {
    return await this.#start({ text, attachments: [], source: 'goal' }, async (id) => {
      const answer = await this.options.api.postOnce('/api/goal', { session_id: id, args: text })
      this.options.followed.goals.tell(answer.goal)
      return answer
    })
  }

  async #start (message: Message, post: (id: string) => Promise<Started>): Promise<boolean> {
    if (this.isSending.peek()) return false
    this.isSending.value = true
    this.options.tell(null)
    const { pick, ...shown } = message
    const user: UserMessage = { ...shown, messageId: null, index: null, atS: this.options.nowS(), state: 'sending' }
    const { followed } = this.options
    await followed.sending(user)
    try {
      const { stream_id: streamId, title } = await post(await this.options.ensure())
      if (title !== undefined) followed.known.know({ title, display_title: title })
      await followed.sent(streamId ?? null, { ...user, state: 'stored' })
      return true
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return !followed.isClosed && await this.#notStarted(error, message)
    } finally {
      this.isSending.value = false
    }
  }

  /** Whether a message has to go to the outbox: the service cannot be reached, or other messages go first. */
  #hasToWait (): boolean {
    const { outbox } = this.options
    const id = this.options.followed.id.peek()
    // Another window may just have added one.
    outbox?.look()
    return outbox !== undefined && (outbox.isCut() || outbox.unsent.peek().some(({ sessionId }) => id !== null && sessionId === id))
  }

  /** Gives a message to the outbox. Returns whether that took it. */
  putOut (message: Pick<Message, 'text' | 'attachments' | 'pick'> & { isQueued?: boolean }, triedAs: string | null = null): boolean {
    const { outbox, followed, newSession, tell } = this.options
    const isTaken = outbox?.put({ ...message, sessionId: followed.id.peek(), newSession: newSession(), triedAs }) ?? false
    if (isTaken) tell(null)
    return isTaken
  }

  async #notStarted (error: ApiError, { source, ...message }: Message): Promise<boolean> {
    const { followed } = this.options
    followed.notSent()
    const isElsewhere = error.body.active_stream_id !== undefined && error.code !== 'agent_running'
    this.options.tell(isElsewhere ? { code: 'already-running' } : { code: 'failed', message: error.message })
    // A request without an answer may have arrived, so it is sent again with the same id.
    const isUnsure = error.status === 0
    if (!isElsewhere && !isUnsure) return false
    await followed.read()
    return isUnsure && source === null && this.putOut(message, error.clientId)
  }
}
