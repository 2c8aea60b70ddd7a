import { createPace } from '../../ground/concurrency/pace.js'
import { redactDeepGently } from '../../ground/redaction/index.js'
import { type SessionRow, type SessionWire } from './rows.js'
import { type Transcript } from './transcript.js'

/** The version of the export format. */
const exportFormat = 1

const indent = 2
/** How many items of a list are put into one piece of the text. */
const itemsAtOnce = 64

type ExportedList = 'messages' | 'tool_calls' | 'context_messages'
/** An item of a list of the document, in the order of that list. */
export interface Exported { list: ExportedList, item: unknown }

/** `masked`: credentials are masked. The document ends early if `signal` is aborted because nobody will read it. */
export interface ExportOptions { masked: boolean, signal?: AbortSignal | undefined }

/**
 * Returns a session as one JSON document that can be imported again, in pieces of its text. A long one is read and masked in portions. See
 * {@link exportDocument} for the options.
 */
export async function exportJson (
  { row, wire, transcript }: { row: SessionRow, wire: SessionWire, transcript: Transcript }, options: ExportOptions
): Promise<Buffer[]> {
  // Queued messages and the time of a resume are not part of the conversation.
  const { queued_count: _, resumes_at: _time, ...said } = wire
  const head = {
    ...said, threshold_tokens: row.thresholdTokens, last_prompt_tokens: row.lastPromptTokens,
    compression_summary: row.compressionSummary, compressed_before: row.compressedBefore
  }
  return await exportDocument(head, itemsOf(row, transcript, options.masked), options)
}

async function * itemsOf (row: SessionRow, transcript: Transcript, masked: boolean): AsyncGenerator<Exported> {
  for (let from = 0; ;) {
    await transcript.portionAhead(row.id, from, row.messageCount, masked ? 'masked' : 'plain')
    // All texts of a row are read together, so that the lists match each other even if the session changes meanwhile.
    const rows = transcript.portion(row.id, from, row.messageCount, masked ? 'masked' : 'plain')
    // What the model is shown for each message: without it an import would have to reconstruct that.
    const replays = transcript.replaysOf(row.id, from, rows.length)
    if (rows.length === 0) return
    from += rows.length
    for (const [index, { body, card }] of rows.entries()) {
      yield { list: 'messages', item: JSON.parse(body) }
      if (card !== null) yield { list: 'tool_calls', item: JSON.parse(card) }
      const replay = replays[index] ?? null
      yield { list: 'context_messages', item: replay === null ? null : JSON.parse(replay) }
    }
  }
}

/** Returns the document with these fields and items, in pieces of its text, with pauses. */
export async function exportDocument (
  head: object, items: AsyncIterable<Exported> | Iterable<Exported>, { masked, signal }: ExportOptions
): Promise<Buffer[]> {
  const shown = async <T>(value: T): Promise<T> => masked ? await redactDeepGently(value) : value
  const pace = createPace()
  const lists = { messages: new ListText(), tool_calls: new ListText(), context_messages: new ListText() }
  for await (const { list, item } of items) {
    if (signal?.aborted === true) break
    lists[list].add(await shown(item))
    await pace()
  }
  const beginning = Buffer.from(JSON.stringify(await shown({ format: exportFormat, ...head }), null, indent).slice(0, -'\n}'.length))
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
    if (this.#items.length >= itemsAtOnce) this.#flush()
  }

  #flush (): void {
    this.#pieces.push(Buffer.from(this.#items.join('')))
    this.#items = []
  }

  end (): Buffer[] {
    this.#flush()
    return this.#isEmpty ? [Buffer.from('[]')] : [...this.#pieces, Buffer.from(`\n${' '.repeat(indent)}]`)]
  }
}
