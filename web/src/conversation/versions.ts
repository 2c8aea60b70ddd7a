import { type OutlineEntry } from '../core/conversation/outline.js'

let arrival: { sessionId: string, index: number } | null = null

/** Remembers the message to show when this session opens. */
export function arriveAt (sessionId: string, index: number): void {
  arrival = { sessionId, index }
}

/** Returns, once, the message to show in a session that has just opened; null: the session's own reading position. */
export function takeArrival (sessionId: string | null): OutlineEntry | null {
  const taken = arrival
  arrival = null
  return taken === null || taken.sessionId !== sessionId
    ? null
    : { kind: 'message', index: taken.index, level: 0, text: '', source: null, timestamp: null }
}
