import { Invalid } from '../errors.js'

export interface LocalTime { year: number, month: number, day: number, hour: number, minute: number, second: number }

const dayMs = 24 * 3_600_000
const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf (zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone, hourCycle: 'h23', era: 'short', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric',
      second: 'numeric'
    })
    formats.set(zone, format)
  }
  return format
}

/** Whether a text is the name of a time zone that this machine knows. */
export function isZone (zone: string): boolean {
  try {
    formatOf(zone)
    return true
  } catch {
    return false
  }
}

/** Returns the machine's time zone, or that of the variable TZ. */
export const systemZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/**
 * Returns the zone in which a profile's schedules are read: `timezone` of its config.yaml, otherwise the machine's. Throws Invalid for an
 * unknown name, because jobs at the wrong hour would be worse than none.
 */
export function zoneOf (timezone: unknown): string {
  if (timezone === undefined || timezone === null || timezone === '') return systemZone()
  if (typeof timezone === 'string' && isZone(timezone)) return timezone
  throw new Invalid('timezone of config.yaml is not the name of a time zone, such as Europe/Berlin')
}

/** Returns what a wall clock in the zone shows. */
export function localTime (atMs: number, zone: string): LocalTime {
  const part = Object.fromEntries(formatOf(zone).formatToParts(atMs).map(({ type, value }) => [type, value]))
  const { year, month, day, hour, minute, second } = part
  return {
    year: part.era === 'BC' ? 1 - Number(year) : Number(year), month: Number(month), day: Number(day), hour: Number(hour),
    minute: Number(minute), second: Number(second)
  }
}

/** Returns the same as a text, YYYY-MM-DD HH:MM. */
export function wallTime (atMs: number, zone: string): string {
  const { year, month, day, hour, minute } = localTime(atMs, zone)
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)} ${two(hour)}:${two(minute)}`
}

/** Returns the date in the zone, YYYY-MM-DD. */
export const localDate = (atMs: number, zone: string): string => wallTime(atMs, zone).slice(0, 10)

/** Returns the date `days` after another one. */
export function dateAfter (date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00Z`) + days * dayMs).toISOString().slice(0, 10)
}

/** Returns the moment at which a date begins in the zone. */
export function startOfDate (date: string, zone: string): number {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number)
  return zonedMs({ year, month, day, hour: 0, minute: 0, second: 0 }, zone)
}

/** Returns how far the zone is ahead of UTC, in milliseconds, rounded to whole seconds. */
export function offsetMs (atMs: number, zone: string): number {
  const whole = Math.floor(atMs / 1000) * 1000
  return utcOf(localTime(whole, zone)) - whole
}

/**
 * Returns the moment at which a clock of the zone shows a time. For a time that occurs twice, returns the first. A time that is skipped
 * counts as later by as much as the clock is put forward.
 */
export function zonedMs (local: LocalTime, zone: string): number {
  const asUtc = utcOf(local)
  const before = offsetMs(asUtc - dayMs, zone)
  const candidates = [before, offsetMs(asUtc + dayMs, zone)].map((offset) => ({ offset, atMs: asUtc - offset }))
  const fitting = candidates.filter(({ offset, atMs }) => offsetMs(atMs, zone) === offset).map(({ atMs }) => atMs)
  return fitting.length > 0 ? Math.min(...fitting) : asUtc - before
}

/** Returns ISO 8601 with the zone's offset at that moment; milliseconds only if they are not zero. */
export function isoIn (atMs: number, zone: string): string {
  const offset = offsetMs(atMs, zone)
  const text = new Date(atMs + offset).toISOString().replace(/\.000Z$|Z$/, '')
  const minutes = Math.round(Math.abs(offset) / 60_000)
  return `${text}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`
}

export const two = (value: number): string => String(value).padStart(2, '0')

function utcOf ({ year, month, day, hour, minute, second }: LocalTime): number {
  const date = new Date(0)
  // Date.UTC takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second, 0)
  return date.getTime()
}
