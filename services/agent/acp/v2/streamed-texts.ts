import { fieldsOf } from '../../../ground/fields.js'
import { type Fields } from '../dialect.js'
import { idIn, list, text } from '../wire.js'

/** How many messages' texts are remembered, and how long they may be in total. */
const mostMessages = 200
const mostChars = 8 * 1024 * 1024

/** What an agent has said in a turn, by message. Some agents send a message in pieces, some as a whole, and some in both ways. */
export class StreamedTexts {
  readonly #texts = new Map<string, string>()
  #chars = 0

  /** Remembers a piece. It is the same in version 1. */
  chunk (update: Fields): Fields {
    const said = blockText(update['content'])
    const id = keyOf(update)
    this.#keep(id, (this.#texts.get(id) ?? '') + said, said.length)
    return update
  }

  /** Returns what a whole message adds to what was already sent. If it differs from that, all of it is sent again. */
  whole (update: Fields): Fields[] {
    if (!Array.isArray(update['content'])) return []
    const id = keyOf(update)
    const blocks = list(update['content'])
    const before = this.#texts.get(id) ?? ''
    const now = blocks.map(blockText).join('')
    if (now === before) return before === '' ? blocks.map((content) => ({ sessionUpdate: chunkOf(update), content })) : []
    this.#keep(id, now, Math.max(0, now.length - before.length))
    const more = now.startsWith(before) ? now.slice(before.length) : `\n\n${now}`
    return before === ''
      ? blocks.map((content) => ({ sessionUpdate: chunkOf(update), content }))
      : [{ sessionUpdate: chunkOf(update), content: { type: 'text', text: more } }]
  }

  #keep (id: string, said: string, more: number): void {
    this.#chars += more
    if (this.#chars > mostChars || (this.#texts.size >= mostMessages && !this.#texts.has(id))) return
    this.#texts.set(id, said)
  }
}

const keyOf = (update: Fields): string => `${chunkOf(update)} ${idIn(update['messageId']) ?? ''}`

const chunkOf = ({ sessionUpdate }: Fields): string =>
  text(sessionUpdate)?.startsWith('agent_thought') === true ? 'agent_thought_chunk' : 'agent_message_chunk'

const blockText = (block: unknown): string => text(fieldsOf(block)['text']) ?? ''
