import { dateAfter, localTime, localDate, zonedMs } from '../../ground/time/zones.js'

/** Hours of the day in which nothing rings, as HH:MM; empty if there are none. */
export interface QuietHours { from: string, until: string, zone: string }

/** Returns when the quiet hours around a moment end, both in epoch milliseconds; null if the moment is outside of them. */
export function quietUntil ({ from, until, zone }: QuietHours, atMs: number): number | null {
  if (from === '' || until === '' || from === until) return null
  const { hour, minute } = localTime(atMs, zone)
  const now = hour * 60 + minute
  const [begin, end] = [minutesOf(from), minutesOf(until)]
  const isOverMidnight = begin > end
  if (isOverMidnight ? now < begin && now >= end : now < begin || now >= end) return null
  const today = localDate(atMs, zone)
  const [year = 0, month = 1, day = 1] = (isOverMidnight && now >= begin ? dateAfter(today, 1) : today).split('-').map(Number)
  return zonedMs({ year, month, day, hour: Math.floor(end / 60), minute: end % 60, second: 0 }, zone)
}

function minutesOf (time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}
