import { setImmediate as nextPass } from 'node:timers/promises'

/** How long work may continue before other work gets its turn. */
const breathMs = 5

/** Called between parts of a long task; lets other work run if none has for a while. */
export type Breathe = () => Promise<void>

/** Creates a function that waits for a pass of the event loop whenever there was none for `breathMs`. */
export function breathing (): Breathe {
  let sinceMs = performance.now()
  return async () => {
    if (performance.now() - sinceMs <= breathMs) return
    await nextPass()
    sinceMs = performance.now()
  }
}
