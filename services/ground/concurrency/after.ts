/** What a timer of the platform takes at most, 25 days; longer ones come at once. */
const longestTimerMs = 2 ** 31 - 1

/** A timer for any span. Hands back what stops it. */
export function after (ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number): void => {
    timer = setTimeout(() => leftMs > longestTimerMs ? wait(leftMs - longestTimerMs) : callback(), Math.min(leftMs, longestTimerMs))
  }
  wait(ms)
  return () => clearTimeout(timer)
}
