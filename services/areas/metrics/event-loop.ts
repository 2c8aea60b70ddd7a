import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks'

const everyMs = 20

/** How late timers were since the previous look, in seconds. */
export interface EventLoopDelay { p50S: number, p99S: number, longestS: number }

/** Measures how late the event loop runs its timers. Begins with the first look, so that no timer runs if nobody looks. */
export function createEventLoopWatch () {
  let watch: IntervalHistogram | null = null

  return {
    /** Returns the delay since the previous look; all 0 at the first one. */
    look (): EventLoopDelay {
      if (watch === null) {
        watch = monitorEventLoopDelay({ resolution: everyMs })
        watch.enable()
      }
      // The recorded values are the times between two timers.
      const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - everyMs / 1e3)
      const delay = { p50S: late(watch.percentile(50)), p99S: late(watch.percentile(99)), longestS: late(watch.max) }
      watch.reset()
      return delay
    },

    stop (): void { watch?.disable() }
  }
}
