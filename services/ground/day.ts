export interface Day {
  /** YYYY-MM-DD */
  date: string
  /** Epoch seconds: its first moment, and the first one of the next day. */
  startS: number
  endS: number
}

/** The day that a moment is in, from midnight to midnight where the service runs. Days on which clocks change are longer or shorter. */
export function dayOf (nowMs: number): Day {
  const now = new Date(nowMs)
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  return {
    date: dateOf(now),
    startS: new Date(year, month, day).getTime() / 1000,
    endS: new Date(year, month, day + 1).getTime() / 1000
  }
}

/** YYYY-MM-DD in the service's time zone. */
export function dateOf (date: Date): string {
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}`
}
