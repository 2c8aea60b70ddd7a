import { performance } from 'node:perf_hooks'
import { type Database } from '../../ground/database/index.js'

/** The index holds sequences of three characters; it cannot find shorter texts. */
export const indexedChars = 3
/** How many characters of a longer phrase are searched in the index; the results are compared in full anyway. */
const comparedChars = 24
const mostAtOnce = 256
/** How many messages one query of the index may cover. It starts with the least and adapts to how long queries take. */
const leastSpan = 4_096
const mostSpan = 65_536
const quickMs = 1
const slowMs = 5
/** How many sequences of a phrase are searched: the rarest ones within this number of the newest messages. */
const soughtSequences = 3
const sampledMessages = 512

/** A message that may contain the text. `length`: the number of messages of its session. */
export interface Match { id: number, sessionId: string, position: number, length: number }

/** Finds messages that may contain a text, by the index of all messages of people and agents. */
export function createTextIndex ({ sqlite }: Database) {
  // Numbers are bound as reals, for which the index does not seek but scans everything.
  const range = 'message_texts.rowid >= cast(? as integer) and message_texts.rowid < cast(? as integer)'
  const matching = sqlite.prepare<[string, number, number], Match>(
    `select messages.id as id, messages.session_id as sessionId, messages.position as position, sessions.message_count as length
     from message_texts join messages on messages.id = message_texts.rowid join sessions on sessions.id = messages.session_id
     where message_texts match ? and ${range} and messages.position < sessions.message_count
     order by message_texts.rowid desc limit ${mostAtOnce}`)
  const counting = sqlite.prepare<[string, number, number], number>(
    `select count(*) from message_texts where message_texts match ? and ${range}`).pluck()
  const lastId = sqlite.prepare<[], number | null>('select max(id) from messages').pluck()

  /** Returns the index query for a phrase: not all sequences, because each of them costs the same. */
  function sought (phrase: string, end: number): string {
    const from = Math.max(1, end - sampledMessages)
    const counts = sequencesOf(phrase).map((sequence) => ({ sequence, count: counting.get(quoted(sequence), from, end) ?? 0 }))
    return counts.toSorted((one, other) => one.count - other.count).slice(0, soughtSequences)
      .map(({ sequence }) => quoted(sequence)).join(' AND ')
  }

  return {
    /**
     * Yields messages that may contain the text, the newest first, a few at a time, so that others get their turn in between. `text`:
     * composed (NFC), at least three characters, without NUL, which the query language cannot express.
     */
    * matches (text: string): Generator<Match[]> {
      const end = (lastId.get() ?? 0) + 1
      const phrase = [...text].slice(0, comparedChars).join('')
      const apart = phrase.normalize('NFD')
      // Messages may be stored with letters and marks decomposed, which gives other sequences, or none: the index leaves marks out.
      const isPlain = apart === phrase && !/\p{M}/u.test(phrase)
      const wanted = isPlain ? sought(phrase, end) : `${quoted(phrase)} OR ${quoted(apart)}`
      let span = leastSpan
      for (let before = end; before > 1;) {
        const from = Math.max(1, before - span)
        const began = performance.now()
        const found = matching.all(wanted, from, before)
        const tookMs = performance.now() - began
        if (tookMs < quickMs) span = Math.min(mostSpan, 2 * span)
        else if (tookMs > slowMs) span = Math.max(leastSpan, span / 2)
        yield found
        before = found.length < mostAtOnce ? from : found.at(-1)?.id ?? from
      }
    }
  }
}

function sequencesOf (phrase: string): string[] {
  const characters = [...phrase]
  return [...new Set(characters.slice(0, 1 - indexedChars).map((_, at) => characters.slice(at, at + indexedChars).join('')))]
}

const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`
