import { dateOf, type Day } from '../../ground/time/day.js'

export const longestPeriodDays = 365

/** Returns the last `days` days including today, oldest first. */
export function period (nowMs: number, days: number): Day[] {
  const now = new Date(nowMs)
  const midnight = (back: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
  return Array.from({ length: days }, (_, index) => {
    const back = days - 1 - index
    const start = midnight(back)
    return { date: dateOf(start), startS: start.getTime() / 1000, endS: midnight(back - 1).getTime() / 1000 }
  })
}

/** Returns the index of the day that contains a time (epoch seconds); -1 for none. */
export function dayIndex (days: Day[], atS: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (atS < (days[middle]?.endS ?? Infinity)) high = middle
    else low = middle + 1
  }
  return atS >= (days[low]?.startS ?? Infinity) ? low : -1
}
