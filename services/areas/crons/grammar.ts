import { Invalid } from '../../ground/errors.js'
import { cronOf, periodIn } from '../../../schedules/expression.js'
import { sayInEnglish } from '../../../schedules/english.js'
import { normalised, readSchedule } from '../../../schedules/reading.js'
import { type ClockTime, type Said } from '../../../schedules/said.js'
import { nextSlot, type Schedule } from './slots.js'
import { dateAfter, localDate, localTime, two, wallTime, zonedMs, type LocalTime } from '../../ground/time/zones.js'

export interface ParsedSchedule { schedule: Schedule, display: string }

export interface GrammarOptions { nowMs: number, zone: string }

/** How far in the past the time of a single run may be. */
const pastMs = 120_000
const longestMinutes = 10 * 366 * 24 * 60
const longestText = 200

const accepted = 'Accepted are: "every 30m", "every 2 hours" or "1d" (minutes, hours, days); "every weekday morning", "every day at 9am", ' +
  '"mon, wed and fri at 14:00", "every other tuesday at 7", "on the 1st of each month"; a cron expression such as "0 9 * * 1-5"; ' +
  '"in 20 minutes", "tomorrow at 8" or "2030-01-31T09:00" for once'

const cronWord = /^(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|lw?|w)$/i
const timestamp = /^(\d{4})-(\d{2})-(\d{2})(?:[t ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(z|[+-]\d{2}(?::?\d{2})?)?)?$/

/**
 * Parses a schedule as people write it. The forms are tried in this order: words for days, intervals and moments, a cron expression, a
 * date. Throws Invalid with the accepted forms, or with what is wrong.
 */
export function parseSchedule (text: string, { nowMs, zone }: GrammarOptions): ParsedSchedule {
  const original = text.trim().replaceAll(/\s+/g, ' ')
  if (original.length > longestText) {
    throw new Invalid(`A schedule has at most ${longestText} characters. ${accepted}`, 'schedule_unclear')
  }
  const found = spoken(original, { nowMs, zone }) ?? period(original) ?? cronExpression(original, { nowMs, zone }) ??
    moment(normalised(original.toLowerCase()), { nowMs, zone })
  if (found === null) throw new Invalid(`"${original}" is not a schedule. ${accepted}`, 'schedule_unclear')
  return found
}

/** Parses a schedule in words. */
function spoken (original: string, { nowMs, zone }: GrammarOptions): ParsedSchedule | null {
  const read = readSchedule(original)
  if (read === null) return null
  if ('badTime' in read) throw new Invalid(`"${read.badTime}" is not a time of day. ${accepted}`, 'schedule_unclear')
  const { said } = read
  switch (said.kind) {
    case 'interval': return { schedule: { kind: 'interval', minutes: bounded(said.minutes, original) }, display: `every ${said.minutes}m` }
    case 'later':
      return {
        schedule: { kind: 'once', runAtMs: nowMs + bounded(said.minutes, original) * 60_000 }, display: `once ${sayInEnglish(said)}`
      }
    case 'once': return moment(`${dateOf(said, { nowMs, zone })} ${clockOf(said.time)}`, { nowMs, zone })
    case 'everyDays': return { schedule: periodOf(said, { nowMs, zone }), display: original }
    default: {
      const expr = cronOf(said)
      return expr === null ? null : { schedule: { kind: 'cron', expr }, display: original }
    }
  }
}

function bounded (minutes: number, text: string): number {
  if (minutes >= 1 && minutes <= longestMinutes) return minutes
  throw new Invalid(`"${text}" must be between a minute and ten years`, 'schedule_unclear')
}

const clockOf = ({ hour, minute }: ClockTime): string => `${two(hour)}:${two(minute)}`

/** Returns the date of a single run as YYYY-MM-DD. A date without a year means its next occurrence. */
function dateOf ({ on, time }: Extract<Said, { kind: 'once' }>, { nowMs, zone }: GrammarOptions): string {
  const today = localDate(nowMs, zone)
  if ('inDays' in on) return dateAfter(today, on.inDays)
  if ('nextWeekday' in on) return dateAfter(today, (on.nextWeekday - weekdayOf(today) + 6) % 7 + 1)
  const named = (year: number): string => `${String(year).padStart(4, '0')}-${two(on.month)}-${two(on.day)}`
  const { year } = localTime(nowMs, zone)
  if (on.year !== null) return named(on.year)
  return `${named(year)} ${clockOf(time)}` < wallTime(nowMs, zone) ? named(year + 1) : named(year)
}

const weekdayOf = (date: string): number => new Date(`${date}T00:00Z`).getUTCDay()

/** Begins on the first such day whose time has not passed. */
function periodOf (
  { count, weekday, time }: Extract<Said, { kind: 'everyDays' }>, { nowMs, zone }: GrammarOptions
): Extract<Schedule, { kind: 'interval' }> {
  const today = localDate(nowMs, zone)
  const inDays = weekday === null ? 0 : (weekday - weekdayOf(today) + 7) % 7
  const isPassed = inDays === 0 && `${today} ${clockOf(time)}` <= wallTime(nowMs, zone)
  const date = dateAfter(today, inDays + (isPassed ? weekday === null ? 1 : 7 : 0))
  return { kind: 'interval', minutes: count * 1_440, from: { days: count, date, time } }
}

/** Parses `every 14d from 2026-12-01T07:00`, the stored form of such a schedule. */
function period (original: string): ParsedSchedule | null {
  const from = periodIn(original)
  return from === null ? null : { schedule: { kind: 'interval', minutes: from.days * 1_440, from }, display: original }
}

/** Text with more than one unknown word is prose; with one it is a misspelt cron expression. */
function isProse (text: string): boolean {
  return text.split(' ').filter((field) => (field.match(/[a-z]+/gi) ?? []).some((word) => !cronWord.test(word))).length > 1
}

function cronExpression (original: string, { nowMs, zone }: GrammarOptions): ParsedSchedule | null {
  if (!/^[a-z0-9*,/#-]+(?: [a-z0-9*,/#-]+){4,5}$/i.test(original) || isProse(original)) return null
  const schedule: Schedule = { kind: 'cron', expr: original }
  let next: number | null
  try {
    next = nextSlot(schedule, nowMs, { zone, anchorMs: nowMs })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new Invalid(`"${original}" is not a cron expression: ${reason}. ${accepted}`, 'schedule_cron')
  }
  if (next === null) throw new Invalid(`"${original}" matches no date`, 'schedule_never')
  return { schedule, display: original }
}

function moment (words: string, { nowMs, zone }: GrammarOptions): ParsedSchedule | null {
  const found = timestamp.exec(words)
  if (found === null) return null
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = found
  const local: LocalTime = {
    year: Number(year), month: Number(month), day: Number(day), hour: Number(hour), minute: Number(minute), second: Number(second)
  }
  const date = new Date(Date.UTC(2000, 0, 1))
  date.setUTCFullYear(local.year, local.month - 1, local.day)
  const isOfCalendar = date.getUTCMonth() === local.month - 1 && date.getUTCDate() === local.day
  if (!isOfCalendar || local.hour > 23 || local.minute > 59 || local.second > 59) {
    throw new Invalid(`"${words}" is not a valid date and time`, 'schedule_unclear')
  }
  const runAtMs = (offset === undefined ? zonedMs(local, zone) : zonedMs(local, 'UTC') - offsetIn(offset)) +
    Math.floor(Number(`0.${fraction === '' ? 0 : fraction}`) * 1000)
  if (runAtMs < nowMs - pastMs) throw new Invalid(`"${words}" has passed. Choose a time in the future`, 'schedule_past')
  if (localTime(runAtMs, zone).year > 9999) throw new Invalid(`"${words}" is later than the year 9999`)
  return { schedule: { kind: 'once', runAtMs }, display: `once at ${wallTime(runAtMs, zone)}` }
}

/** Returns the offset in milliseconds ahead of UTC. */
function offsetIn (text: string): number {
  if (text === 'z') return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) throw new Invalid(`"${text}" is not an offset from UTC`)
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
