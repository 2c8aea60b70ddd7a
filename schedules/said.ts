export interface ClockTime { hour: number, minute: number }

/** Among the days of a month, stands for the last one. */
export const lastOfMonth = 32

/** When something runs, in the terms that people use. Weekdays are numbered from Sunday = 0. */
export type Said =
  /** These weekdays of every week. */
  | { kind: 'weekdays', days: readonly number[], time: ClockTime }
  /** These days of every month; see {@link lastOfMonth}. */
  | { kind: 'monthDays', days: readonly number[], time: ClockTime }
  /** The first (1) to fourth, or the last (5), such weekday of every month. */
  | { kind: 'nthWeekday', nth: number, day: number, time: ClockTime }
  /** Every `count` days, at least 2. With a weekday, `count` is a multiple of 7, at least 14. */
  | { kind: 'everyDays', count: number, weekday: number | null, time: ClockTime }
  | { kind: 'interval', minutes: number }
  /** Once, this many minutes from now. */
  | { kind: 'later', minutes: number }
  | { kind: 'once', on: OneDay, time: ClockTime }

export type OneDay = { inDays: number } | { nextWeekday: number } | { day: number, month: number, year: number | null }

/** A parsed text. `isGuessed`: it names no hour, so the person may mean another one. */
export interface Reading { said: Said, isGuessed: boolean }

/** Returns the time of a schedule; null if it is counted from now. */
export const timeOf = (said: Said): ClockTime | null => 'time' in said ? said.time : null

/** Returns the same schedule at another hour. */
export const atHour = (said: Said, hour: number): Said => 'time' in said ? { ...said, time: { ...said.time, hour } } : said

/** Formats a time as `9:05`, which is the same in every language. */
export const clock = ({ hour, minute }: ClockTime): string => `${hour}:${String(minute).padStart(2, '0')}`

export const isEveryDay = (days: readonly number[]): boolean => days.length === 7
export const isWorkWeek = (days: readonly number[]): boolean => days.join() === '1,2,3,4,5'
export const isWeekend = (days: readonly number[]): boolean => days.join() === '0,6'

/** Converts minutes to the largest unit that gives a whole number. */
export function largestUnit (minutes: number): { count: number, unit: 'minute' | 'hour' | 'day' } {
  if (minutes % 1_440 === 0) return { count: minutes / 1_440, unit: 'day' }
  return minutes % 60 === 0 ? { count: minutes / 60, unit: 'hour' } : { count: minutes, unit: 'minute' }
}
