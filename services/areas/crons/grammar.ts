import { Invalid } from '../../ground/errors.js'
import { inEnglish, readDayWords } from './day-words.js'
import { nextSlot, type Schedule } from './slots.js'
import { localTime, wallTime, zonedMs, type LocalTime } from './zones.js'

export interface ParsedSchedule { schedule: Schedule, display: string }

export interface GrammarOptions { nowMs: number, zone: string }

/** What happens once may lie so far back. */
const pastMs = 120_000
const longestMinutes = 10 * 366 * 24 * 60
const longestText = 200

const accepted = 'Accepted are: "every 30m", "every 2 hours" or "1d" (minutes, hours, days); "every weekday morning", "every day at 9am", ' +
  '"mon, wed and fri at 14:00"; a cron expression such as "0 9 * * 1-5"; "in 20 minutes", "tomorrow at 8" or "2030-01-31T09:00" for once'

const minutesOf: Record<string, number> = { m: 1, h: 60, d: 1_440 }
const duration = /^(\d*)\s*(?:(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?)$/
const cronWord = /^(?:sun|mon|tue|wed|thu|fri|sat|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|lw?|w)$/i
const timestamp = /^(\d{4})-(\d{2})-(\d{2})(?:[t ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s*(z|[+-]\d{2}(?::?\d{2})?)?)?$/

/**
 * Reads what a person writes for a schedule, in the order in which the forms are tried: days and a time, an interval, a cron
 * expression, a moment. Throws Invalid with the accepted forms, or with what is wrong about one of them.
 */
export function parseSchedule (text: string, { nowMs, zone }: GrammarOptions): ParsedSchedule {
  const original = text.trim().replaceAll(/\s+/g, ' ')
  if (original.length > longestText) {
    throw new Invalid(`A schedule has at most ${longestText} characters. ${accepted}`, 'schedule_unclear')
  }
  // What happens once is shown with the word in front.
  const words = inEnglish(original.toLowerCase()).replace(/^once (?:at )?(?=in |\d)/, '')
  const found = daysAndTime(words, original, { nowMs, zone }) ?? recurring(words, /^every (.+)$/) ?? cronExpression(original, {
    nowMs, zone
  }) ??
    moment(words, { nowMs, zone }) ?? later(words, nowMs) ?? recurring(words, /^(.+)$/)
  if (found === null) throw new Invalid(`"${original}" is not a schedule. ${accepted}`, 'schedule_unclear')
  return found
}

function recurring (words: string, form: RegExp): ParsedSchedule | null {
  const minutes = minutesIn(form.exec(words)?.[1] ?? '')
  return minutes === null ? null : { schedule: { kind: 'interval', minutes }, display: `every ${minutes}m` }
}

function later (words: string, nowMs: number): ParsedSchedule | null {
  const span = /^in (.+)$/.exec(words)?.[1] ?? ''
  const minutes = minutesIn(span)
  return minutes === null ? null : { schedule: { kind: 'once', runAtMs: nowMs + minutes * 60_000 }, display: `once in ${span}` }
}

/** Null: it is no duration. */
function minutesIn (text: string): number | null {
  const found = duration.exec(text)
  if (found === null) return null
  const [, count, ...units] = found
  const minutes = Number(count === '' ? 1 : count) * minutesOf[units.find((unit) => unit !== undefined)!]!
  if (minutes < 1 || minutes > longestMinutes) {
    throw new Invalid(`"${text}" must be between a minute and ten years`, 'schedule_unclear')
  }
  return minutes
}

function daysAndTime (words: string, original: string, { nowMs, zone }: GrammarOptions): ParsedSchedule | null {
  const found = readDayWords(words)
  if (found === null) return null
  const { days, dayOfMonth, inDays, time, badTime } = found
  if (time === null) throw new Invalid(`"${badTime}" is not a time of day. ${accepted}`, 'schedule_unclear')
  if (inDays === null) {
    return { schedule: { kind: 'cron', expr: `${time.minute} ${time.hour} ${dayOfMonth ?? '*'} * ${days ?? '*'}` }, display: original }
  }
  if (days !== null || dayOfMonth !== null) return null
  const today = localTime(nowMs, zone)
  const two = (value: number): string => String(value).padStart(2, '0')
  const date = new Date(Date.UTC(today.year, today.month - 1, today.day + inDays)).toISOString().slice(0, 10)
  return moment(`${date} ${two(time.hour)}:${two(time.minute)}`, { nowMs, zone })
}

/** Five words make no cron expression; one that is misspelt does. */
function isProse (text: string): boolean {
  return text.split(' ').filter((field) => (field.match(/[a-z]+/gi) ?? []).some((word) => !cronWord.test(word))).length > 1
}

function cronExpression (original: string, { nowMs, zone }: GrammarOptions): ParsedSchedule | null {
  if (!/^[a-z0-9*,/-]+(?: [a-z0-9*,/-]+){4,5}$/i.test(original) || isProse(original)) return null
  const schedule: Schedule = { kind: 'cron', expr: original }
  let next: number | null
  try {
    next = nextSlot(schedule, nowMs, { zone, anchorMs: nowMs })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^CronPattern: /, '') : ''
    throw new Invalid(`"${original}" is not a cron expression: ${reason}. ${accepted}`, 'schedule_cron')
  }
  if (next === null) throw new Invalid(`"${original}" never comes`, 'schedule_never')
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

/** Milliseconds ahead of UTC. */
function offsetIn (text: string): number {
  if (text === 'z') return 0
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(text) ?? []
  if (Number(hours) > 23 || Number(minutes) > 59) throw new Invalid(`"${text}" is not an offset from UTC`)
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
