export interface EventFrame { readonly event: string, readonly id: string | null, readonly content: unknown }

/** The Server-Sent Events of an answer, one after the other. Throws what reading throws; what is no JSON is left out. */
export async function * eventFrames (body: ReadableStream<Uint8Array>): AsyncGenerator<EventFrame> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let isLast = false; !isLast;) {
      const { value, done } = await reader.read()
      isLast = done
      rest += decoder.decode(value, { stream: !done })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop()!
      for (const block of blocks) {
        const frame = frameOf(block)
        if (frame !== null) yield frame
      }
    }
  } finally {
    // Whoever stops listening closes the connection.
    await reader.cancel().catch(() => {})
  }
}

function frameOf (block: string): EventFrame | null {
  let [event, id] = ['message', null as string | null]
  const lines: string[] = []
  for (const line of block.split(/\r?\n/)) {
    const at = line.indexOf(':')
    if (at <= 0) continue
    const [name, value] = [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')]
    if (name === 'event') event = value
    else if (name === 'id') id = value
    else if (name === 'data') lines.push(value)
  }
  if (lines.length === 0) return null
  try {
    return { event, id, content: JSON.parse(lines.join('\n')) }
  } catch {
    return null
  }
}
