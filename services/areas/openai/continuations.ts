import { hash } from 'node:crypto'
import { keepNewest } from '../../ground/keep-newest.js'
import { type Asked, type Said } from './asked.js'

/** A conversation as it was when its answer had been given. */
export interface Continuation { sessionId: string, messageCount: number }

const most = 1_000

/**
 * Finds the conversation that a client goes on with who sends all of it with each message, as clients of OpenAI's do. In
 * memory: after a restart the next message begins a conversation that has all of it as its context.
 */
export class Continuations {
  /** Oldest first. */
  readonly #known = new Map<string, Continuation>()

  /** @param client who asks: nobody goes on with what was said by somebody else */
  keep (client: string, { instructions, before, message }: Asked, answer: string, at: Continuation): void {
    this.#known.set(keyOf(client, instructions, [...before, { role: 'user', text: message }, { role: 'assistant', text: answer }]), at)
    keepNewest(this.#known, most)
  }

  /** Uses it up: two clients that have heard the same go on apart. */
  take (client: string, { instructions, before }: Asked): Continuation | null {
    if (before.length === 0) return null
    const key = keyOf(client, instructions, before)
    const found = this.#known.get(key)
    this.#known.delete(key)
    return found ?? null
  }
}

function keyOf (client: string, instructions: string, said: readonly Said[]): string {
  return hash('sha256', JSON.stringify([client, instructions, ...said.map(({ role, text }) => [role, text])]))
}
