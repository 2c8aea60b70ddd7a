import { type Static } from '@sinclair/typebox'
import { type PauseCode } from '../../../schemas/goals.js'

/** Why a goal is paused, as stored and shown; apps translate the code. */
export const pauses = {
  person: 'paused by the user',
  judge_silent: 'the judge did not answer',
  budget: 'the budget is used up',
  cancelled: 'the turn was cancelled',
  failed: 'the turn failed',
  cut_off: 'the service was stopped in the middle of a turn',
  not_started: 'the next turn could not be started'
}
export const turnsUsedUp = (turns: number): string => `the budget of ${turns} turns is used up`
export const unclear = (reason: string): string => `${unclearStart}${reason}`

type Code = Static<typeof PauseCode>

const unclearStart = 'the judge was unclear: '
const plainCodes = ['person', 'judge_silent', 'budget', 'cancelled', 'failed', 'cut_off', 'not_started'] as const

/** Returns the code of a stored reason; null for none, and for one with the wording of an earlier version. */
export function pauseCodeOf (reason: string | null): Code | null {
  if (reason === null) return null
  if (reason.startsWith(unclearStart)) return 'judge_unclear'
  return plainCodes.find((code) => pauses[code] === reason) ?? (/^the budget of \d+ turns is used up$/.test(reason) ? 'turns' : null)
}
