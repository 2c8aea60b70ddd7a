import { fieldsOf } from '../ground/fields.js'

/** A limit that claims to last longer is not believed, and counts as one without a time. */
export const longestLimitMs = 8 * 24 * 3_600_000

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 }
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
/** Names of time zones that agents write instead of an offset, in hours. */
const offsets: Readonly<Record<string, number>> = {
  utc: 0, gmt: 0, z: 0, est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, cet: 1, cest: 2, bst: 1
}

/** How much of a provider's message is read. */
const readChars = 4_000

const usedUp = /(?:usage|session|weekly|monthly|daily|hourly|5-hour|opus|sonnet) limits?\b|\bhit (?:your|the) (?!rate).{0,30}limit|out of (?:extra )?usage/i

/** Whether a message says that an allowance is used up that renews itself: that of a subscription, of an hour, of a week. */
export const saysUsedUp = (words: string): boolean => usedUp.test(words)

interface Moment { nowMs: number, /** Time zone of times that name none; default: this machine's. */ zone?: string }

/**
 * Reads Retry-After (RFC 9110, section 10.2.3): seconds, or a date, which is compared with the sender's own clock if the answer has a
 * `date`. Some providers also send `retry-after-ms`. Returns milliseconds; undefined if there is neither, 0 for the past.
 */
export function retryAfter (headers: Readonly<Record<string, string>> | undefined, nowMs: number): number | undefined {
  const inMs = toNumber(headers?.['retry-after-ms'])
  if (inMs !== undefined) return Math.max(0, inMs)
  const value = headers?.['retry-after']
  const seconds = toNumber(value)
  if (seconds !== undefined) return Math.max(0, seconds * 1000)
  const sentMs = Date.parse(headers?.['date'] ?? '')
  const ms = Date.parse(value ?? '') - (Number.isNaN(sentMs) ? nowMs : sentMs)
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/**
 * Returns when the limits of a refused request pass, by the headers for each limit: `x-ratelimit-reset-*` (a span, seconds, epoch or a
 * date) and `anthropic-ratelimit-*-reset` (a date). If headers say which limits are used up, the last of those counts; otherwise the first
 * of all, because one request too many costs less than a lost day. Returns milliseconds from now; undefined if no header tells.
 */
export function limitResets (headers: Readonly<Record<string, string>> = {}, nowMs: number): number | undefined {
  const told = Object.entries(headers).flatMap(([header, value]) => {
    const name = header.toLowerCase()
    if (!/^(?:x-)?ratelimit-reset(?:-|$)|^anthropic-ratelimit-.*-reset$/.test(name)) return []
    const ms = spanUntil(value, nowMs)
    return ms === undefined ? [] : [{ ms, left: toNumber(headers[name.replace('reset', 'remaining')]) }]
  })
  const usedUp = told.filter(({ left }) => left !== undefined && left <= 0)
  if (usedUp.length > 0) return Math.max(...usedUp.map(({ ms }) => ms))
  return told.length === 0 ? undefined : Math.min(...told.map(({ ms }) => ms))
}

/**
 * Reads a span ("6m0s", "250ms"), seconds, an epoch in seconds or milliseconds, or a date. Returns undefined for anything else, and for the
 * past.
 */
function spanUntil (value: string, nowMs: number): number | undefined {
  const number = toNumber(value)
  const span = number === undefined
    ? spanOf(value.trim().toLowerCase()) ?? Date.parse(value) - nowMs
    : number > 1e11 ? number - nowMs : number > 1e9 ? number * 1000 - nowMs : number * 1000
  return believed(span)
}

/** Reads google.rpc.RetryInfo in the details of a Google error. Returns milliseconds; undefined if there is none. */
export function retryInfo (body: unknown): number | undefined {
  const [first] = Array.isArray(body) ? body : [body]
  const { details } = fieldsOf(fieldsOf(first).error)
  for (const detail of Array.isArray(details) ? details.slice(0, 20).map(fieldsOf) : []) {
    if (typeof detail['@type'] !== 'string' || !detail['@type'].endsWith('google.rpc.RetryInfo')) continue
    const { retryDelay } = detail
    const { seconds } = fieldsOf(retryDelay)
    return believed(typeof retryDelay === 'string' ? spanOf(retryDelay) : Number(seconds) * 1000)
  }
  return undefined
}

/**
 * Returns when requests are accepted again, by the words of a provider or an agent: "try again in 3 days 4 hours", "resets 6pm
 * (Europe/Berlin)", "resets Oct 9 at 10am", "usage limit reached|1755806400". Returns milliseconds from now; undefined if the words do not
 * tell.
 */
export function limitWords (words: string, { nowMs, zone }: Moment): number | undefined {
  const text = words.slice(0, readChars).toLowerCase()
  const [, epoch] = /\|\s*(\d{10})(?!\d)/.exec(text) ?? []
  if (epoch !== undefined) return believed(Number(epoch) * 1000 - nowMs)
  for (const { index, 0: { length } } of text.matchAll(/\b(?:try(?:ing)? again|retry|resets?|access|available(?: again)?|until|wait)\b/g)) {
    const after = text.slice(index + length, index + length + 90)
    const [, span] = /^[^.\d]{0,24}?\b(?:in|after|for)[\s:~]+(?:about\s+)?(.*)/s.exec(after) ?? []
    const ms = (span === undefined ? undefined : spanOf(span)) ?? clockUntil(after, nowMs, zone)
    if (believed(ms) !== undefined) return believed(ms)
  }
  return undefined
}

/** Returns the span at the beginning of a text: "1h2m3.5s", "3 days, 4 hours and 5 minutes". */
function spanOf (text: string): number | undefined {
  const part = /^[\s,]*(?:and\s+)?(\d+(?:\.\d+)?)\s*(milliseconds?|ms|weeks?|w|days?|d|hours?|hrs?|hr|h|minutes?|mins?|min|m|seconds?|secs?|sec|s)(?![a-z])/
  let rest = text.trimStart().toLowerCase()
  let ms: number | undefined
  for (let found = part.exec(rest); found !== null; found = part.exec(rest)) {
    const [whole, amount = '', unit = ''] = found
    ms = (ms ?? 0) + Number(amount) * (unitsMs[unit.startsWith('mil') ? 'ms' : unit] ?? unitsMs[unit.charAt(0)] ?? 0)
    rest = rest.slice(whole.length)
  }
  return ms
}

const time = /^(?:at\s+)?(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])\.?m\b\.?|^(?:at\s+)?(\d{1,2}):(\d{2})(?::\d{2})?/
const day = new RegExp(
  `^(?:on\\s+)?(?:(\\d{4})-(\\d{2})-(\\d{2})|(${months.join('|')})[a-z]*\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s+(\\d{4}))?|(${weekdays.join('|')})[a-z]*)\\b`
)

