import { RequestError } from '@agentclientprotocol/sdk'
import { fieldsOf } from '../../../ground/fields.js'
import { text } from '../wire.js'
import { type Fields } from '../dialect.js'

/**
 * A prompt from the moment it is sent until the agent is idle again. The answer to it, the message in the conversation and the states of
 * the session come in any order; states describe everything that the session does, including work that began without this prompt.
 */
export class Prompt {
  readonly #over = Promise.withResolvers<Fields>()
  /** Resolves with the answer that a prompt has in version 1. Rejects with the agent's error. */
  readonly over = this.#over.promise
  #isTaken = false
  #isActive = false
  /** Ids of the messages that were added to the conversation since the prompt was sent. */
  readonly #messages = new Set<string>()
  /** The end of some work that came before the answer to the prompt, and the messages that existed by then. */
  #early: { end: Fields, messages: ReadonlySet<string> } | null = null

  taken (messageId: string | undefined): void {
    this.#isTaken = true
    if (this.#early === null) return
    const { end, messages } = this.#early
    // Work that ended before the message existed was not the work of this prompt.
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
    // An idle state that is no change may be sent at any time.
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
