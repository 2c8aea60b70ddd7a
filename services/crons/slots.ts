import { Cron } from 'croner'

/** When a job is to run. Times in milliseconds since the epoch. */
export type Schedule =
  | { kind: 'cron', expr: string }
  | { kind: 'interval', minutes: number }
  | { kind: 'once', runAtMs: number }

export interface SlotOptions {
  zone: string
  /** Intervals are counted from here, whatever happened in between. */
  anchorMs: number
}

/** Late by half the period is still in time, but by no less and no more than this. */
const leastGraceMs = 120_000
const mostGraceMs = 2 * 3_600_000
const minuteMs = 60_000

/**
 * A cron expression of five or six fields. Where clocks are put forward, what falls into the gap runs right after it; where
 * they are put back, a time that is named runs once, and what runs every so often goes on. Throws for one that is not valid.
 * Without a name and without a function: neither a register nor a timer.
 */
function cronOf (expr: string, zone: string): Cron {
  return new Cron(expr, { timezone: zone, mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true })
}

/** The first slot after a moment; null when there is none. Throws for an expression or a zone that is not valid. */
export function nextSlot (schedule: Schedule, afterMs: number, { zone, anchorMs }: SlotOptions): number | null {
  switch (schedule.kind) {
    case 'once': return schedule.runAtMs > afterMs ? schedule.runAtMs : null
    case 'interval': {
      const periodMs = schedule.minutes * minuteMs
      const passed = Math.max(0, Math.floor((afterMs - anchorMs) / periodMs))
      return anchorMs + (passed + 1) * periodMs
    }
    case 'cron': return cronOf(schedule.expr, zone).nextRun(new Date(afterMs))?.getTime() ?? null
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
