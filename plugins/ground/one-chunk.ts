import { type ServerResponse } from 'node:http'

const [carriageReturn, newline] = [13, 10]

/**
 * Writes bytes as one chunk of the answer. Node hands a chunk to the socket in four pieces; this hands over one, which takes two thirds of
 * the processor time for a frame of an event stream. Returns false if the socket accepts no more for now: `drained` is called once it does.
 */
export function writeChunk (response: ServerResponse, parts: readonly Buffer[], drained: () => void): boolean {
  const { socket } = response
  // Answers to old clients have no chunks, and an answer behind another one on its connection has no socket yet.
  const isOurs = socket !== null && response.chunkedEncoding && response.headersSent && !response.writableEnded && !response.destroyed
  const flowing = isOurs ? socket.write(chunkOf(parts)) : response.write(Buffer.concat(parts))
  if (!flowing) (isOurs ? socket : response).once('drain', drained)
  return flowing
}

/** Returns a chunk as it is sent (RFC 9112, section 7.1). */
function chunkOf (parts: readonly Buffer[]): Buffer {
  let size = 0
  for (const { length } of parts) size += length
  const head = `${size.toString(16)}\r\n`
  const chunk = Buffer.allocUnsafe(head.length + size + 2)
  chunk.write(head, 'latin1')
  let at = head.length
  for (const part of parts) {
    chunk.set(part, at)
    at += part.length
  }
  chunk[at] = carriageReturn
  chunk[at + 1] = newline
  return chunk
}
