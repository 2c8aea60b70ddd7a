import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from '#test'
import { sayInChinese } from '../../schedules/chinese.js'
import { sayInEnglish } from '../../schedules/english.js'
import { sayInFrench } from '../../schedules/french.js'
import { sayInGerman } from '../../schedules/german.js'
import { sayInJapanese } from '../../schedules/japanese.js'
import { saidOfExpression } from '../../schedules/expression.js'
import { nearestSchedule } from '../../schedules/nearest.js'
import { readSchedule } from '../../schedules/reading.js'
import { lastOfMonth, type Said } from '../../schedules/said.js'
import { sayInSpanish } from '../../schedules/spanish.js'
import { parseSchedule } from '../../services/areas/crons/grammar.js'
import { columnsOf } from '../../services/areas/crons/jobs.js'
import { nextSlot, type Schedule } from '../../services/areas/crons/slots.js'
import { localTime } from '../../services/ground/time/zones.js'
import { tries } from '../support/tries.js'

const zone = 'Europe/Berlin'
const nowMs = Date.parse('2026-06-01T10:00:00Z')
const said = (text: string): Said | null => {
  const read = readSchedule(text)
  return read !== null && 'said' in read ? read.said : null
}

/** Generates plain objects, as the grammar makes them. */
const record = <Shape>(shape: { [Key in keyof Shape]: fc.Arbitrary<Shape[Key]> }) => fc.record(shape, { noNullPrototype: true })
const time = record({ hour: fc.integer({ min: 0, max: 23 }), minute: fc.integer({ min: 0, max: 59 }) })
const weekday = fc.integer({ min: 0, max: 6 })
const some = (from: number, to: number) => fc.uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: 7 }).map((days) => days.sort((a, b) => a - b))
const recurring: fc.Arbitrary<Said> = fc.oneof(
  record({ kind: fc.constant('weekdays' as const), days: some(0, 6), time }),
  record({ kind: fc.constant('monthDays' as const), days: fc.oneof(some(1, 28), some(25, 31).map((days) => [...days, lastOfMonth])), time }),
  record({ kind: fc.constant('nthWeekday' as const), nth: fc.integer({ min: 1, max: 5 }), day: weekday, time }),
  record({ kind: fc.constant('everyDays' as const), count: fc.integer({ min: 2, max: 100 }).map((weeks) => weeks * 7), weekday, time }),
  record({ kind: fc.constant('everyDays' as const), count: fc.integer({ min: 2, max: 300 }).filter((days) => days % 7 !== 0), weekday: fc.constant(null), time }),
  record({ kind: fc.constant('interval' as const), minutes: fc.integer({ min: 1, max: 100_000 }) })
)
const once: fc.Arbitrary<Said> = fc.oneof(
  record({ kind: fc.constant('later' as const), minutes: fc.integer({ min: 1, max: 100_000 }) }),
  record({
    kind: fc.constant('once' as const), time, on: fc.oneof(
      record({ inDays: fc.integer({ min: 0, max: 2 }) }), record({ nextWeekday: weekday }),
      record({ day: fc.integer({ min: 1, max: 28 }), month: fc.integer({ min: 1, max: 12 }), year: fc.option(fc.integer({ min: 2027, max: 2090 })) })
    )
  })
)

t.test('what is said of a schedule is read as the same, in every language', async () => {
  fc.assert(fc.property(fc.oneof(recurring, once), fc.boolean(), (schedule, isExact) => {
    for (const say of [sayInEnglish, sayInChinese, sayInGerman, sayInFrench, sayInSpanish, sayInJapanese]) {
      const text = say(schedule, { isExact })
      assert.deepStrictEqual(said(text), schedule, text)
    }
  }), { numRuns: tries(2_000) })
})

t.test('what is stored says what was said', async () => {
  fc.assert(fc.property(recurring, (schedule) => {
    const { expression } = columnsOf(parseSchedule(sayInEnglish(schedule), { nowMs, zone }), zone)
    assert.deepStrictEqual(saidOfExpression(expression), schedule, expression)
  }), { numRuns: tries(1_000) })
})

/** Whether a schedule says that it runs at that time. */
function runsAt (schedule: Said, atMs: number): boolean {
  const { year, month, day, hour, minute } = localTime(atMs, zone)
  const date = new Date(Date.UTC(year, month - 1, day))
  const isLast = (days: number): boolean => new Date(date.getTime() + days * 86_400_000).getUTCMonth() !== date.getUTCMonth()
  if ('time' in schedule && (schedule.time.hour !== hour || schedule.time.minute !== minute)) return false
  switch (schedule.kind) {
    case 'weekdays': return schedule.days.includes(date.getUTCDay())
    case 'monthDays': return schedule.days.includes(day) || (schedule.days.includes(lastOfMonth) && isLast(1))
    case 'nthWeekday': return date.getUTCDay() === schedule.day && (schedule.nth === 5 ? isLast(7) : Math.ceil(day / 7) === schedule.nth)
    case 'everyDays': return schedule.weekday === null || date.getUTCDay() === schedule.weekday
    default: return true
  }
}

