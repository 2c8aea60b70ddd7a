import { setImmediate as immediate } from 'node:timers/promises'

/** How long pieces of answers that have already arrived are processed before timers and sockets get a turn. */
const longestMs = 8

let sinceMs: number | null = null

/**
 * Returns a promise to await between two pieces of work if this pass of the event loop, which all runs of the process share, has
 * taken long enough; else undefined. Promises alone never let timers and sockets in.
 */
export function breather (): Promise<void> | undefined {
  if (sinceMs === null) {
    sinceMs = performance.now()
    setImmediate(() => { sinceMs = null })
    return undefined
  }
  return performance.now() - sinceMs < longestMs ? undefined : immediate()
}
