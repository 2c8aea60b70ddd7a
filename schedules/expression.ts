import { lastOfMonth, type ClockTime, type Said } from './said.js'

/** Every `days` days from a local time on: `every 14d from 2026-12-01T07:00`. */
export interface Period { days: number, date: string, time: ClockTime }

const two = (value: number): string => String(value).padStart(2, '0')
const periodForm = /^every (\d{1,4})d from (\d{4}-\d{2}-\d{2})[t ](\d{2}):(\d{2})$/i

export const periodExpression = ({ days, date, time }: Period): string => `every ${days}d from ${date}T${two(time.hour)}:${two(time.minute)}`

/** Parses such an expression; null if the text is none, or its date or time does not exist. */
export function periodIn (expression: string): Period | null {
  const [, days, date, hour, minute] = periodForm.exec(expression.trim()) ?? []
  if (days === undefined || date === undefined) return null
  const period = { days: Number(days), date, time: { hour: Number(hour), minute: Number(minute) } }
  const at = new Date(`${date}T00:00Z`)
  const isOfCalendar = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
  return isOfCalendar && period.days >= 1 && period.days <= 3_660 && period.time.hour < 24 && period.time.minute < 60 ? period : null
}

/** Returns the cron expression of a schedule by days of the week or month; null for any other. */
export function cronOf (said: Said): string | null {
  if (said.kind !== 'weekdays' && said.kind !== 'monthDays' && said.kind !== 'nthWeekday') return null
  const at = `${said.time.minute} ${said.time.hour}`
  switch (said.kind) {
    case 'weekdays': return `${at} * * ${weekdayField(said.days)}`
    case 'monthDays': return `${at} ${said.days.map((day) => day === lastOfMonth ? 'L' : day).join(',')} * *`
    case 'nthWeekday': return `${at} * * ${said.day}${said.nth === 5 ? 'L' : `#${said.nth}`}`
  }
}

function weekdayField (days: readonly number[]): string {
  const field = days.join(',')
  return field === '0,1,2,3,4,5,6' ? '*' : field === '1,2,3,4,5' ? '1-5' : field
}

/** Parses an expression as the service stores it; null if it cannot be said in words. */
export function saidOfExpression (expression: string): Said | null {
  const period = periodIn(expression)
  if (period !== null) {
    const isWeeks = period.days % 7 === 0 && period.days > 7
    const weekday = isWeeks ? new Date(`${period.date}T00:00Z`).getUTCDay() : null
    return period.days < 2 ? null : { kind: 'everyDays', count: period.days, weekday, time: period.time }
  }
  const [, interval] = /^every (\d+)m$/.exec(expression) ?? []
  if (interval !== undefined) return { kind: 'interval', minutes: Number(interval) }
  const [, minute, hour, monthDay, weekday] = /^(\d{1,2}) (\d{1,2}) ([\dL,*]+) \* (\S+)$/.exec(expression) ?? []
  if (weekday === undefined || monthDay === undefined || Number(hour) > 23 || Number(minute) > 59) return null
  return saidOfFields(monthDay, weekday, { hour: Number(hour), minute: Number(minute) })
}

function saidOfFields (monthDay: string, weekday: string, time: ClockTime): Said | null {
  if (weekday === '*' && monthDay !== '*') {
    const days = monthDay.split(',').map((day) => day === 'L' ? lastOfMonth : Number(day))
    return days.every((day) => day >= 1 && day <= lastOfMonth) && !monthDay.includes('32') ? { kind: 'monthDays', days: sorted(days), time } : null
  }
  if (monthDay !== '*') return null
  const [, day, nth] = /^([0-7])(?:#([1-4])|L)$/.exec(weekday) ?? []
  if (day !== undefined) return { kind: 'nthWeekday', nth: nth === undefined ? 5 : Number(nth), day: Number(day) % 7, time }
  if (weekday === '*') return { kind: 'weekdays', days: [0, 1, 2, 3, 4, 5, 6], time }
  if (!/^[0-7](?:-[0-7])?(?:,[0-7](?:-[0-7])?)*$/.test(weekday)) return null
  const days = weekday.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number)
    return Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => (first + at) % 7)
  })
  return days.length === 0 ? null : { kind: 'weekdays', days: sorted(days), time }
}

const sorted = (days: readonly number[]): number[] => [...new Set(days)].sort((a, b) => a - b)
