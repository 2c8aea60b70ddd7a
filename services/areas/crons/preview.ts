import { justBefore } from './changes.js'
import { type CronsContext } from './context.js'
import { scheduleColumns, type ScheduleColumns } from './fields.js'
import { scheduleOf, toMs } from './jobs.js'
import { nextSlot } from './slots.js'
import { isoIn } from './zones.js'

export interface Preview {
  schedule: ScheduleColumns
  /** ISO 8601 with the zone's offset; empty: never. */
  nextRuns: string[]
}

/** What a schedule that is being typed would mean for a job that is made now; nothing is stored. */
export function createPreview ({ clock, profileOf, zone: zoneOf }: Pick<CronsContext, 'clock' | 'profileOf' | 'zone'>) {
  /** Throws what making the job would throw for it: Invalid. */
  return async function preview (profile: string, text: string, count: number): Promise<Preview> {
    const nowMs = clock.now()
    const zone = zoneOf(profileOf(profile))
    const schedule = await scheduleColumns(text, { nowMs, zone })
    const nextRuns: string[] = []
    let afterMs = justBefore(schedule.runAt, nowMs)
    while (nextRuns.length < count) {
      const next = nextSlot(scheduleOf(schedule), afterMs, { zone, anchorMs: toMs(schedule.anchorAt) })
      if (next === null) break
      nextRuns.push(isoIn(next, zone))
      afterMs = next
    }
    return { schedule, nextRuns }
  }
}
