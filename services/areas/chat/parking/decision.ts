import { type Limit, type OnLimit } from '../../../agent/protocol.js'

/** So often in a row nobody has said when: after half a day a person is asked. */
const mostUntold = 12
/** So often in a row somebody has, and it was not true. */
const mostTold = 100
const longestPauseS = 3_600
/** Clocks differ, and providers round. */
const marginS = 1

export interface AtLimit {
  limit: Limit
  onLimit: OnLimit
  /** Somebody is there to be asked. */
  attended: boolean
  /** So many times in a row the turn has waited for a limit, and got no further. */
  tries: number
  nowS: number
}

/** How long a turn waits for a limit whose end nobody has told: 1, 2, 4 … minutes, up to an hour. */
export const pauseS = (tries: number): number => Math.min(longestPauseS, 60 * 2 ** tries)

/** When a turn goes on whose model is at a limit, in epoch seconds; `null`: when a person says so. Null: it ends instead. */
export function parkedUntil ({ limit: { waitMs }, onLimit, attended, tries, nowS }: AtLimit): { resumesAt: number | null } | null {
  const isAsking = onLimit === 'ask' || tries >= (waitMs === null ? mostUntold : mostTold)
  if (isAsking && attended) return { resumesAt: null }
  if (isAsking && onLimit !== 'ask') return null
  return { resumesAt: nowS + (waitMs === null ? pauseS(tries) : Math.ceil(waitMs / 1_000) + marginS) }
}
