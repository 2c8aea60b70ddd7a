import fc from 'fast-check'
import t from '#test'
import { parseSchedule } from '../../services/areas/crons/grammar.js'
import { graceMs, nextSlot, type Schedule } from '../../services/areas/crons/slots.js'
import { isoIn, localTime, offsetMs, zonedMs, zoneOf } from '../../services/ground/time/zones.js'
import { tries } from '../support/tries.js'

const berlin = 'Europe/Berlin'
const nowMs = Date.parse('2026-06-01T10:00:00Z')
const parse = (text: string, zone = berlin) => parseSchedule(text, { nowMs, zone })
const minuteMs = 60_000
const slotsAfter = (schedule: Schedule, from: string, count: number, zone = berlin): string[] => {
  const found: string[] = []
  for (let at: number | null = Date.parse(from); found.length < count;) {
    at = nextSlot(schedule, at, { zone, anchorMs: Date.parse(from) })
    if (at === null) break
    found.push(new Date(at).toISOString().slice(0, 16))
  }
  return found
}

t.test('days and a time of the day', async (t) => {
  const table: Array<[text: string, expr: string]> = [
    ['every day at 9am', '0 9 * * *'],
    ['Daily 9:30PM', '30 21 * * *'],
    ['everyday at 14:00', '0 14 * * *'],
    ['every weekday at 7', '0 7 * * 1-5'],
    ['weekends noon', '0 12 * * 0,6'],
    ['every mon, wed and fri at 12am', '0 0 * * 1,3,5'],
    ['monday,tuesday midnight', '0 0 * * 1,2'],
    ['Thurs and sunday 12 pm', '0 12 * * 0,4'],
    ['weekdays and weekends 6:05', '5 6 * * *'],
    ['tues 23:59', '59 23 * * 2'],
    ['every weekday morning', '0 9 * * 1-5'],
    ['every morning', '0 9 * * *'],
    ['weekday mornings at 7:30', '30 7 * * 1-5'],
    ['On Mondays in the afternoon', '0 15 * * 1'],
    ['every evening at 8', '0 20 * * *'],
    ['saturday night', '0 22 * * 6'],
    ['noon on weekdays', '0 12 * * 1-5'],
    ['at 9 every day', '0 9 * * *'],
    ['at 6 pm on fridays', '0 18 * * 5'],
    ['every weekday', '0 9 * * 1-5'],
    ['daily', '0 9 * * *'],
    ['mondays', '0 9 * * 1'],
    ['weekly', '0 9 * * 1'],
    ['every month', '0 9 1 * *'],
    ['on the 15th of each month at 10', '0 10 15 * *'],
    ['每个工作日早上', '0 9 * * 1-5'],
    ['每天下午3点半', '30 15 * * *'],
    ['每周一、周五中午', '0 12 * * 1,5'],
    ['周末晚上8点', '0 20 * * 0,6'],
    ['每月', '0 9 1 * *']
  ]
  for (const [text, expr] of table) t.same(parse(text), { schedule: { kind: 'cron', expr }, display: text }, text)
})

t.test('intervals', async (t) => {
  const table: Array<[text: string, minutes: number]> = [
    ['every 30m', 30], ['every 2 hours', 120], ['every day', 1_440], ['EVERY HOUR', 60], ['30m', 30], ['2h', 120], ['1d', 1_440],
    ['每2小时', 120], ['每小时', 60], ['每30分钟', 30], ['hour', 60], ['90 mins', 90], ['every 5 minutes', 5], ['3 hrs', 180], ['day', 1_440], ['every 2 days', 2_880]
  ]
  for (const [text, minutes] of table) t.same(parse(text), { schedule: { kind: 'interval', minutes }, display: `every ${minutes}m` }, text)
})

t.test('cron expressions of five and six fields', async (t) => {
  for (const expr of ['0 9 * * *', '*/5 * * * *', '0 9 * * MON-FRI', '0 0 1 jan *', '15 0 9 * * *', '0 9 L * *']) {
    t.same(parse(expr), { schedule: { kind: 'cron', expr }, display: expr }, expr)
  }
  t.same(parse(' 0  9 * *   * ').schedule, { kind: 'cron', expr: '0 9 * * *' })
})

