import { createPace } from '../../ground/concurrency/pace.js'
import { redactDeepGently } from '../../ground/redaction/index.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Transcript } from './transcript.js'

/** The version of the export format. */
export const exportFormat = 1

const indent = 2

/**
 * Returns a session as one JSON document that can be imported again, in pieces of its text. A long one is read and masked in portions.
 * Credentials are masked if `masked` is set.
 */
export async function exportJson ({
  row, wire, transcript, masked
}: { row: SessionRow, wire: SessionWire, transcript: Transcript, masked: boolean }): Promise<Buffer[]> {
  const shown = async <T>(value: T): Promise<T> => masked ? await redactDeepGently(value) : value
  // Queued messages and the time of a resume are not part of the conversation.
  const { queued_count: _, resumes_at: _time, ...said } = wire
  const head = { format: exportFormat, ...said, compression_summary: row.compressionSummary, compressed_before: row.compressedBefore }
  const pace = createPace()
  const lists = { messages: new ListText(), tool_calls: new ListText(), context_messages: new ListText() }
  for (let from = 0; ;) {
    await transcript.portionAhead(row.id, from, row.messageCount, masked ? 'masked' : 'plain')
    // All texts of a row are read together, so that the lists match each other even if the session changes meanwhile.
    const rows = transcript.portion(row.id, from, row.messageCount, masked ? 'masked' : 'plain')
    // What the model is shown for each message: without it an import would have to reconstruct that.
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

/** Writes a list piece by piece, as `JSON.stringify` would write it one level down. */
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
