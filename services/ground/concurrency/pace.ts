import { setImmediate } from 'node:timers/promises'

/** To be awaited between pieces of work. */
export type Pace = () => Promise<void>

/** Once `stretchMs` have gone by, everyone else gets a turn first. */
export function createPace (stretchMs = 4): Pace {
  let startedMs = performance.now()
  return async () => {
    if (performance.now() - startedMs < stretchMs) return
    await setImmediate()
    startedMs = performance.now()
  }
}
