export interface ClockTime { hour: number, minute: number }

/** Stands among the days of a month for its last one. */
export const lastOfMonth = 32

/** When something runs, as people say it. Weekdays are numbers from Sunday, 0. */
export type Said =
  /** On these weekdays of every week. */
  | { kind: 'weekdays', days: readonly number[], time: ClockTime }
  /** On these days of every month; see {@link lastOfMonth}. */
  | { kind: 'monthDays', days: readonly number[], time: ClockTime }
  /** On the first (1) to fourth, or the last (5) such weekday of every month. */
  | { kind: 'nthWeekday', nth: number, day: number, time: ClockTime }
  /** Every so many days, at least two. With a weekday, they are whole weeks, at least two. */
  | { kind: 'everyDays', count: number, weekday: number | null, time: ClockTime }
  | { kind: 'interval', minutes: number }
  /** Once, so long from now. */
  | { kind: 'later', minutes: number }
  | { kind: 'once', on: OneDay, time: ClockTime }

export type OneDay = { inDays: number } | { nextWeekday: number } | { day: number, month: number, year: number | null }

/** A text that was read. `isGuessed`: it names no hour, so that another one close by may be meant. */
export interface Reading { said: Said, isGuessed: boolean }

/** The time of a schedule; null for one that is counted from now. */
export const timeOf = (said: Said): ClockTime | null => 'time' in said ? said.time : null

/** The same at another hour. */
export const atHour = (said: Said, hour: number): Said => 'time' in said ? { ...said, time: { ...said.time, hour } } : said

/** `9:05`, as every language writes it. */
export const clock = ({ hour, minute }: ClockTime): string => `${hour}:${String(minute).padStart(2, '0')}`

export const isEveryDay = (days: readonly number[]): boolean => days.length === 7
export const isWorkWeek = (days: readonly number[]): boolean => days.join() === '1,2,3,4,5'
export const isWeekend = (days: readonly number[]): boolean => days.join() === '0,6'

/** Minutes in the largest unit that counts them whole. */
export function largestUnit (minutes: number): { count: number, unit: 'minute' | 'hour' | 'day' } {
  if (minutes % 1_440 === 0) return { count: minutes / 1_440, unit: 'day' }
  return minutes % 60 === 0 ? { count: minutes / 60, unit: 'hour' } : { count: minutes, unit: 'minute' }
}
