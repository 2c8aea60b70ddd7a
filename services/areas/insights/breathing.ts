import { setImmediate as nextPass } from 'node:timers/promises'

/** For so long is worked before others are let in. */
const breathMs = 5

/** Between two parts of a long work: lets others in when none were for a while. */
export type Breathe = () => Promise<void>

/** Waits for a pass of the event loop whenever there was none for a while. */
export function breathing (): Breathe {
  let sinceMs = performance.now()
  return async () => {
    if (performance.now() - sinceMs <= breathMs) return
    await nextPass()
    sinceMs = performance.now()
  }
}
