import fc from 'fast-check'
import { parseSchedule } from '../../../services/areas/crons/grammar.js'
import { columnsOf } from '../../../services/areas/crons/jobs.js'
import { nextSlot, type Schedule } from '../../../services/areas/crons/slots.js'
import { scheduleWords } from '../../../services/areas/crons/words.js'
import { Invalid } from '../../../services/ground/errors.js'
import { type Part } from './part.js'

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'Pacific/Apia', 'Africa/Casablanca', 'America/Sao_Paulo', 'Antarctica/Troll']
const number = (min: number, max: number) => fc.integer({ min, max }).map(String)
/** A field of a cron expression: values, ranges, steps, lists. */
const field = (min: number, max: number) => fc.oneof(
  fc.constant('*'), number(min, max), fc.tuple(number(min, max), number(min, max)).map(([from, to]) => `${from}-${to}`), fc.integer({ min: 1, max }).map((step) => `*/${step}`),
  fc.array(number(min, max), { minLength: 2, maxLength: 4 }).map((list) => list.join(','))
)
const expression = fc.tuple(field(0, 59), field(0, 23), fc.oneof(field(1, 31), fc.constantFrom('L', '15W', 'LW')), fc.oneof(field(1, 12), fc.constantFrom('feb', 'mar-oct')), fc.oneof(field(0, 7), fc.constantFrom('mon-fri', '5L', '1#2')))
  .map((fields) => fields.join(' '))
const spoken = fc.array(fc.constantFrom(
  'every', 'each', 'other', 'first', 'last', 'month', 'weeks', 'two', 'day', 'days', 'weekday', 'weekend', 'mon', 'Tuesday', 'and', ',', 'at', 'on', 'the', '1st', '31st', '9', '09:30', '9am', '12pm', '24:00', 'noon', 'midnight', 'morning', 'evening', 'in', '20', 'minutes', '2h', '30m', '1d',
  'once', 'tomorrow', 'today', 'next', 'month', '2031-02-28', '2031-03-30T02:30', '+02:00', 'Z', '0', '*', '*/5', '1-5', 'jeden Tag', 'um'
), { minLength: 1, maxLength: 7 }).map((words) => words.join(' '))
const moment = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => seconds * 1_000)

/** Returns what a text is parsed to; null if it is refused with a reason. */
function read (text: string, nowMs: number, zone: string): { schedule: Schedule, display: string } | null {
  try {
    return parseSchedule(text, { nowMs, zone })
  } catch (error) {
    if (error instanceof Invalid) return null
    throw error
  }
}

/** Returns the next three times after a moment. */
function times (schedule: Schedule, nowMs: number, zone: string): number[] {
  const found: number[] = []
  for (let at = nowMs; found.length < 3;) {
    const next = nextSlot(schedule, at, { zone, anchorMs: nowMs })
    if (next === null) break
    found.push(at = next)
  }
  return found
}

export const schedules: Part = {
  name: 'schedules',
  says: 'the next time is always later, and the displayed schedule means the same',
  properties: () => [
    ['each next time is later than the one before', fc.property(fc.oneof(expression, spoken), moment, fc.constantFrom(...zones), (text, nowMs, zone) => {
      const found = read(text, nowMs, zone)
      if (found === null) return true
      const all = found.schedule.kind === 'once' ? [] : times(found.schedule, nowMs, zone)
      return all.every((at, index) => at > (all[index - 1] ?? nowMs) && Number.isSafeInteger(at))
    })],
    ['what it is shown as is read as the same, where it is read at all', fc.property(fc.oneof(expression, spoken), moment, fc.constantFrom(...zones), (text, nowMs, zone) => {
      const found = read(text, nowMs, zone)
      if (found === null || found.schedule.kind === 'once') return true
      const { schedule } = found
      const shown = scheduleWords({ ...columnsOf(found, zone), words: null })
      const again = read(shown, nowMs, zone)
      return again === null ? schedule.kind === 'cron' && shown === schedule.expr : JSON.stringify(times(again.schedule, nowMs, zone)) === JSON.stringify(times(schedule, nowMs, zone))
    })]
  ]
}