t.test('what happens once', async (t) => {
  const at = (iso: string) => ({ kind: 'once', runAtMs: Date.parse(iso) })
  t.same(parse('2026-07-01T09:00'), { schedule: at('2026-07-01T07:00:00Z'), display: 'once at 2026-07-01 09:00' })
  t.same(parse('2026-07-01 09:00:30'), { schedule: at('2026-07-01T07:00:30Z'), display: 'once at 2026-07-01 09:00' })
  t.same(parse('2026-12-01'), { schedule: at('2026-11-30T23:00:00Z'), display: 'once at 2026-12-01 00:00' })
  t.same(parse('2026-07-01T09:00:00.250Z'), { schedule: at('2026-07-01T09:00:00.250Z'), display: 'once at 2026-07-01 11:00' })
  t.same(parse('2026-07-01T09:00-0530').schedule, at('2026-07-01T14:30:00Z'))
  t.same(parse('2026-07-01T09:00+02').schedule, at('2026-07-01T07:00:00Z'))
  t.same(parse('in 20 minutes'), { schedule: { kind: 'once', runAtMs: nowMs + 20 * minuteMs }, display: 'once in 20 minutes' })
  t.same(parse('in 2 days').schedule, { kind: 'once', runAtMs: nowMs + 2 * 1_440 * minuteMs })
  t.same(parse('2026-06-01T09:58:00Z').schedule, at('2026-06-01T09:58:00Z'), 'two minutes ago is still in time')
  t.throws(() => parse('2026-06-01T09:57:59Z'), { message: /has passed/, code: 'schedule_past' })
  t.same(parse('tomorrow morning'), { schedule: at('2026-06-02T07:00:00Z'), display: 'once at 2026-06-02 09:00' })
  t.same(parse('tonight').schedule, at('2026-06-01T20:00:00Z'))
  t.same(parse('today at 14:30').schedule, at('2026-06-01T12:30:00Z'))
  t.same(parse('明天早上8点').schedule, at('2026-06-02T06:00:00Z'))
  t.throws(() => parse('today at 3am'), { code: 'schedule_past' })
})

t.test('what is refused says what is accepted, or what is wrong', async (t) => {
  for (const name of [...Object.getOwnPropertyNames(Object.prototype), 'every constructor', '__proto__ at 8']) t.throws(() => parse(name), { message: /is not a schedule/, code: 'schedule_unclear' }, name)
  for (const text of ['', 'soon', 'every blue moon', 'tomorrow', 'every', 'at 9', 'in', '9am', '@daily', '2026-07-01T09', 'every 1.5h', '-5m', 'in 3 weeks', '1 2 3 4', '* * * * * * *', 'tomorrow and monday at 9', 'morning evening', 'mon at 9 at 10', 'every weekday morning except holidays', 'each and every day please', '9 in the morning always']) {
    t.throws(() => parse(text), { name: 'Invalid', message: /Accepted are: "every 30m"/ }, text)
  }
  for (const text of ['0m', 'every 99999999d']) t.throws(() => parse(text), { message: /between a minute and ten years/ }, text)
  for (const text of ['61 * * * *', '0 9 * * XYZ', '5/15 * * * *']) t.throws(() => parse(text), { message: /not a cron expression/ }, text)
  for (const text of ['2026-02-30T10:00', '2026-13-01', '2026-06-02T24:00', '2027-02-29']) t.throws(() => parse(text), { message: /not a valid date and time/ }, text)
  t.throws(() => parse('every day at 25:00'), { message: /not a time of day/ })
  t.throws(() => parse('every monday 13pm'), { message: /not a time of day/ })
  for (const text of ['saturday night at 1', 'tonight at 12', '周六晚上12点']) t.throws(() => parse(text), { message: /not a time of day/ }, text)
  for (const text of ['in a week', 'in 1 month', '1 month', 'in a month at 9', 'once 2 weeks']) t.throws(() => parse(text), { message: /is not a schedule/ }, text)
  t.throws(() => parse('0 0 31 2 *'), { message: /matches no date/ })
  t.throws(() => parse('x'.repeat(10_000)), { name: 'Invalid' })
})

