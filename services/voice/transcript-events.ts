/** An answer that says what nobody understands. */
export class Garbled extends Error {}
/** An answer that says itself that something went wrong; `message` is the server's word. */
export class Complaint extends Error {}

const endOfEvents = '[DONE]'

/**
 * What a transcription server says in a stream of events: `transcript.text.delta` and `transcript.text.done` as OpenAI has them, or segments,
 * `{text}`, as other servers do. `onPartial` hears what there is so far. Throws Garbled, also for an answer that stops before its
 * end, and Complaint.
 */
export async function readTranscriptEvents (chunks: AsyncIterable<Uint8Array>, onPartial: (text: string) => void): Promise<string> {
  let said = ''
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
      said += delta
    } else if (type === undefined && typeof text === 'string') {
      said = said === '' || /^\s/.test(text) || /\s$/.test(said) ? said + text : `${said} ${text}`
    } else continue
    onPartial(said.trim())
  }
  if (needsEnd || said === '') throw new Garbled()
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
  const reason = typeof error === 'object' && error !== null ? (error as { message?: unknown }).message : error
  return typeof reason === 'string' ? reason : ''
}

async function * linesOf (chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop()!
    yield * lines
  }
  yield rest + decoder.decode()
}
