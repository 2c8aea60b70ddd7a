import { flow, pieceChars } from '../limits.js'
import { weightOf, type FromHost, type RunEvent } from '../protocol.js'

/** What of a run is on its way to the disk, and who waits for that. */
interface Way { weight: number, drained: Promise<void> | undefined, wake: () => void }

/**
 * Gathers events of all runs before they cross to the web tier: a crossing costs more than a token. The first event
 * after a pause leaves at once; while more keep coming they leave together every few milliseconds. Neighbouring deltas
 * of one run become one, up to a size; what is larger leaves in several messages, so that none takes long on either side.
 */
export function createOutbox (send: (message: FromHost) => void, windowMs = 4) {
  let events: RunEvent[] = []
  let lastFlushMs = -Infinity
  let pending = false
  const ways = new Map<string, Way>()

  function flush (): void {
    pending = false
    if (events.length === 0) return
    lastFlushMs = performance.now()
    let batch: RunEvent[] = []
    let weight = 0
    for (const event of events) {
      if (weight >= flow.portionChars) {
        send({ type: 'events', events: batch })
        batch = []
        weight = 0
      }
      batch.push(event)
      weight += weightOf(event)
    }
    events = []
    send({ type: 'events', events: batch })
  }

  function add (event: RunEvent): void {
    if (event.t === 'token' || event.t === 'reasoning') {
      const last = events.findLast((candidate) => candidate.runId === event.runId)
      if (last !== undefined && last.t === event.t && last.text.length + event.text.length <= pieceChars) {
        last.text += event.text
        return
      }
    }
    events.push({ ...event })
  }

  function schedule (): void {
    if (pending) return
    pending = true
    const waitMs = lastFlushMs + windowMs - performance.now()
    if (waitMs <= 0) setImmediate(flush)
    else setTimeout(flush, waitMs)
  }

  return {
    push (event: RunEvent): void {
      const way = ways.get(event.runId) ?? { weight: 0, drained: undefined, wake: () => {} }
      ways.set(event.runId, way)
      way.weight += weightOf(event)
      if ((event.t === 'token' || event.t === 'reasoning') && event.text.length > pieceChars) for (const text of piecesOf(event.text)) add({ ...event, text })
      else add(event)
      schedule()
    },

    flush,

    /** So much of a run is on the disk. */
    stored (runId: string, weight: number): void {
      const way = ways.get(runId)
      if (way === undefined) return
      way.weight = Math.max(0, way.weight - weight)
      if (way.weight < flow.windowChars) way.wake()
    },

    /** Resolves when enough of what a run has said is stored for it to go on; undefined when it may go on at once. */
    drained (runId: string): Promise<void> | undefined {
      const way = ways.get(runId)
      if (way === undefined || way.weight < flow.windowChars) return undefined
      way.drained ??= new Promise<void>((resolve) => {
        way.wake = () => {
          way.drained = undefined
          way.wake = () => {}
          resolve()
        }
      })
      return way.drained
    },

    /** The run is over. */
    forget (runId: string): void {
      ways.get(runId)?.wake()
      ways.delete(runId)
    }
  }
}

/** Pieces of a long text, none of which ends with half a character. */
function * piecesOf (text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + pieceChars
    const isSplit = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    yield text.slice(from, isSplit ? end - 1 : end)
    from = isSplit ? end - 1 : end
  }
}
