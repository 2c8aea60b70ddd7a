import { guardedFetch } from './guarded-fetch.js'
import { AnswerTooLarge, responseLimits } from './limits.js'
import { plainResponse } from './plain-response.js'
import { withoutForeignRedirects } from './redirects.js'

type Fetch = typeof globalThis.fetch

/** Limits for one answer. `cutsOff`: the excess is dropped, instead of making the answer fail. */
interface Limit { totalBytes: number, eventBytes: number, cutsOff: boolean }

/** Measures a body while it is read. */
export interface BodyMeter {
  /** Returns the part of a chunk that is within the limit. Throws AnswerTooLarge if the body is too long; nothing more may be read then. */
  take (chunk: Uint8Array): Uint8Array
  /** Whether the limit is reached, so that no more is accepted, even if more comes. */
  readonly isFull: boolean
}

const newline = 10
const carriageReturn = 13

/**
 * Returns a fetch with limited answers, because clients of providers buffer a line until it is complete and read errors and lists as a
 * whole, however large. Reading a body beyond its limit (responseLimits) throws AnswerTooLarge and closes the connection; an error's body
 * is cut off instead. Nothing is read ahead, so backpressure reaches the sender. Redirects are handled as in
 * {@link withoutForeignRedirects}.
 */
export function limitedFetch (fetch: Fetch = guardedFetch): Fetch {
  const staying = withoutForeignRedirects(fetch)
  return async (input, init) => limitedResponse(await staying(input, init))
}

/** Returns the same answer with a limited body. */
export function limitedResponse (response: Response): Response {
  if (response.body === null) return response
  return plainResponse(limited(response.body, createBodyMeter(response)), response)
}

function limitOf (response: Response): Limit {
  if (!response.ok) return { totalBytes: responseLimits.errorBytes, eventBytes: Infinity, cutsOff: true }
  const isWhole = /\bjson\b/i.test(response.headers.get('content-type') ?? '')
  return isWhole
    ? { totalBytes: responseLimits.bodyBytes, eventBytes: Infinity, cutsOff: false }
    : { totalBytes: responseLimits.streamBytes, eventBytes: responseLimits.eventBytes, cutsOff: false }
}

/** Returns a meter for callers that read the body of an answer themselves. */
export function createBodyMeter (response: Response): BodyMeter {
  const { totalBytes, eventBytes, cutsOff } = limitOf(response)
  const sizeOfEvent = eventBytes === Infinity ? () => 0 : createEventMeter()
  let total = 0
  return {
    take (chunk) {
      const room = totalBytes - total
      total += chunk.length
      if (total > totalBytes && cutsOff) return chunk.subarray(0, room)
      if (total > totalBytes || sizeOfEvent(chunk) > eventBytes) throw new AnswerTooLarge('response')
      return chunk
    },
    get isFull () { return cutsOff && total > totalBytes }
  }
}

function limited (body: ReadableStream<Uint8Array>, meter: BodyMeter): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const leave = (): void => { reader.cancel().catch(() => {}) }
  return new ReadableStream<Uint8Array>({
    async pull (controller) {
      const { done, value } = await reader.read()
      if (done) return controller.close()
      try {
        controller.enqueue(meter.take(value))
      } catch (error) {
        leave()
        throw error
      }
      if (!meter.isFull) return
      leave()
      controller.close()
    },
    cancel: async (reason) => await reader.cancel(reason)
  }, { highWaterMark: 0 })
}

/** Counts the bytes since the last empty line, which ends an event (HTML Living Standard, "Server-sent events"). */
function createEventMeter (): (chunk: Uint8Array) => number {
  let bytes = 0
  let last = 0
  return (chunk) => {
    const end = lastEmptyLine(chunk, last)
    bytes = end === -1 ? bytes + chunk.length : chunk.length - end
    last = chunk.at(-1) ?? last
    return bytes
  }
}

/** Returns where the last empty line of a chunk begins, or -1 if there is none. `before` is the byte before the chunk. */
function lastEmptyLine (chunk: Uint8Array, before: number): number {
  // Usually the chunk ends with one.
  for (let at = chunk.length - 1; at >= 0; at--) {
    const byte = chunk[at]
    if (byte !== newline && byte !== carriageReturn) continue
    const previous = at === 0 ? before : chunk[at - 1]
    if (previous === newline || (previous === carriageReturn && byte === carriageReturn)) return at
  }
  return -1
}
