import { createHash } from 'node:crypto'
import { createPace } from '../../ground/concurrency/pace.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { type ConversationInput } from './conversation-input.js'
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
  async keep (
    client: string, { instructions, before, outputs, message, images }: ConversationInput, answer: string, at: Continuation
  ): Promise<void> {
    const said: Entry[] = [...before, ...outputs.map((output) => ({ role: 'tool' as const, output }))]
    if (message !== '' || images.length > 0) said.push({ role: 'user', text: message, images: [...images] })
    this.#known.set(await keyOf(client, instructions, [...said, { role: 'assistant', text: answer, calls: [] }]), at)
    keepNewest(this.#known, most)
  }

  /** Uses the entry up: two clients that have received the same answers continue separately. */
  async take (client: string, { instructions, before, outputs }: ConversationInput): Promise<Continuation | null> {
    if (before.length === 0 || outputs.length > 0) return null
    const key = await keyOf(client, instructions, before)
    const found = this.#known.get(key)
    this.#known.delete(key)
    return found ?? null
  }
}

const pieceChars = 65_536

/** Returns a hash of a conversation, with pauses: it may have megabytes. */
async function keyOf (client: string, instructions: string, said: readonly Entry[]): Promise<string> {
  const pace = createPace()
  const key = createHash('sha256')
  for (const texts of [[client, instructions], ...said.map(partsOf)]) {
    // With the lengths, no other texts give the same sequence.
    key.update(`${JSON.stringify(texts.map(({ length }) => length))}\n`)
    for (const text of texts) {
      for (let from = 0; from < text.length; from += pieceChars) {
        key.update(text.slice(from, from + pieceChars), 'utf16le')
        await pace()
      }
    }
  }
  return key.digest('hex')
}

function partsOf (entry: Entry): string[] {
  switch (entry.role) {
    case 'user': return [entry.role, entry.text, ...entry.images.map(({ url }) => url)]
    case 'assistant': return [entry.role, entry.text, ...entry.calls.map(({ id }) => id)]
    case 'tool': return [entry.role, entry.output.callId, entry.output.text]
  }
}