t.test('both changes of the clocks', async (t) => {
  const daily: Schedule = { kind: 'cron', expr: '30 2 * * *' }
  t.same(slotsAfter(daily, '2026-03-28T12:00Z', 2), ['2026-03-29T01:00', '2026-03-30T00:30'], 'what falls into the gap runs right after it')
  t.same(slotsAfter(daily, '2026-10-24T12:00Z', 2), ['2026-10-25T00:30', '2026-10-26T01:30'], 'what comes twice runs once')
  t.same(slotsAfter({ kind: 'cron', expr: '0 2,3 * * *' }, '2026-10-24T12:00Z', 3), ['2026-10-25T00:00', '2026-10-25T02:00', '2026-10-26T01:00'])
  t.same(slotsAfter({ kind: 'cron', expr: '*/30 * * * *' }, '2026-10-24T23:40Z', 4), ['2026-10-25T00:00', '2026-10-25T00:30', '2026-10-25T01:00', '2026-10-25T01:30'])
  t.same(slotsAfter({ kind: 'interval', minutes: 60 }, '2026-03-29T00:10Z', 2), ['2026-03-29T01:10', '2026-03-29T02:10'], 'intervals know no clocks')
  t.equal(parse('2027-03-28T02:30').schedule.kind === 'once' && isoIn((parse('2027-03-28T02:30').schedule as { runAtMs: number }).runAtMs, berlin), '2027-03-28T03:30:00+02:00')
  t.equal(isoIn((parse('2026-10-25T02:30').schedule as { runAtMs: number }).runAtMs, berlin), '2026-10-25T02:30:00+02:00', 'the first of the two')
})

t.test('a period of days ends with the year 9999', async (t) => {
  const schedule = parse('every 2d from 9999-12-31T07:00').schedule
  const last = nextSlot(schedule, nowMs, { zone: berlin, anchorMs: nowMs }) ?? NaN
  t.equal(isoIn(last, berlin), '9999-12-31T07:00:00+01:00')
  t.equal(nextSlot(schedule, last, { zone: berlin, anchorMs: nowMs }), null)
})

t.test('schedules around clocks that are put forward are those of a clock that is looked at every minute', { long: true }, async (t) => {
  const changes = [['Europe/Berlin', '2027-03-28T01:00Z'], ['America/New_York', '2027-03-14T07:00Z'], ['Australia/Lord_Howe', '2027-10-02T15:30Z'], ['Africa/Cairo', '2027-04-29T22:00Z']] as const
  const minutes = ['0', '30', '5,50', '*/15', '10-20', '*'].map((text) => [text, matcher(text, 59)] as const)
  const hours = ['0', '1', '2', '3', '1-3', '0,2'].map((text) => [text, matcher(text, 23)] as const)
  for (const [zone, change] of changes) {
    const changeMs = Date.parse(change)
    const [fromMs, toMs] = [changeMs - 30 * 60 * minuteMs, changeMs + 30 * 60 * minuteMs]
    const gap = Array.from({ length: (offsetMs(changeMs, zone) - offsetMs(changeMs - 1, zone)) / minuteMs }, (_, index) => new Date(changeMs + offsetMs(changeMs - 1, zone) + index * minuteMs))
    t.ok(gap.length > 0, `${zone} has a gap`)
    for (const [minute, isMinute] of minutes) {
      for (const [hour, isHour] of hours) {
        const expected: number[] = []
        for (let atMs = fromMs + minuteMs; atMs <= toMs; atMs += minuteMs) {
          const local = localTime(atMs, zone)
          const isLate = atMs === changeMs && gap.some((at) => isHour(at.getUTCHours()) && isMinute(at.getUTCMinutes()))
          if (isLate || (isHour(local.hour) && isMinute(local.minute))) expected.push(atMs)
        }
        const schedule: Schedule = { kind: 'cron', expr: `${minute} ${hour} * * *` }
        const found: number[] = []
        for (let atMs = nextSlot(schedule, fromMs, { zone, anchorMs: 0 }); atMs !== null && atMs <= toMs; atMs = nextSlot(schedule, atMs, { zone, anchorMs: 0 })) found.push(atMs)
        t.same(found.map((ms) => new Date(ms).toISOString()), expected.map((ms) => new Date(ms).toISOString()), `${minute} ${hour} in ${zone}`)
      }
    }
  }
  t.equal(new Date(nextSlot({ kind: 'cron', expr: '*/15 2 28 3 *' }, Date.parse('2027-01-01T00:00Z'), { zone: berlin, anchorMs: 0 }) ?? 0).toISOString(), '2027-03-28T01:00:00.000Z', 'no year is left out')
})

/** Returns whether a number matches a plain field of an expression. */
function matcher (text: string, most: number): (value: number) => boolean {
  return (value) => text.split(',').some((part) => {
    const [range = '', step = '1'] = part.split('/')
    const [from = 0, to = from] = range === '*' ? [0, most] : range.split('-').map(Number)
    return value >= from && value <= to && (value - from) % Number(step) === 0
  })
}

