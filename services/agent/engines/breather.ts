import { setImmediate as immediate } from 'node:timers/promises'

/** How long the pieces of answers that are already there are worked through before everything else gets its turn. */
const longestMs = 8

let sinceMs: number | null = null

/**
 * To be awaited between two pieces of work when it is not undefined: this pass of the event loop, shared by all runs of
 * the process, has been at it for long enough. Promises alone never let timers and sockets in.
 */
export function breather (): Promise<void> | undefined {
  if (sinceMs === null) {
    sinceMs = performance.now()
    setImmediate(() => { sinceMs = null })
    return undefined
  }
  return performance.now() - sinceMs < longestMs ? undefined : immediate()
}
