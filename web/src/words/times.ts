import { words } from './index.js'

// All times that the app shows. They are formatted while drawing, so they follow a change of language.

export interface TimesOptions {
  /** In epoch seconds; by default the present. */
  now?: number
  /** By default, and if the browser does not know it, the time zone of this device. */
  zone?: string | undefined
}

/** A moment by calendar and clock. `day` counts days, so that differences can be calculated. */
interface Parts { day: number, year: number, clock: string }

const nowS = (): number => Date.now() / 1_000
const dayMs = 86_400_000

/** Formats times in epoch seconds in the app's language. */
export const times = {
  /** `9:41` today, `Sun 20:00` this week, `12 Nov`, `Nov 2025`. */
  at (seconds: number, options: TimesOptions = {}): string {
    const { today, then, days } = compared(seconds, options)
    if (days === 0) return then.clock
    if (Math.abs(days) < 7) return words.value.times.dayAndClock(weekday(seconds, options), then.clock)
    return date(seconds, then.year === today.year, options)
  },

  /** `9:41` today, `Sun` this week, `12 Nov`, `Nov 2025`: for narrow places. */
  short (seconds: number, options: TimesOptions = {}): string {
    const { today, then, days } = compared(seconds, options)
    if (days === 0) return then.clock
    return Math.abs(days) < 7 ? weekday(seconds, options) : date(seconds, then.year === today.year, options)
  },

  /** For times in the future: `today at 18:30`, `tomorrow at 9:00`, `Sun at 20:00`, `12 Nov at 9:00`, `12 Nov 2027 at 9:00`. */
  next (seconds: number, options: TimesOptions = {}): string {
    const w = words.value.times
    const { today, then, days } = compared(seconds, options)
    if (days === 0) return w.today(then.clock)
    if (days === 1) return w.tomorrow(then.clock)
    if (days > 1 && days < 7) return w.on(weekday(seconds, options), then.clock)
    const year = then.year === today.year ? {} : { year: 'numeric' } as const
    return w.on(format(seconds, { day: 'numeric', month: 'short', ...year }, options.zone), then.clock)
  },

  /** Date and time in full, for tooltips: `Sunday 22 November 2026, 20:00`. */
  full (seconds: number, { zone }: TimesOptions = {}): string {
    const day = format(seconds, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }, zone)
    return `${day}, ${partsOf(seconds, zone).clock}`
  },

  /** Names a day, as a heading of what happened on it: `Today`, `Yesterday`, `Sunday 22 November`, `Sunday 22 November 2026`. */
  heading (seconds: number, options: TimesOptions = {}): string {
    const { locale } = words.value.times
    const { today, then, days } = compared(seconds, options)
    const year = then.year === today.year ? {} : { year: 'numeric' } as const
    const name = days === 0 || days === -1
      ? new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
      : format(seconds, { weekday: 'long', day: 'numeric', month: 'long', ...year }, options.zone)
    return name.charAt(0).toLocaleUpperCase(locale) + name.slice(1)
  },

  /** `22 Nov 2026`, for a day as YYYY-MM-DD. */
  day: (iso: string): string => format(Date.parse(iso) / 1_000, { day: 'numeric', month: 'short', year: 'numeric' }, 'UTC'),

  /** `18:02`, below a heading that names the day. */
  clock: (seconds: number, { zone }: TimesOptions = {}): string => partsOf(seconds, zone).clock,

  /** How long something lasts: `41 s`, `12 min`, `3 h`, `2 days`. */
  span (seconds: number): string {
    const w = words.value.times
    const whole = Math.max(0, Math.floor(seconds))
    if (whole < 90) return w.seconds(whole)
    if (whole < 5_400) return w.minutes(Math.round(whole / 60))
    return whole < 129_600 ? w.hours(Math.round(whole / 3_600)) : w.days(Math.round(whole / 86_400))
  }
}

function compared (seconds: number, { now = nowS(), zone }: TimesOptions): { today: Parts, then: Parts, days: number } {
  const [today, then] = [partsOf(now, zone), partsOf(seconds, zone)]
  return { today, then, days: then.day - today.day }
}

function partsOf (seconds: number, zone: string | undefined): Parts {
  if (zone === undefined) return partsHere(new Date(seconds * 1_000))
  const parts = formatter('en-GB', {
    year: 'numeric', month: 'numeric', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23'
  }, zone).formatToParts(seconds * 1_000)
  const valueOf = (wanted: Intl.DateTimeFormatPartTypes): string => parts.find(({ type }) => type === wanted)?.value ?? ''
  const year = Number(valueOf('year'))
  return {
    day: Date.UTC(year, Number(valueOf('month')) - 1, Number(valueOf('day'))) / dayMs,
    year,
    clock: `${Number(valueOf('hour'))}:${valueOf('minute')}`
  }
}

/** In the time zone of this device, which needs no formatter: making the first one would delay the list at the start. */
const partsHere = (date: Date): Parts => ({
  day: Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / dayMs,
  year: date.getFullYear(),
  clock: `${date.getHours()}:${String(date.getMinutes()).padStart(2, '0')}`
})

const weekday = (seconds: number, { zone }: TimesOptions): string => format(seconds, { weekday: 'short' }, zone)

const date = (seconds: number, isThisYear: boolean, { zone }: TimesOptions): string =>
  format(seconds, isThisYear ? { day: 'numeric', month: 'short' } : { month: 'short', year: 'numeric' }, zone)

const format = (seconds: number, options: Intl.DateTimeFormatOptions, zone: string | undefined): string =>
  formatter(words.value.times.locale, options, zone).format(seconds * 1_000)

/** Caches formatters, because creating one is slow and a list needs the same ones again and again. */
const formatters = new Map<string, Intl.DateTimeFormat>()

function formatter (locale: string, options: Intl.DateTimeFormatOptions, zone: string | undefined): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options, zone])
  const known = formatters.get(key) ?? make(locale, options, zone)
  formatters.set(key, known)
  return known
}

function make (locale: string, options: Intl.DateTimeFormatOptions, zone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat(locale, { ...options, timeZone: zone })
  } catch {
    return new Intl.DateTimeFormat(locale, options)
  }
}
