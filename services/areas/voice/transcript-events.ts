import { isRecord } from '../../ground/fields.js'

/** An answer that says what nobody understands. */
export class Garbled extends Error {}
/** An answer that says itself that something went wrong; `message` is the server's word. */
export class Complaint extends Error {}

const endOfEvents = '[DONE]'

/**
 * What a transcription server says in a stream of events: `transcript.text.delta` and `transcript.text.done` as OpenAI has them, or
 * segments, `{text}`, as other servers do. `onPartial` hears what there is so far, perhaps with spaces behind it. Throws Garbled, also
 * for an answer that stops before its end, and Complaint.
 */
export async function readTranscriptEvents (chunks: AsyncIterable<Uint8Array>, onPartial: (text: string) => void): Promise<string> {
  // Only ever added to: looking into a text that has grown by a word copies all of it.
  let said = ''
  let endsInSpace = false
  let isText = false
  let needsEnd = false
  for await (const line of linesOf(chunks)) {
    if (!line.startsWith('data:')) continue
    const content = line.slice('data:'.length).trim()
    if (content === endOfEvents) return said
    if (content === '') continue
    const { type, text, delta, error } = eventIn(content)
    if (type === 'transcript.text.done') {
      if (typeof text !== 'string') throw new Garbled()
      return text
    }
    if (type === 'error' || error !== undefined) throw new Complaint(reasonOf(error))
    if (type === 'transcript.text.delta' && typeof delta === 'string') {
      needsEnd = true
      said += said === '' ? delta.trimStart() : delta
    } else if (type === undefined && typeof text === 'string') {
      said += said === '' ? text.trimStart() : endsInSpace || text === '' || /^\s/.test(text) ? text : ` ${text}`
      if (text !== '') endsInSpace = /\s$/.test(text)
    } else continue
    isText = true
    onPartial(said)
  }
  if (needsEnd || !isText) throw new Garbled()
  return said
}

interface TranscriptEvent { type?: unknown, text?: unknown, delta?: unknown, error?: unknown }

function eventIn (content: string): TranscriptEvent {
  try {
    const event: unknown = JSON.parse(content)
    if (typeof event === 'object' && event !== null) return event
  } catch {}
  throw new Garbled()
}

function reasonOf (error: unknown): string {
  const reason = isRecord(error) ? error.message : error
  return typeof reason === 'string' ? reason : ''
}

/**
 * Between the two signs that end a line there seems to be an empty one, which says nothing. However
 * small the chunks are, each is looked at once.
 */
async function * linesOf (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let begun: string[] = []
  for await (const chunk of chunks) {
    const [first = '', ...others] = decoder.decode(chunk, { stream: true }).split(/[\r\n]/)
    begun.push(first)
    const last = others.pop()
    if (last === undefined) continue
    yield begun.join('')
    yield * others
    begun = [last]
  }
  yield begun.join('') + decoder.decode()
}
