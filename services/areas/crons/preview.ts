import { justBefore } from './changes.js'
import { type CronsContext } from './context.js'
import { scheduleColumns, type ScheduleColumns } from './fields.js'
import { scheduleOf, toMs } from './jobs.js'
import { nextSlot } from './slots.js'
import { dateAfter, isoIn, localDate, startOfDate } from '../../ground/time/zones.js'

const shownDays = 14

export interface Preview {
  schedule: ScheduleColumns
  /** ISO 8601 with the zone's offset; empty: never. */
  nextRuns: string[]
  /** The dates on which it runs within two weeks, including today, in the zone. */
  days: string[]
}

/** Returns what a schedule that is being typed would mean for a job that is made now; nothing is stored. */
export function createPreview ({ clock, profileOf, zone: zoneOf }: Pick<CronsContext, 'clock' | 'profileOf' | 'zone'>) {
  /** Throws Invalid, as making the job would. */
  return async function preview (profile: string, text: string, count: number): Promise<Preview> {
    const nowMs = clock.now()
    const zone = zoneOf(profileOf(profile))
    const schedule = await scheduleColumns(text, { nowMs, zone })
    const fromMs = justBefore(schedule.runAt, nowMs)
    const after = (ms: number) => nextSlot(scheduleOf(schedule), ms, { zone, anchorMs: toMs(schedule.anchorAt) })
    const nextRuns: string[] = []
    for (let next = after(fromMs); next !== null && nextRuns.length < count; next = after(next)) nextRuns.push(isoIn(next, zone))
    const days: string[] = []
    const lastDay = dateAfter(localDate(nowMs, zone), shownDays - 1)
    for (let next = after(fromMs); next !== null; next = after(startOfDate(dateAfter(localDate(next, zone), 1), zone) - 1)) {
      const day = localDate(next, zone)
      if (day > lastDay) break
      days.push(day)
    }
    return { schedule, nextRuns, days }
  }
}
