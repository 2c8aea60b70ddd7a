import { createPace } from '../../ground/concurrency/pace.js'
import { redactDeepGently } from '../../ground/redaction/index.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Transcript } from './transcript.js'

/** The version of what an export holds. */
export const exportFormat = 1

const indent = 2

/**
 * A session as one JSON document that can be imported again, in pieces of its text; a long one is read and masked in portions.
 * Credentials are masked when `masked` is set.
 */
export async function exportJson ({
  row, wire, transcript, masked
}: { row: SessionRow, wire: SessionWire, transcript: Transcript, masked: boolean }): Promise<Buffer[]> {
  const shown = async <T>(value: T): Promise<T> => masked ? await redactDeepGently(value) : value
  // What waits was not said.
  const { queued_count: _, resumes_at: _time, ...said } = wire
  const head = { format: exportFormat, ...said, compression_summary: row.compressionSummary, compressed_before: row.compressedBefore }
  const pace = createPace()
  const lists = { messages: new ListText(), tool_calls: new ListText(), context_messages: new ListText() }
  for (let from = 0; ;) {
    // All of a row is read at once, so that the lists fit each other whatever happens to the session meanwhile.
    const rows = transcript.portion(row.id, from, row.messageCount, masked ? 'masked' : 'plain')
    // What the model is shown for each message: without it an import would have to make that up.
    const replays = transcript.replaysOf(row.id, from, rows.length)
    if (rows.length === 0) break
    from += rows.length
    for (const [index, { body, card }] of rows.entries()) {
      lists.messages.add(await shown(JSON.parse(body)))
      if (card !== null) lists.tool_calls.add(await shown(JSON.parse(card)))
      const replay = replays[index] ?? null
      lists.context_messages.add(replay === null ? null : await shown(JSON.parse(replay)))
      await pace()
    }
    for (const list of Object.values(lists)) list.flush()
  }
  const beginning = Buffer.from(JSON.stringify(await shown(head), null, indent).slice(0, -'\n}'.length))
  const named = Object.entries(lists).flatMap(([name, list]) => [Buffer.from(`,\n${' '.repeat(indent)}"${name}": `), ...list.end()])
  return [beginning, ...named, Buffer.from('\n}')]
}

/** The text of a list as `JSON.stringify` writes it one level down, piece by piece. */
class ListText {
  readonly #pieces: Buffer[] = []
  #items: string[] = []
  #isEmpty = true

  add (item: unknown): void {
    const line = `\n${' '.repeat(2 * indent)}`
    this.#items.push(`${this.#isEmpty ? '[' : ','}${line}${JSON.stringify(item, null, indent).replaceAll('\n', line)}`)
    this.#isEmpty = false
  }

  flush (): void {
    this.#pieces.push(Buffer.from(this.#items.join('')))
    this.#items = []
  }

  end (): Buffer[] {
    return this.#isEmpty ? [Buffer.from('[]')] : [...this.#pieces, Buffer.from(`\n${' '.repeat(indent)}]`)]
  }
}
