/** Awaited between pieces of work. */
export type Pace = () => Promise<void>

/** Work that waits to continue, in order of arrival. */
const waiting: Array<() => void> = []

/**
 * Returns a pace: once `stretchMs` have passed, awaiting it lets all other work run first. Of the work that waits, one piece continues in
 * each pass of the event loop.
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
