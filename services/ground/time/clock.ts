/**
 * The clocks as services see them. The wall clock can be set by a day at any moment, so it is only for times that are stored and shown.
 * Code that measures or waits uses the monotonic clock.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now (): number
  /**
   * Milliseconds since an arbitrary moment; only differences mean something. If it is missing, the process's own monotonic clock is used.
   */
  monotonic? (): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Epoch seconds with fraction, the time unit of the wire. */
export const epochSeconds = (clock: Clock): number => clock.now() / 1000

/** Monotonic time in milliseconds, for durations and waits. */
export const monotonicMs = (clock: Clock): number => clock.monotonic?.() ?? performance.now()

export interface Dated {
  id: string
  /** Epoch seconds. */
  atS: number
}

/**
 * Measures the ages of items that are kept for a while. The age that an item has when it is first seen, for instance after a start of the
 * service, is taken from the wall clock. From then on only elapsed time counts, so that setting the clock ages nothing.
 */
export function createAges (clock: Clock) {
  let seen = new Map<string, { ageS: number, atMs: number }>()

  return {
    /** Returns the ids of items that are at least `ageS` old. Must be called with all items, several times while they age. */
    old (all: Dated[], ageS: number): string[] {
      const nowMs = monotonicMs(clock)
      seen = new Map(all.map(({ id, atS }) => [id, seen.get(id) ?? { ageS: Math.max(0, epochSeconds(clock) - atS), atMs: nowMs }]))
      return [...seen].filter(([, { ageS: before, atMs }]) => before + (nowMs - atMs) / 1000 >= ageS).map(([id]) => id)
    }
  }
}
