/** To be awaited between pieces of work. */
export type Pace = () => Promise<void>

/** Who goes on, the first first. */
const waiting: Array<() => void> = []

/**
 * Once `stretchMs` have gone by, everyone else gets a turn first; of all who wait for theirs, one goes on in each pass of the event loop.
 */
export function createPace (stretchMs = 4): Pace {
  let startedMs = performance.now()
  return async () => {
    if (performance.now() - startedMs < stretchMs) return
    await new Promise<void>((resolve) => { if (waiting.push(resolve) === 1) setImmediate(goOn) })
    startedMs = performance.now()
  }
}

function goOn (): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}
