import { type TurnOutcome } from '../chat/index.js'
import { silentMark } from './message.js'
import { isUsedUp } from './jobs.js'
import { type JobRow } from './job-rows.js'
import { type RunResult } from './report.js'

export const interrupted: RunResult = { status: 'error', answer: '', error: 'The service stopped unexpectedly in the middle of this run.' }

/** Returns the columns that a run changes in its job. */
export function afterRun (job: JobRow, { status, error }: RunResult, endedAt: number): Partial<JobRow> {
  const repeatCompleted = job.repeatCompleted + 1
  const isOver = job.state !== 'paused' && isUsedUp({ ...job, repeatCompleted })
  return {
    repeatCompleted,
    lastRunAt: endedAt,
    lastStatus: status,
    lastError: error,
    lastDeliveryError: null,
    failureStreak: status === 'ok' ? 0 : job.failureStreak + 1,
    updatedAt: endedAt,
    ...(isOver && { state: 'completed', nextRunAt: null })
  }
}

export function resultOf ({ state, answer, error, errorType, cut, ended }: TurnOutcome): RunResult {
  if (state === 'done' && ended === 'budget_exhausted') return outOfBudget(answer, cut)
  if (state === 'done') return answered(cut === undefined ? answer : `${answer}\n\n(${cut})`)
  // Retrying is useless: a person has to name another model, or to set up its provider.
  const status = errorType === 'model_not_found' || errorType === 'mode_not_allowed' ? 'blocked_config' : 'error'
  return { status, answer, error: state === 'cancelled' ? 'The run was stopped.' : error ?? 'The run failed.' }
}

/** What it said until then is kept, unless that only says why it ended. */
export const outOfBudget = (
  answer: string, cut?: string
): RunResult => ({ status: 'error', answer: cut === undefined ? '' : answer, error: (cut ?? answer) || 'A budget is used up' })

export const answered = (answer: string): RunResult =>
  answer.trim() === '' ? { status: 'error', answer: '', error: 'The run ended without an answer.' } : { status: 'ok', answer, error: null }

/** Whether nobody has to be notified of a result. */
export const isSilent = ({ status, answer }: RunResult): boolean => status === 'ok' && answer.includes(silentMark)
