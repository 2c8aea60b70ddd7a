import { type Clock } from '../../services/ground/time/clock.js'

/** A clock that is ahead because that much time has passed; a clock with only `now` would have been set by a person. */
export const aheadBy = (ms: () => number): Clock => ({ now: () => Date.now() + ms(), monotonic: () => performance.now() + ms() })
