import { Cron } from 'croner'
import { type Period } from '../../../schedules/expression.js'
import { localDate, offsetMs, zonedMs } from '../../ground/time/zones.js'

/** When a job runs. Times in milliseconds since the epoch. */
export type Schedule =
  | { kind: 'cron', expr: string }
  /** `from`: follows local time across changes of the clock. */
  | { kind: 'interval', minutes: number, from?: Period }
  | { kind: 'once', runAtMs: number }
  /** Runs only when it is called. */
  | { kind: 'hook' }

export interface SlotOptions {
  zone: string
  /** Intervals are counted from this moment, whatever happened in between. */
  anchorMs: number
}

/** Bounds of the delay that still counts as on time, which is half a period. */
const leastGraceMs = 120_000
const mostGraceMs = 2 * 3_600_000
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs
/** How far ahead to search for clock changes. */
const mostDays = 5 * 366
const lastYear = 9_999

/**
 * Parses a cron expression of five or six fields. Where clocks are put forward, times in the gap run once, right after it (see {@link
 * endOfGap}); where they are put back, a fixed time runs once, and recurring ones continue. Throws for an invalid one. Without a name and a
 * function, croner neither registers it nor starts a timer.
 */
function cronOf (expr: string, zone: string): Cron {
  return new Cron(expr, { timezone: zone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true })
}

/**
 * Returns the first moment in a range at which clocks were put forward over a time of the expression; null if there is none. croner itself
 * moves only expressions with a single time. An expression for every hour misses nothing, because its next time comes soon.
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

/** Returns the second at which the clock of a zone is put forward. */
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

/** Returns the first time of a period after a moment; null if it is not before the year 10000, which dates cannot express. */
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

/** Returns the first slot after a moment; null if there is none. Throws for an invalid expression or zone. */
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
 * Returns how late a slot may still run: half the time to the next one, within bounds. A job that runs once has no next slot and gets the
 * maximum.
 */
export function graceMs (schedule: Schedule, slotMs: number, options: SlotOptions): number {
  const next = schedule.kind === 'once' ? null : nextSlot(schedule, slotMs, options)
  return next === null ? mostGraceMs : Math.min(mostGraceMs, Math.max(leastGraceMs, (next - slotMs) / 2))
}
