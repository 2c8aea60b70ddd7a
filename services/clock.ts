/** The wall clock as services see it: milliseconds since the epoch. Tests hand in their own. */
export interface Clock { now (): number }

export const systemClock: Clock = { now: () => Date.now() }

/** Epoch seconds with fraction, the time unit of the wire. */
export const epochSeconds = (clock: Clock): number => clock.now() / 1000
