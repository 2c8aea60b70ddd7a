import { hash } from 'node:crypto'
import { keepNewest } from '../../ground/keep-newest.js'
import { type Asked } from './asked.js'
import { type Entry } from './entries.js'

/** A conversation in its state after an answer. */
export interface Continuation { sessionId: string, messageCount: number }

const most = 1_000

/**
 * Finds the conversation that a client continues when it sends the whole conversation with each message, as clients of OpenAI's interface
 * do. In memory: after a restart, the next message begins a new conversation with everything before it as context.
 */
export class Continuations {
  /** Oldest first. */
  readonly #known = new Map<string, Continuation>()

  /** @param client who asks: no client continues a conversation of another one */
  keep (client: string, { instructions, before, outputs, message, images }: Asked, answer: string, at: Continuation): void {
    const said: Entry[] = [...before, ...outputs.map((output) => ({ role: 'tool' as const, output }))]
    if (message !== '' || images.length > 0) said.push({ role: 'user', text: message, images: [...images] })
    this.#known.set(keyOf(client, instructions, [...said, { role: 'assistant', text: answer, calls: [] }]), at)
    keepNewest(this.#known, most)
  }

  /** Uses the entry up: two clients that have received the same answers continue separately. */
  take (client: string, { instructions, before, outputs }: Asked): Continuation | null {
    if (before.length === 0 || outputs.length > 0) return null
    const key = keyOf(client, instructions, before)
    const found = this.#known.get(key)
    this.#known.delete(key)
    return found ?? null
  }
}

function keyOf (client: string, instructions: string, said: readonly Entry[]): string {
  return hash('sha256', JSON.stringify([client, instructions, ...said.map(partsOf)]))
}

function partsOf (entry: Entry): unknown[] {
  switch (entry.role) {
    case 'user': return [entry.role, entry.text, ...entry.images.map(({ url }) => hash('sha256', url))]
    case 'assistant': return [entry.role, entry.text, ...entry.calls.map(({ id }) => id)]
    case 'tool': return [entry.role, entry.output.callId, entry.output.text]
  }
}
