/**
 * The clocks as services see them. The wall clock says what time it is, and can be set by a day at any moment: it is for
 * what is stored and shown. What measures or waits uses the other one.
 */
export interface Clock {
  /** Milliseconds since the epoch. */
  now (): number
  /** Milliseconds since some moment; only differences mean something. Where it is left out, time passes as it does. */
  monotonic? (): number
}

export const systemClock: Clock = { now: () => Date.now() }

/** Epoch seconds with fraction, the time unit of the wire. */
export const epochSeconds = (clock: Clock): number => clock.now() / 1000

/** For durations and waits: a clock that nobody sets. */
export const monotonicMs = (clock: Clock): number => clock.monotonic?.() ?? performance.now()

export interface Dated {
  id: string
  /** Epoch seconds. */
  atS: number
}

/**
 * Ages of what is kept for a while. What lay before the first look, before a start of the service for instance, is counted
 * by the wall clock; from then on only time that has passed counts, so that a clock that is set makes nothing older.
 */
export function createAges (clock: Clock) {
  let seen = new Map<string, { ageS: number, atMs: number }>()

  return {
    /** Those that are at least `ageS` old. To be called with everything that there is, several times while it ages. */
    old (all: Dated[], ageS: number): string[] {
      const nowMs = monotonicMs(clock)
      seen = new Map(all.map(({ id, atS }) => [id, seen.get(id) ?? { ageS: Math.max(0, epochSeconds(clock) - atS), atMs: nowMs }]))
      return [...seen].filter(([, { ageS: before, atMs }]) => before + (nowMs - atMs) / 1000 >= ageS).map(([id]) => id)
    }
  }
}
