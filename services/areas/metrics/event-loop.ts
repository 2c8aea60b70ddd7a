import { monitorEventLoopDelay, type IntervalHistogram } from 'node:perf_hooks'

const everyMs = 20

/** How late timers were since the look before, in seconds. */
export interface EventLoopDelay { p50S: number, p99S: number, longestS: number }

/** Watches how late the event loop comes to its timers, from the first look on: where nobody looks, no timer runs for it. */
export function createEventLoopWatch () {
  let watch: IntervalHistogram | null = null

  return {
    /** All 0 at the first look. */
    look (): EventLoopDelay {
      if (watch === null) {
        watch = monitorEventLoopDelay({ resolution: everyMs })
        watch.enable()
      }
      // What is recorded is the time from one timer to the next.
      const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e9 - everyMs / 1e3)
      const delay = { p50S: late(watch.percentile(50)), p99S: late(watch.percentile(99)), longestS: late(watch.max) }
      watch.reset()
      return delay
    },

    stop (): void { watch?.disable() }
  }
}