t.test('intervals are counted from their beginning, without drift', async () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 10 ** 12 }), fc.integer({ min: -(10 ** 11), max: 10 ** 11 }), (minutes, anchorMs, past) => {
    const schedule: Schedule = { kind: 'interval', minutes }
    const after = anchorMs + past
    const next = nextSlot(schedule, after, { zone: 'UTC', anchorMs })!
    const isFirst = next - minutes * minuteMs <= after || next - minutes * minuteMs <= anchorMs
    return next > after && next > anchorMs && (next - anchorMs) % (minutes * minuteMs) === 0 && isFirst
  }))
})

t.test('slots of every schedule lie ahead, and one follows the other', async () => {
  const expr = fc.tuple(fc.integer({ min: 0, max: 59 }), fc.integer({ min: 0, max: 23 }), fc.constantFrom('*', '1', '15', '1-5', '*/2'), fc.constantFrom('*', '1,7', 'mar-oct'), fc.constantFrom('*', '1-5', 'sun')).map((fields) => fields.join(' '))
  fc.assert(fc.property(expr, fc.constantFrom('UTC', berlin, 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'), fc.integer({ min: 0, max: 366 * 24 * 60 }), (expr, zone, minutes) => {
    const from = Date.parse('2026-01-01T00:00Z') + minutes * minuteMs
    const schedule = parseSchedule(expr, { nowMs: from, zone }).schedule
    const first = nextSlot(schedule, from, { zone, anchorMs: 0 })!
    const second = nextSlot(schedule, first, { zone, anchorMs: 0 })!
    return first > from && second > first && nextSlot(schedule, first - 1000, { zone, anchorMs: 0 }) === first
  }), { numRuns: tries(60) })
})

t.test('whatever is typed, it is a schedule or refused in words', async () => {
  const piece = fc.constantFrom('every', 'day', 'mon', 'and', ',', 'at', '9', '9am', '30m', 'in', '*', '*/5', '0', '2026-07-01', 'T', '10:00', 'Z', ' ', '  ', 'noon', 'weekdays')
  fc.assert(fc.property(fc.oneof(fc.string(), fc.array(piece, { maxLength: 7 }).map((parts) => parts.join(' '))), (text) => {
    try {
      const { schedule, display } = parse(text)
      return display !== '' && (schedule.kind === 'once' || nextSlot(schedule, nowMs, { zone: berlin, anchorMs: nowMs })! > nowMs)
    } catch (error) {
      return error instanceof Error && error.name === 'Invalid'
    }
  }))
})

t.test('times of a zone, there and back', async (t) => {
  fc.assert(fc.property(fc.constantFrom('UTC', berlin, 'America/St_Johns', 'Pacific/Apia', 'Asia/Kathmandu'), fc.integer({ min: 0, max: 4_000_000_000 }), (zone, seconds) => {
    const again = zonedMs(localTime(seconds * 1000, zone), zone)
    // For a time that occurs twice, the first one.
    return Date.parse(isoIn(seconds * 1000, zone)) === seconds * 1000 && (again === seconds * 1000 || offsetMs(again, zone) !== offsetMs(seconds * 1000, zone))
  }))
  t.equal(isoIn(Date.parse('2026-01-01T00:00:00.120Z'), 'Asia/Kathmandu'), '2026-01-01T05:45:00.120+05:45')
  t.equal(isoIn(Date.parse('2026-01-01T00:00:00Z'), 'America/New_York'), '2025-12-31T19:00:00-05:00')
})

t.test('late by half the period is in time, within bounds', async (t) => {
  const grace = (text: string) => graceMs(parse(text).schedule, nowMs, { zone: berlin, anchorMs: nowMs }) / minuteMs
  t.same(['every 1m', 'every 10m', 'every 1h', 'every 1d', '*/30 * * * *', 'in 5m'].map(grace), [2, 5, 30, 120, 15, 120])
})

t.test('the zone of a profile', async (t) => {
  t.equal(zoneOf(berlin), berlin)
  t.type(zoneOf(undefined), 'string')
  t.throws(() => zoneOf('Mars/Base'), { message: /timezone of config.yaml/ })
  t.throws(() => zoneOf(7), { message: /timezone of config.yaml/ })
})
