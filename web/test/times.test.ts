import t from '../../test/support/harness.js'
import { speak } from '../src/words/index.js'
import { spansIn } from '../src/words/spans.js'
import { times } from '../src/words/times.js'

const zone = 'Europe/Berlin'
const s = (at: string): number => Date.parse(at) / 1_000
/** A Saturday, in winter. */
const now = s('2026-11-28T09:50:00+01:00')

const moments = [
  ['2026-11-28T09:41:07+01:00', '9:41', '9:41', 'today at 9:41'],
  ['2026-11-28T00:00:00+01:00', '0:00', '0:00', 'today at 0:00'],
  ['2026-11-27T23:59:59+01:00', 'Fri 23:59', 'Fri', '27 Nov at 23:59'],
  ['2026-11-22T20:00:00+01:00', 'Sun 20:00', 'Sun', '22 Nov at 20:00'],
  ['2026-11-21T20:00:00+01:00', '21 Nov', '21 Nov', '21 Nov at 20:00'],
  ['2026-03-01T08:05:00+01:00', '1 Mar', '1 Mar', '1 Mar at 8:05'],
  ['2025-11-30T08:05:00+01:00', 'Nov 2025', 'Nov 2025', '30 Nov 2025 at 8:05'],
  ['2026-11-29T09:00:00+01:00', 'Sun 9:00', 'Sun', 'tomorrow at 9:00'],
  ['2026-12-02T07:00:00+01:00', 'Wed 7:00', 'Wed', 'Wed at 7:00'],
  ['2026-12-05T07:00:00+01:00', '5 Dec', '5 Dec', '5 Dec at 7:00'],
  ['2027-01-05T07:00:00+01:00', 'Jan 2027', 'Jan 2027', '5 Jan 2027 at 7:00']
] as const

t.test('times are said as shortly as their distance allows, by the calendar and not by hours', async (t) => {
  for (const [moment, at, short, next] of moments) {
    t.same([times.at(s(moment), { now, zone }), times.short(s(moment), { now, zone }), times.next(s(moment), { now, zone })], [at, short, next], moment)
  }
  t.match(times.full(s('2026-11-22T20:00:00+01:00'), { zone }), /^Sunday,? 22 November 2026, 20:00$/)
  t.equal(times.clock(s('2026-11-22T08:02:00+01:00'), { zone }), '8:02')
  t.equal(times.heading(s('2026-11-28T00:00:00+01:00'), { now, zone }), 'Today')
  t.equal(times.heading(s('2026-11-27T23:59:59+01:00'), { now, zone }), 'Yesterday')
  t.match(times.heading(s('2026-11-26T23:59:59+01:00'), { now, zone }), /^Thursday,? 26 November$/)
  t.match(times.heading(s('2025-11-30T08:05:00+01:00'), { now, zone }), /^Sunday,? 30 November 2025$/)
})

t.test('days are those of the time zone, over a change of clocks too; an unknown zone is this device’s', async (t) => {
  const evening = s('2026-11-28T23:30:00Z')
  t.equal(times.at(evening, { now: evening, zone: 'Asia/Tokyo' }), '8:30')
  t.equal(times.at(s('2026-11-28T14:00:00Z'), { now: evening, zone: 'Asia/Tokyo' }), 'Sat 23:00')
  t.equal(times.at(s('2026-10-24T12:00:00+02:00'), { now: s('2026-10-25T00:30:00+02:00'), zone }), 'Sat 12:00')
  t.equal(times.next(s('2026-10-26T00:30:00+01:00'), { now: s('2026-10-25T00:30:00+02:00'), zone }), 'tomorrow at 0:30')
  t.equal(times.at(now, { now, zone: 'Middle/Earth' }), times.at(now, { now }))
})

t.test('without a zone they are those of this device, in the same form', async (t) => {
  const { TZ = 'UTC' } = process.env
  process.env.TZ = zone
  t.teardown(() => { process.env.TZ = TZ })
  for (const [moment, at, short, next] of moments) {
    t.same([times.at(s(moment), { now }), times.short(s(moment), { now }), times.next(s(moment), { now })], [at, short, next], moment)
  }
  t.equal(times.clock(s('2026-11-22T08:02:00+01:00')), '8:02')
})

t.test('spans are rounded to one unit', async (t) => {
  const spans = { 0: '0 s', 41.9: '41 s', 89: '89 s', 90: '2 min', 3_600: '60 min', 5_400: '2 h', 86_400: '24 h', 172_800: '2 days', '-3': '0 s' }
  for (const [seconds, said] of Object.entries(spans)) t.equal(times.span(Number(seconds)), said)
})

t.test('they follow the language', async (t) => {
  const { document, localStorage } = globalThis
  Object.assign(globalThis, { document: { documentElement: {} }, localStorage: { getItem: () => null, setItem: () => {}, removeItem: () => {} } })
  t.teardown(() => Object.assign(globalThis, { document, localStorage }))
  await speak('zh')
  t.teardown(async () => await speak('en'))
  t.equal(times.at(s('2026-11-22T20:00:00+01:00'), { now, zone }), '周日 20:00')
  t.equal(times.at(s('2026-03-01T08:05:00+01:00'), { now, zone }), '3月1日')
  t.equal(times.at(s('2025-11-30T08:05:00+01:00'), { now, zone }), '2025年11月')
  t.equal(times.next(s('2026-11-29T09:00:00+01:00'), { now, zone }), '明天 9:00')
  t.equal(times.span(41), '41 秒')
})

t.test('a span keeps the seconds that a larger unit would hide', async (t) => {
  const long = spansIn('en')
  const spans = [
    [1.44, '1.4 seconds'], ['59.7', '59.7 seconds'], [60, '1 minute'], [75, '75 seconds'], [90, '90 seconds'], ['100', '100 seconds'], [120, '2 minutes'],
    [754, '12.6 minutes'], [3_600.4, '1 hour'], [4_500, '75 minutes'], [10_800, '3 hours'], [86_400, '1 day'], [90_123, '25 hours']
  ] as const
  for (const [seconds, text] of spans) t.equal(long(seconds), text)
})
