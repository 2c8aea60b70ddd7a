import { clock, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'

export const weekdayNames = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const
export const monthNames = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'
] as const
export const nthNames = ['first', 'second', 'third', 'fourth', 'last'] as const

/** Describes a schedule, such as `every weekday at 9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInEnglish (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${isExact ? exactDays(said.days) : everyDays(said.days)} at ${clock(said.time)}`
    case 'monthDays': return `on the ${monthDays(said.days)} of each month at ${clock(said.time)}`
    case 'nthWeekday': return `on the ${nthNames[said.nth - 1] ?? ''} ${weekday(said.day)} of each month at ${clock(said.time)}`
    case 'everyDays': return `${period(said.count, said.weekday)} at ${clock(said.time)}`
    case 'interval': return intervalWords(said.minutes)
    case 'later': return `in ${counted(said.minutes)}`
    case 'once': return `${oneDay(said.on)} at ${clock(said.time)}`
  }
}

const weekday = (day: number): string => weekdayNames[day] ?? ''

function everyDays (days: readonly number[]): string {
  if (isEveryDay(days)) return 'every day'
  if (isWorkWeek(days)) return 'every weekday'
  return isWeekend(days) ? 'every weekend' : `every ${listed(days.map(weekday))}`
}

function exactDays (days: readonly number[]): string {
  if (isWorkWeek(days)) return 'Monday to Friday'
  return isWeekend(days) ? 'Saturday and Sunday' : everyDays(days)
}

const monthDays = (days: readonly number[]): string => listed(days.map((day) => day === lastOfMonth ? 'last day' : ordinal(day)))

function ordinal (day: number): string {
  const ending = day > 10 && day < 20 ? 'th' : ['th', 'st', 'nd', 'rd'][day % 10] ?? 'th'
  return `${day}${ending}`
}

function period (count: number, day: number | null): string {
  if (day === null) return count === 2 ? 'every other day' : `every ${count} days`
  return count === 14 ? `every other ${weekday(day)}` : `every ${count / 7} weeks on ${weekday(day)}`
}

/** Returns `every 30 minutes`, in the largest unit that gives a whole number. */
function intervalWords (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  return count === 1 ? `every ${unit}` : `every ${count} ${unit}s`
}

function counted (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  return count === 1 ? `1 ${unit}` : `${count} ${unit}s`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `next ${weekday(on.nextWeekday)}`
  if ('inDays' in on) return ['today', 'tomorrow', 'the day after tomorrow'][on.inDays] ?? ''
  return `on ${on.day} ${monthNames[on.month - 1] ?? ''}${on.year === null ? '' : ` ${on.year}`}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
