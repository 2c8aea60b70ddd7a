import { computed, effect, signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError, type Wire } from '../service/api.js'
import { type Conversation } from './conversation.js'

export type QueuedMessage = Wire<'QueuedMessage'>
/** Why the queue is held and does not continue on its own. */
export type HeldReason = 'failed' | 'cancelled' | 'budget' | 'restored'
type Queue = Wire<'Queue'>
type Answer = Wire<'QueueAnswer'>
type Action = 'edit' | 'move' | 'remove' | 'send_now' | 'resume' | 'clear'

/** A removed message, its place, and why its queue was held, for restoring it. */
export interface Removed { message: QueuedMessage, index: number, held: HeldReason | null }

const none: Queue = { queue: [], held: null }

/** Returns why a queue is held until the person resumes it; null if it continues on its own. */
function storedHold (held: Queue['held']): HeldReason | null {
  const reason = held?.reason ?? 'waiting'
  return reason === 'waiting' || reason === 'limit' ? null : reason
}

/** The message queue of a chat as the service has it, the same for all devices. Failures throw ApiError. */
export class MessageQueue {
  readonly #state = signal<Queue>(none)
  readonly #undo: Array<() => void>
  #reading: Promise<void> | null = null
  /** Whether the queue has changed since the pending answer was requested. */
  #isStale = false
  /** Incremented by every answer to a change: it is newer than any answer requested before. */
  #changes = 0
  #isClosed = false
  /** The queued messages, the next one first. */
  readonly messages: ReadonlySignal<readonly QueuedMessage[]> = computed(() => this.#state.value.queue)

  /** Why the queue is held; null if it continues on its own. */
  readonly held: ReadonlySignal<HeldReason | null> = computed(() => storedHold(this.#state.value.held))

  /** Whether the queue waits, like its turn, for a provider's limit; it continues together with that turn. */
  readonly isAtLimit: ReadonlySignal<boolean> = computed(() => this.#state.value.held?.reason === 'limit')

  constructor (readonly conversation: Conversation) {
    this.#undo = [
      conversation.listen(({ type }) => { if (type === 'queue') this.#look() }),
      // After a connection was lost, the session is read again.
      effect(() => { if (conversation.session.value !== null) this.#look() })
    ]
  }

  close (): void {
    this.#isClosed = true
    for (const undo of this.#undo) undo()
  }

  edit = async ({ id, version }: QueuedMessage, message: string): Promise<Answer> => await this.#act('edit', { id, version, message })

  /** Moves a message to a position, counted from 0. The new order is shown at once. */
  async move (message: QueuedMessage, index: number): Promise<void> {
    const { id, version } = message
    const before = this.#state.peek()
    const others = before.queue.filter((one) => one.id !== id)
    this.#state.value = { ...before, queue: others.toSpliced(index, 0, message) }
    await this.#act('move', { id, version, index })
  }

  /** Removes a message. Returns the argument for `restore`. */
  async remove (message: QueuedMessage): Promise<Removed> {
    const { queue, held } = this.#state.peek()
    const removed = { message, index: queue.findIndex(({ id }) => id === message.id), held: storedHold(held) }
    await this.#act('remove', { id: message.id, version: message.version })
    return removed
  }

  /** Removes all known messages. Returns the arguments for `restore`. Throws ApiError (`queue_changed`) if there are newer ones. */
  async clear (): Promise<Removed[]> {
    const { queue, held } = this.#state.peek()
    await this.#act('clear', { version: Math.max(0, ...queue.map(({ version }) => version)) })
    return queue.map((message, index) => ({ message, index, held: index === 0 ? storedHold(held) : null }))
  }

  /** Adds a removed message again. An empty queue is not held, so the message takes the hold of its queue with it. */
  async restore ({ message, index, held }: Removed): Promise<void> {
    const {
      attachments, model, model_provider: provider, explicit_model_pick: pick, effort, personality, workspace, not_before: notBefore
    } = message
    this.#take(await this.conversation.api.postOnce('/api/session/queue', {
      session_id: this.#sessionId, action: 'add', message: message.message, index, attachments, model, model_provider: provider,
      explicit_model_pick: pick, effort, personality, workspace, not_before: notBefore,
      ...(held === null ? {} : { held })
    }))
  }

  /** Adds a message to the running turn; if none runs, starts a turn with it. If the turn cannot take it, it becomes the next one. */
  sendNow = async ({ id, version }: QueuedMessage): Promise<Answer> => await this.#act('send_now', { id, version })
  resume = async (): Promise<Answer> => await this.#act('resume', {})

  get #sessionId (): string { return this.conversation.sessionId.peek() ?? '' }

  async #act (action: Action, what: { id?: string, version?: number, index?: number, message?: string }): Promise<Answer> {
    try {
      const answer = await this.conversation.api.postOnce('/api/session/queue', { session_id: this.#sessionId, action, ...what })
      this.#take(answer)
      return answer
    } catch (error) {
      this.#look()
      throw error
    }
  }

  #take ({ queue, held }: Queue): void {
    this.#changes++
    this.#state.value = { queue, held }
  }

  #look (): void {
    if ((this.conversation.session.peek()?.queued_count ?? 0) === 0) {
      this.#changes++
      this.#state.value = none
    } else if (this.#reading !== null) this.#isStale = true
    else this.#reading = this.#read().finally(() => { this.#reading = null })
  }

  async #read (): Promise<void> {
    do {
      this.#isStale = false
      const changes = this.#changes
      try {
        const answer = await this.conversation.api.get('/api/session/queue', { session_id: this.#sessionId })
        if (changes === this.#changes) this.#state.value = answer
        else this.#isStale = true
      } catch (error) {
        // The session is read again once the service can be reached.
        if (!(error instanceof ApiError)) throw error
      }
    } while (this.#isStale && !this.#isClosed)
  }
}
