import { Cron } from 'croner'
import { type Period } from '../../../schedules/expression.js'
import { localDate, offsetMs, zonedMs } from '../../ground/zones.js'

/** When a job is to run. Times in milliseconds since the epoch. */
export type Schedule =
  | { kind: 'cron', expr: string }
  /** `from`: by the clock on the wall, whatever is put forward or back. */
  | { kind: 'interval', minutes: number, from?: Period }
  | { kind: 'once', runAtMs: number }
  /** Only when it is called. */
  | { kind: 'hook' }

export interface SlotOptions {
  zone: string
  /** Intervals are counted from here, whatever happened in between. */
  anchorMs: number
}

/** Late by half the period is still in time, but by no less and no more than this. */
const leastGraceMs = 120_000
const mostGraceMs = 2 * 3_600_000
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** How far ahead is looked for clocks that are put forward. */
const mostDays = 5 * 366
const lastYear = 9_999

/**
 * A cron expression of five or six fields. Where clocks are put forward, what falls into the gap runs once, right after it (see {@link
 * endOfGap}); where they are put back, a time that is named runs once, and what runs every so often goes on. Throws for one that is not
 * valid. Without a name and without a function: neither a register nor a timer.
 */
function cronOf (expr: string, zone: string): Cron {
  return new Cron(expr, { timezone: zone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true })
}

/**
 * The first moment between two at which clocks were put forward over a time of the expression; null: there is none. croner moves what
 * names one time alone. Where every hour counts, what is left out is not missed: another one comes soon.
 */
function endOfGap (expr: string, zone: string, afterMs: number, beforeMs: number): number | null {
  const fields = expr.trim().split(/\s+/)
  if (fields.at(-4)?.includes('*') !== false) return null
  const untilMs = Math.min(beforeMs, afterMs + mostDays * dayMs)
  for (let fromMs = afterMs; fromMs < untilMs; fromMs += dayMs) {
    const endMs = Math.min(fromMs + dayMs, untilMs)
    const gapMs = offsetMs(endMs, zone) - offsetMs(fromMs, zone)
    if (gapMs <= 0) continue
    const changeMs = changeBetween(zone, fromMs, endMs)
    const gapBeganMs = changeMs + offsetMs(fromMs, zone)
    const missed = cronOf(expr, 'UTC').nextRun(new Date(gapBeganMs - 1_000))?.getTime() ?? Infinity
    if (changeMs > afterMs && changeMs < beforeMs && missed < gapBeganMs + gapMs) return changeMs
  }
  return null
}

/** The second at which a clock of the zone is put forward. */
function changeBetween (zone: string, fromMs: number, toMs: number): number {
  let [low, high] = [Math.floor(fromMs / 1_000), Math.ceil(toMs / 1_000)]
  const before = offsetMs(fromMs, zone)
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (offsetMs(middle * 1_000, zone) > before) high = middle
    else low = middle
  }
  return high * 1_000
}

/** The first time after a moment at which a period comes round; null: not before the year 10000, which no date names. */
function nextOfPeriod ({ days, date, time: { hour, minute } }: Period, afterMs: number, zone: string): number | null {
  const first = Date.parse(`${date}T00:00Z`)
  const passedDays = (Date.parse(`${localDate(afterMs, zone)}T00:00Z`) - first) / dayMs
  for (let count = Math.max(0, Math.floor(passedDays / days)); ; count++) {
    const day = new Date(first + count * days * dayMs)
    if (day.getUTCFullYear() > lastYear) return null
    const local = { year: day.getUTCFullYear(), month: day.getUTCMonth() + 1, day: day.getUTCDate(), hour, minute, second: 0 }
    const atMs = zonedMs(local, zone)
    if (atMs > afterMs) return atMs
  }
}

/** The first slot after a moment; null when there is none. Throws for an expression or a zone that is not valid. */
export function nextSlot (schedule: Schedule, afterMs: number, { zone, anchorMs }: SlotOptions): number | null {
  switch (schedule.kind) {
    case 'hook': return null
    case 'once': return schedule.runAtMs > afterMs ? schedule.runAtMs : null
    case 'interval': {
      if (schedule.from !== undefined) return nextOfPeriod(schedule.from, afterMs, zone)
      const periodMs = schedule.minutes * minuteMs
      const passed = Math.max(0, Math.floor((afterMs - anchorMs) / periodMs))
      return anchorMs + (passed + 1) * periodMs
    }
    case 'cron': {
      const next = cronOf(schedule.expr, zone).nextRun(new Date(afterMs))?.getTime() ?? null
      return next === null ? null : endOfGap(schedule.expr, zone, afterMs, next) ?? next
    }
  }
}

/**
 * How late a slot may be and still be made up for: half the time to the next one, within bounds. What happens once has no
 * next one and gets the longest.
 */
export function graceMs (schedule: Schedule, slotMs: number, options: SlotOptions): number {
  const next = schedule.kind === 'once' ? null : nextSlot(schedule, slotMs, options)
  return next === null ? mostGraceMs : Math.min(mostGraceMs, Math.max(leastGraceMs, (next - slotMs) / 2))
}
