import { type JobRow } from './job-rows.js'
import { two } from './zones.js'

const dayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/**
 * When a job runs, for a person: as it was typed where that was in words, and otherwise in those that can be typed as well. Only
 * of a cron expression that is more than days and a time, words are told (or itself, if there are none) that no schedule is read from.
 */
export function scheduleWords ({
  kind, expression, display, minutes, words
}: Pick<JobRow, 'kind' | 'expression' | 'display' | 'minutes' | 'words'>): string {
  if (kind === 'interval' && minutes !== null) return intervalWords(minutes)
  if (display !== expression) return display
  return daysAndTimeWords(expression) ?? words ?? display
}

/** `every 30 minutes`, in the largest unit that says it. */
function intervalWords (minutes: number): string {
  const [count, unit] = minutes % 1_440 === 0
    ? [minutes / 1_440, 'day'] as const
    : minutes % 60 === 0 ? [minutes / 60, 'hour'] as const : [minutes, 'minute'] as const
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

/** `every weekday at 9:00`; null for an expression that says more. */
function daysAndTimeWords (expression: string): string | null {
  const [, minute, hour, days] = /^(\d{1,2}) (\d{1,2}) \* \* (\*|[0-7](?:-[0-7])?(?:,[0-7])*)$/.exec(expression) ?? []
  if (minute === undefined || hour === undefined || days === undefined) return null
  return `every ${dayWords(days)} at ${Number(hour)}:${two(Number(minute))}`
}

function dayWords (field: string): string {
  if (field === '*') return 'day'
  if (field === '1-5') return 'weekday'
  if (field === '0,6' || field === '6,0' || field === '6,7') return 'weekend'
  const days = field.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: Math.max(1, last - first + 1) }, (_, index) => dayNames[(first + index) % 7] ?? '')
  })
  return days.length === 1 ? days.join('') : `${days.slice(0, -1).join(', ')} and ${days.at(-1) ?? ''}`
}
