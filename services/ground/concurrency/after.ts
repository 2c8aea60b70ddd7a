/** The longest span of a platform timer, 25 days. Timers with a longer one fire at once. */
const longestTimerMs = 2 ** 31 - 1

/** Starts a timer for any span. Returns a function that stops it. */
export function after (ms: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout
  const wait = (leftMs: number): void => {
    timer = setTimeout(() => leftMs > longestTimerMs ? wait(leftMs - longestTimerMs) : callback(), Math.min(leftMs, longestTimerMs))
  }
  wait(ms)
  return () => clearTimeout(timer)
}
