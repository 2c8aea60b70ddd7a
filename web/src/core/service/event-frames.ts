/** A Server-Sent Event: its id, null without one, and what it says. `Frame` is what the service's document has for the stream. */
export interface EventFrame<Frame> { readonly id: string | null, readonly frame: Frame }

/** Yields the Server-Sent Events of an answer. Throws what reading throws; leaves out what is no JSON. */
export async function * eventFrames<Frame extends { event: string, data: unknown }> (
  body: ReadableStream<Uint8Array>
): AsyncGenerator<EventFrame<Frame>> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let isLast = false; !isLast;) {
      const { value, done } = await reader.read()
      isLast = done
      rest += decoder.decode(value, { stream: !done })
      const blocks = rest.split(/\r?\n\r?\n/)
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const found = frameOf<Frame>(block)
        if (found !== null) yield found
      }
    }
  } finally {
    // The connection is closed when the caller stops reading.
    await reader.cancel().catch(() => {})
  }
}

function frameOf<Frame> (block: string): EventFrame<Frame> | null {
  let event = 'message'
  let id: string | null = null
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
    return { id, frame: { event, data: JSON.parse(lines.join('\n')) } as Frame }
  } catch {
    return null
  }
}
