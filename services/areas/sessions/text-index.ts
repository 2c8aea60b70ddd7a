import { performance } from 'node:perf_hooks'
import { type Database } from '../../ground/database/index.js'

/** The index holds sequences of three characters; it cannot find shorter texts. */
export const indexedChars = 3
/** The characters of a longer phrase that are looked for; what is found is compared whole anyway. */
const comparedChars = 24
const mostAtOnce = 256
/** How many messages one query of the index may go through. It starts with the least and adapts to how long that takes. */
const leastSpan = 4_096
const mostSpan = 65_536
const quickMs = 1
const slowMs = 5
/** Of the sequences of a phrase, so many are looked for: those that are rarest in this number of the newest messages. */
const soughtSequences = 3
const sampledMessages = 512

/** A message that may hold what is sought. `length`: the number of messages of its session. */
export interface Match { id: number, sessionId: string, position: number, length: number }

/** Finds the messages that may hold a text, by the index of all messages of people and agents. */
export function createTextIndex ({ sqlite }: Database) {
  // Numbers arrive as real ones, and by those the index does not seek: it would go through all that it has.
  const range = 'message_texts.rowid >= cast(? as integer) and message_texts.rowid < cast(? as integer)'
  const matching = sqlite.prepare<[string, number, number], Match>(
    `select messages.id as id, messages.session_id as sessionId, messages.position as position, sessions.message_count as length
     from message_texts join messages on messages.id = message_texts.rowid join sessions on sessions.id = messages.session_id
     where message_texts match ? and ${range} and messages.position < sessions.message_count
     order by message_texts.rowid desc limit ${mostAtOnce}`)
  const counting = sqlite.prepare<[string, number, number], number>(
    `select count(*) from message_texts where message_texts match ? and ${range}`).pluck()
  const lastId = sqlite.prepare<[], number | null>('select max(id) from messages').pluck()

  /** What a message must have to hold the phrase, in the index's own language: not every sequence, as each costs as much as the next. */
  function sought (phrase: string, end: number): string {
    const from = Math.max(1, end - sampledMessages)
    const counts = sequencesOf(phrase).map((sequence) => ({ sequence, count: counting.get(quoted(sequence), from, end) ?? 0 }))
    return counts.toSorted((one, other) => one.count - other.count).slice(0, soughtSequences)
      .map(({ sequence }) => quoted(sequence)).join(' AND ')
  }

  return {
    /**
     * Yields messages that may hold the text, the newest first, a few at a time: between two of them others can have their turn.
     * `text`: composed (NFC), of three characters or more, without NUL, for which the index has no word.
     */
    * matches (text: string): Generator<Match[]> {
      const end = (lastId.get() ?? 0) + 1
      const phrase = [...text].slice(0, comparedChars).join('')
      const apart = phrase.normalize('NFD')
      // Messages may have letters and their marks apart, which make other sequences, or none: the index leaves marks out.
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
