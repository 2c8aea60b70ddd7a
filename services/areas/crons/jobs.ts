import { periodExpression, periodIn } from '../../../schedules/expression.js'
import { type JobRow } from './job-rows.js'
import { nextSlot, type Schedule } from './slots.js'
import { isoIn } from '../../ground/time/zones.js'
import { present } from '../../ground/present.js'
import { type ParsedSchedule } from './grammar.js'

export const isEnabled = ({ state }: Pick<JobRow, 'state'>): boolean => state === 'scheduled' || state === 'error'

/** Whether the job has run as often as it may. */
export const isUsedUp = ({ repeatTimes, repeatCompleted }: Pick<JobRow, 'repeatTimes' | 'repeatCompleted'>): boolean =>
  repeatTimes !== null && repeatCompleted >= repeatTimes

export function scheduleOf ({ kind, expression, minutes, runAt }: Pick<JobRow, 'kind' | 'expression' | 'minutes' | 'runAt'>): Schedule {
  switch (kind) {
    case 'cron': return { kind, expr: expression }
    case 'interval': return { kind, minutes: present(minutes, 'the interval of a job'), ...periodOf(expression) }
    case 'once': return { kind, runAtMs: toMs(present(runAt, 'the time of a job')) }
    case 'hook': return { kind }
  }
}

function periodOf (expression: string): Pick<Extract<Schedule, { kind: 'interval' }>, 'from'> {
  const from = periodIn(expression)
  return from === null ? {} : { from }
}

/** Returns the columns of a schedule. */
export function columnsOf (
  { schedule, display }: ParsedSchedule, zone: string
): Pick<JobRow, 'kind' | 'expression' | 'display' | 'minutes' | 'runAt' | 'zone'> {
  const { kind } = schedule
  const none = { minutes: null, runAt: null }
  switch (kind) {
    case 'cron': return { ...none, kind, expression: schedule.expr, display, zone }
    case 'interval': {
      const expression = schedule.from === undefined ? `every ${schedule.minutes}m` : periodExpression(schedule.from)
      return { ...none, kind, expression, display, zone, minutes: schedule.minutes }
    }
    case 'once': return { ...none, kind, expression: isoIn(schedule.runAtMs, zone), display, zone, runAt: schedule.runAtMs / 1000 }
    case 'hook': return { ...none, kind, expression: '', display, zone }
  }
}

/** Converts epoch seconds to whole milliseconds. */
export const toMs = (seconds: number): number => Math.round(seconds * 1000)

/**
 * Returns as columns when a job runs next after a moment: `error` if it is recurring and no such time exists. `zoneNow` may throw.
 */
export function nextRunColumns (
  job: Pick<JobRow, 'kind' | 'expression' | 'minutes' | 'runAt' | 'anchorAt' | 'zone' | 'lastError'> & Partial<Pick<JobRow, 'state'>>,
  afterMs: number, zoneNow: () => string
): Pick<JobRow, 'state' | 'nextRunAt' | 'zone' | 'lastError'> {
  try {
    const zone = zoneNow()
    const next = nextSlot(scheduleOf(job), afterMs, { zone, anchorMs: toMs(job.anchorAt) })
    if (next !== null || job.kind === 'once' || job.kind === 'hook') {
      return {
        state: 'scheduled', nextRunAt: next === null ? null : next / 1000, zone, lastError: job.state === 'error' ? null : job.lastError
      }
    }
    return { state: 'error', nextRunAt: null, zone, lastError: 'This schedule has no next time' }
  } catch (error) {
    return {
      state: 'error', nextRunAt: null, zone: job.zone,
      lastError: error instanceof Error ? error.message : 'The next time could not be found'
    }
  }
}
