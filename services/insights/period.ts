/** A day of the service's time zone: from one midnight to the next, 23 or 25 hours apart where clocks are changed. */
export interface Day { date: string, startS: number, endS: number }

export const longestPeriodDays = 365

/** The last `days` days with today, the oldest first. */
export function period (nowMs: number, days: number): Day[] {
  const now = new Date(nowMs)
  const midnight = (back: number): Date => new Date(now.getFullYear(), now.getMonth(), now.getDate() - back)
  return Array.from({ length: days }, (_, index) => {
    const back = days - 1 - index
    const start = midnight(back)
    return { date: dateOf(start), startS: start.getTime() / 1000, endS: midnight(back - 1).getTime() / 1000 }
  })
}

/** YYYY-MM-DD in the service's time zone. */
export function dateOf (date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}

/** Which of the days a time (epoch seconds) falls into; -1 for none. */
export function dayIndex (days: Day[], atS: number): number {
  let [low, high] = [0, days.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (atS < days[middle]!.endS) high = middle
    else low = middle + 1
  }
  return low < days.length && atS >= days[low]!.startS ? low : -1
}