/**
 * Returns the time until the moment at the beginning of a text: a day and a time, or a time alone, in the zone that follows or in `zone`.
 */
function clockUntil (text: string, nowMs: number, zone: string | undefined): number | undefined {
  let rest = text.replace(/^[\s:∙·(]*(?:at|on)?\s*/, '')
  const iso = /^\d{4}-\d\d-\d\dt\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:z|[+-]\d\d:?\d\d)/.exec(rest)
  if (iso !== null) return Date.parse(iso[0].toUpperCase()) - nowMs
  const dated = day.exec(rest)
  if (dated !== null) rest = rest.slice(dated[0].length).replace(/^[\s,]*/, '').replace(/^(?:at\s+)?/, '')
  const clock = time.exec(rest)
  if (clock === null) return undefined
  const [whole, hour12, minute12 = '0', half, hour24, minute24] = clock
  const hour = hour12 === undefined ? Number(hour24) : Number(hour12) % 12 + (half === 'p' ? 12 : 0)
  const minute = Number(hour12 === undefined ? minute24 : minute12)
  if (hour > 23 || minute > 59 || Number(hour12 ?? 0) > 12) return undefined
  const offsetMs = zoneAfter(rest.slice(whole.length), zone)
  const today = new Date(nowMs + offsetMs(nowMs))
  const at = (year: number, month: number, date: number): number => {
    const wallMs = Date.UTC(year, month, date, hour, minute)
    // Uses the zone's offset at that moment: first the offset of a moment near it, then its own.
    return wallMs - offsetMs(wallMs - offsetMs(wallMs))
  }
  const [year, month, date] = [today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()]
  if (dated === null) {
    const ms = at(year, month, date)
    return (ms > nowMs ? ms : at(year, month, date + 1)) - nowMs
  }
  const [, isoYear, isoMonth, isoDate, monthName = '', namedDate, namedYear, weekday = ''] = dated
  if (isoYear !== undefined) return at(Number(isoYear), Number(isoMonth) - 1, Number(isoDate)) - nowMs
  if (weekdays.includes(weekday)) {
    const days = (weekdays.indexOf(weekday) - today.getUTCDay() + 7) % 7
    const ms = at(year, month, date + days)
    return (ms > nowMs ? ms : at(year, month, date + days + 7)) - nowMs
  }
  const ms = at(Number(namedYear ?? year), months.indexOf(monthName), Number(namedDate))
  return (namedYear === undefined && ms < nowMs ? at(year + 1, months.indexOf(monthName), Number(namedDate)) : ms) - nowMs
}

/** Returns a function that tells how far the zone named in a text is ahead of UTC at a moment, in milliseconds. */
function zoneAfter (text: string, zone: string | undefined): (atMs: number) => number {
  const [, named = '', sign, hours, minutes = '0'] = /^\s*\(?\s*([a-z]+(?:\/[a-z_+-]+){0,2})?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?/.exec(text) ?? []
  if (sign !== undefined) {
    const ms = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
    return () => ms
  }
  const fixed = offsets[named]
  if (fixed !== undefined) return () => fixed * 3_600_000
  const format = formatOf(named.includes('/') ? named : zone) ?? formatOf(zone) ?? formatOf(undefined)
  return (atMs) => {
    const { year, month, day, hour, minute, second } = Object.fromEntries(
      (format?.formatToParts(atMs) ?? []).map(({ type, value }) => [type, Number(value)])
    )
    return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second) - Math.floor(atMs / 1000) * 1000
  }
}

/** Returns null if the text is not the name of a time zone. */
function formatOf (timeZone: string | undefined): Intl.DateTimeFormat | null {
  try {
    return new Intl.DateTimeFormat('en-US', {
      ...(timeZone === undefined ? {} : { timeZone }), hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric',
      minute: 'numeric', second: 'numeric'
    })
  } catch {
    return null
  }
}

/** Returns undefined for times in the past, longer than any limit, or that are not a number. */
export const believed = (ms: number | undefined): number | undefined =>
  ms !== undefined && ms > 0 && ms <= longestLimitMs ? ms : undefined

/** Reads a decimal number from a header. An absurdly large one counts as the largest safe integer. */
function toNumber (text: string | undefined): number | undefined {
  return /^[+-]?\d+(?:\.\d*)?$/.test(text?.trim() ?? '') ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}
