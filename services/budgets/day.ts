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
    date: `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
    startS: new Date(year, month, day).getTime() / 1000,
    endS: new Date(year, month, day + 1).getTime() / 1000
  }
}
