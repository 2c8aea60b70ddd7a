import { type Clock } from '../../services/ground/clock.js'

/** A clock that is ahead because so much time has passed; one that only gives `now` was set instead. */
export const aheadBy = (ms: () => number): Clock => ({ now: () => Date.now() + ms(), monotonic: () => performance.now() + ms() })
