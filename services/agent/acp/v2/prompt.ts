import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../../ground/fields.js'
import { text } from '../wire.js'
import { type Fields } from '../dialect.js'

/**
 * A prompt from the moment it is sent until the agent is idle again. The answer to it, the message in the conversation and the states of
 * the session come in whatever order; states tell of all that the session does, also of what began without this prompt.
 */
export class Prompt {
  readonly #over = Promise.withResolvers<Fields>()
  /** Resolves as the answer to a prompt of version 1 would be. Rejects with what the agent answers instead. */
  readonly over = this.#over.promise
  #isTaken = false
  #isActive = false
  /** Messages that have come into the conversation since. */
  readonly #messages = new Set<string>()
  /** The end of some work before the answer to the prompt, and the messages that there were by then. */
  #early: { end: Fields, messages: ReadonlySet<string> } | null = null

  taken (messageId: string | undefined): void {
    this.#isTaken = true
    if (this.#early === null) return
    const { end, messages } = this.#early
    // Of work that was over before the message was there, this is not the end.
    if (messages.size === 0 || (messageId !== undefined && messages.has(messageId))) this.#end(end)
  }

  inserted (messageId: string | undefined): void {
    if (messageId !== undefined && this.#messages.size < mostMessages) this.#messages.add(messageId)
  }

  state (update: Fields): void {
    const { state, stopReason } = update
    if (state === 'running' || state === 'requires_action') {
      this.#isActive = true
      this.#early = null
    }
    if (state !== 'idle') return
    // One that says nothing new may be told at any time.
    if (!this.#isActive && (!this.#isTaken || typeof stopReason !== 'string')) return
    if (this.#isTaken) this.#end(update)
    else this.#early = { end: update, messages: new Set(this.#messages) }
    this.#isActive = false
  }

  fail (error: unknown): void {
    this.#over.reject(error)
  }

  #end ({ stopReason, error, usage, _meta }: Fields): void {
    if (stopReason !== 'error') return this.#over.resolve({ stopReason: text(stopReason) ?? 'end_turn', usage, _meta })
    const { code, message, data } = fieldsOf(error)
    this.#over.reject(new RequestError(typeof code === 'number' ? code : -32_603, text(message) ?? 'It has failed without saying why', data))
  }
}

const mostMessages = 1_000
