import { type FromHost, type RunEvent } from '../protocol.js'

/**
 * Gathers events of all runs before they cross to the web tier: a crossing costs more than a token. The first event
 * after a pause leaves at once; while more keep coming they leave together every few milliseconds. Neighbouring deltas
 * of one run become one.
 */
export function createOutbox (send: (message: FromHost) => void, windowMs = 4) {
  let events: RunEvent[] = []
  let lastFlushMs = -Infinity
  let pending = false

  function flush (): void {
    pending = false
    if (events.length === 0) return
    lastFlushMs = performance.now()
    const batch = events
    events = []
    send({ type: 'events', events: batch })
  }

  return {
    push (event: RunEvent): void {
      if (event.t === 'token' || event.t === 'reasoning') {
        const last = events.findLast((candidate) => candidate.runId === event.runId)
        if (last !== undefined && last.t === event.t) {
          last.text += event.text
          return
        }
      }
      events.push({ ...event })
      if (pending) return
      pending = true
      const waitMs = lastFlushMs + windowMs - performance.now()
      if (waitMs <= 0) setImmediate(flush)
      else setTimeout(flush, waitMs)
    },
    flush
  }
}