t.test('what is said is what runs', async () => {
  // Clocks are set forward and back between two and three o'clock.
  const timed = recurring.filter((schedule) => !('time' in schedule) || schedule.time.hour > 3)
  fc.assert(fc.property(timed, fc.integer({ min: 0, max: 366 * 24 * 60 }), (schedule, minutes) => {
    const fromMs = nowMs + minutes * 60_000
    const parsed: Schedule = parseSchedule(sayInChinese(schedule), { nowMs: fromMs, zone }).schedule
    let before = fromMs
    for (let count = 0; count < 4; count++) {
      const next = nextSlot(parsed, before, { zone, anchorMs: fromMs })
      if (next === null || !runsAt(schedule, next)) return false
      const days = Math.round((next - before) / 86_400_000)
      if (schedule.kind === 'everyDays' && count > 0 && days !== schedule.count) return false
      before = next
    }
    return true
  }), { numRuns: tries(400) })
})

t.test('words of people', async (t) => {
  const at = (hour: number, minute = 0) => ({ hour, minute })
  const everyDay = [0, 1, 2, 3, 4, 5, 6]
  const table: Array<[text: string, schedule: Said]> = [
    ['every other Tuesday at 7', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['Every second day at noon', { kind: 'everyDays', count: 2, weekday: null, time: at(12) }],
    ['fortnightly on fri', { kind: 'everyDays', count: 14, weekday: 5, time: at(9) }],
    ['on the 1st of each month', { kind: 'monthDays', days: [1], time: at(9) }],
    ['on the 1st and 15th at 8:30', { kind: 'monthDays', days: [1, 15], time: at(8, 30) }],
    ['last day of the month in the evening', { kind: 'monthDays', days: [lastOfMonth], time: at(18) }],
    ['first monday of every month at 10am', { kind: 'nthWeekday', nth: 1, day: 1, time: at(10) }],
    ['in two hours', { kind: 'later', minutes: 120 }],
    ['in half an hour', { kind: 'later', minutes: 30 }],
    ['in an hour', { kind: 'later', minutes: 60 }],
    ['every quarter of an hour', { kind: 'interval', minutes: 15 }],
    ['hourly', { kind: 'interval', minutes: 60 }],
    ['tomorrow at 9', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['the day after tomorrow in the afternoon', { kind: 'once', on: { inDays: 2 }, time: at(15) }],
    ['next friday at 5 pm', { kind: 'once', on: { nextWeekday: 5 }, time: at(17) }],
    ['on 3 December at 9', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }],
    ['Dec 24th, 2027 at 18:00', { kind: 'once', on: { day: 24, month: 12, year: 2027 }, time: at(18) }],
    ['mon-fri 9 o’clock', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['Friday to Monday at 20:00', { kind: 'weekdays', days: [0, 1, 5, 6], time: at(20) }],
    ['隔周周二早上七点', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['每隔一天早上8点', { kind: 'everyDays', count: 2, weekday: null, time: at(8) }],
    ['每两周的周五', { kind: 'everyDays', count: 14, weekday: 5, time: at(9) }],
    ['every night at 1', { kind: 'weekdays', days: everyDay, time: at(1) }],
    ['0:30 at night', { kind: 'weekdays', days: everyDay, time: at(0, 30) }],
    ['every night at 11', { kind: 'weekdays', days: everyDay, time: at(23) }],
    ['每天晚上12点', { kind: 'weekdays', days: everyDay, time: at(0) }],
    ['每天中午1点', { kind: 'weekdays', days: everyDay, time: at(13) }],
    ['每月1号', { kind: 'monthDays', days: [1], time: at(9) }],
    ['每月最后一天晚上八点半', { kind: 'monthDays', days: [lastOfMonth], time: at(20, 30) }],
    ['每周一三五上午10点', { kind: 'weekdays', days: [1, 3, 5], time: at(10) }],
    ['两小时后', { kind: 'later', minutes: 120 }],
    ['半小时后', { kind: 'later', minutes: 30 }],
    ['后天下午三点', { kind: 'once', on: { inDays: 2 }, time: at(15) }],
    ['jeden Montag um 9 Uhr', { kind: 'weekdays', days: [1], time: at(9) }],
    ['montags bis freitags um halb acht', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(7, 30) }],
    ['jeden Werktag morgens', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['mo-fr 18 Uhr 15', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(18, 15) }],
    ['täglich um 18.30 Uhr', { kind: 'weekdays', days: everyDay, time: at(18, 30) }],
    ['jeden zweiten Dienstag um 7', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['jeden zweiten Dienstag im Monat um 7', { kind: 'nthWeekday', nth: 2, day: 2, time: at(7) }],
    ['am 1. und 15. jedes Monats', { kind: 'monthDays', days: [1, 15], time: at(9) }],
    ['am Monatsende um 20:00', { kind: 'monthDays', days: [lastOfMonth], time: at(20) }],
    ['alle zwei Wochen am Freitag', { kind: 'everyDays', count: 14, weekday: 5, time: at(9) }],
    ['stündlich', { kind: 'interval', minutes: 60 }],
    ['alle 30 Minuten', { kind: 'interval', minutes: 30 }],
    ['in einer halben Stunde', { kind: 'later', minutes: 30 }],
    ['in zwei Stunden', { kind: 'later', minutes: 120 }],
    ['morgen früh', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['morgen um 9', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['heute Abend', { kind: 'once', on: { inDays: 0 }, time: at(18) }],
    ['übermorgen nachmittags', { kind: 'once', on: { inDays: 2 }, time: at(15) }],
    ['nächsten Freitag um 17 Uhr', { kind: 'once', on: { nextWeekday: 5 }, time: at(17) }],
    ['am 3. Dezember um 9 Uhr', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }],
    ['jeden Abend um 8', { kind: 'weekdays', days: everyDay, time: at(20) }],
    ['tous les lundis à 9 h', { kind: 'weekdays', days: [1], time: at(9) }],
    ['en semaine le matin', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['du lundi au vendredi à sept heures et demie', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(7, 30) }],
    ['lun-ven 18h15', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(18, 15) }],
    ['chaque soir à 8 heures', { kind: 'weekdays', days: everyDay, time: at(20) }],
    ['un mardi sur deux à 7 h', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['tous les quinze jours le vendredi', { kind: 'everyDays', count: 14, weekday: 5, time: at(9) }],
    ['le deuxième mardi du mois à 7 h', { kind: 'nthWeekday', nth: 2, day: 2, time: at(7) }],
    ['le 1er et le 15 de chaque mois', { kind: 'monthDays', days: [1, 15], time: at(9) }],
    ['le dernier jour du mois à 20:00', { kind: 'monthDays', days: [lastOfMonth], time: at(20) }],
    ['toutes les demi-heures', { kind: 'interval', minutes: 30 }],
    ['toutes les 2 heures', { kind: 'interval', minutes: 120 }],
    ['dans une demi-heure', { kind: 'later', minutes: 30 }],
    ['dans deux heures', { kind: 'later', minutes: 120 }],
    ['demain matin', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['ce soir', { kind: 'once', on: { inDays: 0 }, time: at(18) }],
    ['après-demain dans l’après-midi', { kind: 'once', on: { inDays: 2 }, time: at(15) }],
    ['vendredi prochain à 17 h', { kind: 'once', on: { nextWeekday: 5 }, time: at(17) }],
    ['le 3 décembre à 9 h', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }],
    ['todos los lunes a las 9', { kind: 'weekdays', days: [1], time: at(9) }],
    ['de lunes a viernes a las siete y media', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(7, 30) }],
    ['cada día laborable por la mañana', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['lun-vie 18.15 h', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(18, 15) }],
    ['todos los días a las 8 de la tarde', { kind: 'weekdays', days: everyDay, time: at(20) }],
    ['cada mañana a las 8', { kind: 'weekdays', days: everyDay, time: at(8) }],
    ['sabados y domingos al mediodia', { kind: 'weekdays', days: [0, 6], time: at(12) }],
    ['cada dos martes a las 7', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['el segundo martes de cada mes a las 7', { kind: 'nthWeekday', nth: 2, day: 2, time: at(7) }],
    ['el 1 y el 15 de cada mes', { kind: 'monthDays', days: [1, 15], time: at(9) }],
    ['el último día del mes a las 20:00', { kind: 'monthDays', days: [lastOfMonth], time: at(20) }],
    ['cada media hora', { kind: 'interval', minutes: 30 }],
    ['dentro de dos horas', { kind: 'later', minutes: 120 }],
    ['en una hora', { kind: 'later', minutes: 60 }],
    ['mañana por la mañana', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['pasado mañana a la una', { kind: 'once', on: { inDays: 2 }, time: at(1) }],
    ['el viernes que viene a las 17 h', { kind: 'once', on: { nextWeekday: 5 }, time: at(17) }],
    ['el 3 de diciembre a las 9', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }],
    ['平日の毎朝', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['平日9時', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(9) }],
    ['月曜から金曜まで午前7時半', { kind: 'weekdays', days: [1, 2, 3, 4, 5], time: at(7, 30) }],
    ['月・水・金の１８時１５分', { kind: 'weekdays', days: [1, 3, 5], time: at(18, 15) }],
    ['土日の朝', { kind: 'weekdays', days: [0, 6], time: at(9) }],
    ['毎晩8時', { kind: 'weekdays', days: everyDay, time: at(20) }],
    ['隔週火曜日の7時', { kind: 'everyDays', count: 14, weekday: 2, time: at(7) }],
    ['1日おきの8時', { kind: 'everyDays', count: 2, weekday: null, time: at(8) }],
    ['毎月1日と15日', { kind: 'monthDays', days: [1, 15], time: at(9) }],
    ['月末の20時', { kind: 'monthDays', days: [lastOfMonth], time: at(20) }],
    ['毎月第二月曜日の10時', { kind: 'nthWeekday', nth: 2, day: 1, time: at(10) }],
    ['毎月最終日曜日の正午', { kind: 'nthWeekday', nth: 5, day: 0, time: at(12) }],
    ['1時間に1回', { kind: 'interval', minutes: 60 }],
    ['30分おき', { kind: 'interval', minutes: 30 }],
    ['2時間後', { kind: 'later', minutes: 120 }],
    ['1時間半後に', { kind: 'later', minutes: 90 }],
    ['明日の朝', { kind: 'once', on: { inDays: 1 }, time: at(9) }],
    ['明後日の午後3時', { kind: 'once', on: { inDays: 2 }, time: at(15) }],
    ['次の金曜日の17時', { kind: 'once', on: { nextWeekday: 5 }, time: at(17) }],
    ['十二月三日の九時', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }],
    ['12月3日9点', { kind: 'once', on: { day: 3, month: 12, year: null }, time: at(9) }]
  ]
  for (const [text, schedule] of table) t.strictSame(said(text), schedule, text)
})

t.test('an hour that nobody named may be another one', async (t) => {
  const guessed = (text: string) => { const read = readSchedule(text); return read !== null && 'said' in read && read.isGuessed }
  for (const text of ['every weekday morning', 'mondays', 'tonight', '每天晚上', 'on the 1st of each month']) t.equal(guessed(text), true, text)
  for (const text of ['every day at 9', 'every day at noon', 'every 2 hours', '每天9点', 'in two hours']) t.equal(guessed(text), false, text)
})

t.test('what is no schedule comes near to one, or to none', async (t) => {
  const table: Array<[text: string, near: string | null]> = [
    ['evry wekday mornng', 'every weekday at 9:00'], ['every weekday morning except holidays', 'every weekday at 9:00'], ['tomorrow', 'tomorrow at 9:00'],
    ['evry other tuesday at 7', 'every other Tuesday at 7:00'],
    ['at 9', 'every day at 9:00'], ['in 3 weeks', 'in 21 days'], ['every other tue and thu at 7', 'every Tuesday and Thursday at 7:00'],
    ['every day at 25:00', 'every day at 9:00'], ['when the moon is full', null], ['', null], ['x'.repeat(300), null]
  ]
  for (const [text, near] of table) {
    const found = nearestSchedule(text)
    t.equal(found === null ? null : sayInEnglish(found), near, text)
  }
  fc.assert(fc.property(fc.oneof(fc.string(), fc.array(fc.constantFrom('every', 'other', 'mondy', 'at', '9', 'tomorow', '25:00', 'week', '每', '周一', '早上', '九点')).map((words) => words.join(' '))), (text) => {
    const near = nearestSchedule(text)
    return near === null || said(sayInEnglish(near)) !== null
  }), { numRuns: tries(1_000) })
})

t.test('every other week keeps its hour when clocks change, and its day in another zone', async (t) => {
  const { schedule } = parseSchedule('every other tuesday at 7', { nowMs: Date.parse('2026-10-12T10:00Z'), zone })
  t.match(schedule, { kind: 'interval', minutes: 20_160, from: { date: '2026-10-13' } })
  const slots: string[] = []
  for (let at: number | null = Date.parse('2026-10-12T10:00Z'); slots.length < 3 && at !== null;) {
    at = nextSlot(schedule, at, { zone, anchorMs: 0 })
    if (at !== null) slots.push(new Date(at).toISOString().slice(0, 16))
  }
  t.same(slots, ['2026-10-13T05:00', '2026-10-27T06:00', '2026-11-10T06:00'])
  t.same(parseSchedule('every 14d from 2026-10-13T07:00', { nowMs, zone }).schedule, schedule, 'its expression is read as the same')
  for (const wrong of ['every 0d from 2026-10-13T07:00', 'every 14d from 2026-02-30T07:00', 'every 14d from 2026-10-13T24:00']) t.throws(() => parseSchedule(wrong, { nowMs, zone }), wrong)
})
