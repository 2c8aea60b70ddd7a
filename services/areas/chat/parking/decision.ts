import { type Limit, type OnLimit } from '../../../agent/protocol.js'

/** How often in a row a turn waits without being told an end: after half a day a person is asked. */
const mostUntold = 12
/** How often in a row a turn waits until a time that was told and proved wrong. */
const mostTold = 100
const longestPauseS = 3_600
/** Clocks differ, and providers round times. */
const marginS = 1

export interface AtLimit {
  limit: Limit
  onLimit: OnLimit
  /** Whether a person can be asked. */
  attended: boolean
  /** How often in a row the turn has waited for a limit without getting any further. */
  tries: number
  nowS: number
}

/** Returns the pause for a limit whose end is unknown: 1, 2, 4 … minutes, up to an hour. */
export const pauseS = (tries: number): number => Math.min(longestPauseS, 60 * 2 ** tries)

/**
 * Returns when a turn at a limit resumes, in epoch seconds; `resumesAt` null: when a person says so. Returns null if the turn ends instead.
 */
export function parkedUntil ({ limit: { waitMs }, onLimit, attended, tries, nowS }: AtLimit): { resumesAt: number | null } | null {
  const isAsking = onLimit === 'ask' || tries >= (waitMs === null ? mostUntold : mostTold)
  if (isAsking && attended) return { resumesAt: null }
  if (isAsking && onLimit !== 'ask') return null
  return { resumesAt: nowS + (waitMs === null ? pauseS(tries) : Math.ceil(waitMs / 1_000) + marginS) }
}
