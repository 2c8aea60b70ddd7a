import { once } from 'node:events'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { beginEvents } from '../plugins/ground/events.js'
import { whileListening } from '../plugins/ground/listening.js'

/** A pull-based source: the reader has to take a chunk before the next one is made. */
type Chunks = AsyncIterable<string>

/**
 * Answers with Server-Sent Events as they come, at the pace of the socket. `signal` is aborted when the reader has gone, or its access is
 * revoked. The events have no ids to resume from.
 */
export async function sendChunks (reply: FastifyReply, signal: AbortSignal, chunks: Chunks): Promise<void> {
  beginEvents(reply, 'text/event-stream; charset=utf-8')
  const { raw } = reply
  raw.on('error', () => raw.destroy())
  try {
    for await (const chunk of chunks) {
      if (signal.aborted || raw.destroyed) break
      if (!raw.write(chunk)) {
        await Promise.race([once(raw, 'drain', { signal }).catch(() => {}), once(raw, 'close', { signal }).catch(() => {})])
      }
    }
  } finally {
    // Also after a failure: without the last event, clients do not treat the answer as complete.
    raw.end()
  }
}

/** Does the work that an answer waits for; `signal` is aborted when the client has gone, or its device is revoked. */
export async function whileAdmitted<T> (
  request: FastifyRequest, reply: FastifyReply, work: (signal: AbortSignal) => Promise<T>
): Promise<T> {
  const leave = request.untilRevoked(() => reply.raw.destroy())
  try {
    return await whileListening(reply, work)
  } finally {
    leave()
  }
}
