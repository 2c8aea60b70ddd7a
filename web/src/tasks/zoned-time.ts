/** A moment in the calendar and clock of a time zone. */
export interface ZonedTime {
  /** YYYY-MM-DD. */
  date: string
  /** `9:05`. */
  time: string
}

const dayMs = 86_400_000

/** Returns a moment in a time zone. A time zone that the browser does not know is replaced by its own. */
export function zonedTime (at: Date, zone: string): ZonedTime {
  const [date, clock] = partsOf(formatOf(zone), at)
  return { date, time: clock.replace(/^0(?=\d:)/, '') }
}

function partsOf (format: Intl.DateTimeFormat, at: Date): [date: string, clock: string] {
  const part = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
  return [`${part.year ?? ''}-${part.month ?? ''}-${part.day ?? ''}`, `${part.hour ?? ''}:${part.minute ?? ''}`]
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf (zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known !== undefined) return known
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const
  let made: Intl.DateTimeFormat
  try { made = new Intl.DateTimeFormat('en-CA', { ...options, timeZone: zone }) } catch { made = new Intl.DateTimeFormat('en-CA', options) }
  formats.set(zone, made)
  return made
}

/** Returns the dates of two weeks, starting today. */
export function fortnight (zone: string, now = new Date()): string[] {
  const today = Date.parse(zonedTime(now, zone).date)
  return Array.from({ length: 14 }, (_, at) => new Date(today + at * dayMs).toISOString().slice(0, 10))
}
