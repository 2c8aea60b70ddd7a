import { once } from 'node:events'
import { type FastifyReply, type FastifyRequest } from 'fastify'

/** Pulled: a reader must take what was sent before more is made. */
type Chunks = AsyncIterable<string>

/**
 * Answers with Server-Sent Events as they arrive, at the pace of the socket; `signal` is aborted when the reader has gone or is no longer
 * admitted. The events have no ids to resume from.
 */
export async function sendChunks (reply: FastifyReply, signal: AbortSignal, chunks: Chunks): Promise<void> {
  reply.hijack()
  const { raw } = reply
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) raw.setHeader(name, value)
  raw.writeHead(200, { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-cache', 'X-Accel-Buffering': 'no' })
  raw.flushHeaders()
  raw.socket?.setNoDelay(true)
  raw.on('error', () => raw.destroy())
  try {
    for await (const chunk of chunks) {
      if (signal.aborted || raw.destroyed) break
      if (!raw.write(chunk)) {
        await Promise.race([once(raw, 'drain', { signal }).catch(() => {}), once(raw, 'close', { signal }).catch(() => {})])
      }
    }
  } finally {
    // Also after a failure: without its last event, no client takes the answer for complete.
    raw.end()
  }
}

/** Runs the work that its answer waits for; `signal` is aborted when the client has gone, or its device is no longer admitted. */
export async function whileAdmitted<T> (
  request: FastifyRequest, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const { raw } = reply
  const controller = new AbortController()
  const gone = (): void => controller.abort()
  if (raw.destroyed) gone()
  raw.once('close', gone)
  const leave = request.untilRevoked(() => raw.destroy())
  try {
    return await work(controller.signal)
  } finally {
    leave()
    raw.off('close', gone)
  }
}
