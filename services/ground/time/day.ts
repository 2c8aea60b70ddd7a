export interface Day {
  /** YYYY-MM-DD */
  date: string
  /** Epoch seconds: the first moment of this day, and the first moment of the next. */
  startS: number
  endS: number
}

/**
 * Returns the day that contains a moment, from midnight to midnight in the service's time zone. Days on which clocks change are longer or
 * shorter.
 */
export function dayOf (nowMs: number): Day {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  return {
    date: dateOf(now),
    startS: new Date(year, month, day).getTime() / 1000,
    endS: new Date(year, month, day + 1).getTime() / 1000
  }
}

/** Returns YYYY-MM-DD in the service's time zone. */
export function dateOf (date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}
