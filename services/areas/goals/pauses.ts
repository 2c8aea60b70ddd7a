import { type Static } from '@sinclair/typebox'
import { type PauseCode } from '../../../schemas/goals-state.js'
import { type GoalRow } from './rows.js'

type Code = Static<typeof PauseCode>
/** Why a goal is paused. `reason` is the service's text; apps translate the code. */
export interface Pause { code: Code, reason: string }

const unclearStart = 'the judge was unclear: '
const plain = {
  person: 'paused by the user',
  judge_silent: 'the judge did not answer',
  budget: 'the budget is used up',
  cancelled: 'the turn was cancelled',
  failed: 'the turn failed',
  cut_off: 'the service was stopped in the middle of a turn',
  not_started: 'the next turn could not be started'
}

export const pauseOf = (code: keyof typeof plain): Pause => ({ code, reason: plain[code] })
export const turnsUsedUp = (turns: number): Pause => ({ code: 'turns', reason: `the budget of ${turns} turns is used up` })
export const unclear = (reason: string): Pause => ({ code: 'judge_unclear', reason: `${unclearStart}${reason}` })

const plainCodes = ['person', 'judge_silent', 'budget', 'cancelled', 'failed', 'cut_off', 'not_started'] as const

/** Returns the code of a goal's pause. In rows of earlier versions it follows from the text; null if it has none, or is unknown. */
export function pauseCodeOf ({ pausedCode, pausedReason: reason }: Pick<GoalRow, 'pausedCode' | 'pausedReason'>): Code | null {
  if (pausedCode !== null || reason === null) return pausedCode
  if (reason.startsWith(unclearStart)) return 'judge_unclear'
  return plainCodes.find((code) => plain[code] === reason) ?? (/^the budget of \d+ turns is used up$/.test(reason) ? 'turns' : null)
}
