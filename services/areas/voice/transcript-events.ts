import { isRecord } from '../../ground/fields.js'

/** Thrown for an answer that cannot be understood. */
export class Garbled extends Error {}
/** Thrown for an answer that reports an error; `message` is the server's text. */
export class Complaint extends Error {}

const endOfEvents = '[DONE]'

/**
 * Reads the stream of events of a transcription server: `transcript.text.delta` and `transcript.text.done` as OpenAI has them, or segments,
 * `{text}`, as other servers do. `onPartial` is called with the text so far, possibly with trailing spaces. Throws Garbled, also for an
 * answer that stops before its end, and Complaint.
 */
export async function readTranscriptEvents (chunks: AsyncIterable<Uint8Array>, onPartial: (text: string) => void): Promise<string> {
  // Only ever appended to: inspecting a string that has grown by a word would copy all of it.
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
 * Splitting CRLF at both characters gives empty lines, which are harmless. However small the chunks are, each is scanned once.
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
