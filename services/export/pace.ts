import { setImmediate } from 'node:timers/promises'

/** To be awaited between pieces of work: once `stretchMs` have gone by, everyone else gets a turn first. */
export function createPace (stretchMs: number): () => Promise<void> {
  let startedMs = performance.now()
  return async () => {
    if (performance.now() - startedMs < stretchMs) return
    await setImmediate()
    startedMs = performance.now()
  }
}
