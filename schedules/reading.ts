import { fromChinese } from './chinese.js'
import { monthNames, nthNames, weekdayNames } from './english.js'
import { fromFrench } from './french.js'
import { fromGerman } from './german.js'
import { fromJapanese } from './japanese.js'
import { lastOfMonth, type ClockTime, type OneDay, type Reading, type Said } from './said.js'
import { fromSpanish } from './spanish.js'

/** A schedule with a time that does not exist, such as 25:00. */
export interface BadTime { badTime: string }

/** The hour of a part of the day, if none is named. */
const partHours: ReadonlyMap<string, number> = new Map([
  ['morning', 9], ['noon', 12], ['midday', 12], ['lunchtime', 12], ['afternoon', 15], ['evening', 18], ['night', 22], ['midnight', 0]
])
/** Parts of the day that name an exact hour. */
const exactParts: ReadonlySet<string> = new Set(['noon', 'midday', 'midnight'])
/** The hour of days without a time. */
const usualHour = 9
const lastMorningHour = 12

const numbers: ReadonlyMap<string, number> = new Map([
  'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'
].map((name, at): [string, number] => [name, at + 1]).concat([['fifteen', 15], ['twenty', 20], ['thirty', 30], ['forty-five', 45]]))
const ordinals: ReadonlyMap<string, number> = new Map([
  ...nthNames.map((name, at): [string, number] => [name, at + 1]), ['1st', 1], ['2nd', 2], ['3rd', 3], ['4th', 4]
])

const duration = /^(\d*)\s*(?:(m)(?:ins?|inutes?)?|(h)(?:rs?|ours?)?|(d)(?:ays?)?)$/
const unitMinutes = { m: 1, h: 60, d: 1_440 }
const clockTime = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/
const weekday = 'sun(?:days?)?|mon(?:days?)?|tue(?:s|s?days?)?|wed(?:nesdays?|s)?|thu(?:rs?|rsdays?)?|fri(?:days?)?|sat(?:urdays?)?'
const isWeekday = new RegExp(`^(?:${weekday})$`)
const month = `(?:${monthNames.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|').toLowerCase()}|sept)\\.?`
const everyDay = /^(?:days?|daily|everyday)$/
/** Matches lengths such as `in a week` and `1 month`, which name neither a day nor a time. */
const spanOfDays = /\b(?:in an?|\d+) (?:weeks?|months?)\b/
const filler = /^(?:every|each|on|in|the|at|and|of|once|a)$/

const forms = {
  step: new RegExp(`\\bevery (\\d{1,3}) (?:(days?\\b)|weeks?\\b|(?=(?:${weekday})\\b))`),
  range: new RegExp(`\\b(${weekday}) ?(?:-|–|to|through|until|till) ?(${weekday})\\b`),
  next: new RegExp(`\\b(?:next|this|this coming) (${weekday})\\b`),
  lastDay: /\blast day (?:of (?:the|each|every|a) month|of month|every month|each month|monthly)\b|\bend of (?:the|each|every) month\b|\blast day(?=(?:,| and\b).* month\b)/,
  nth: new RegExp(`\\b(${[...ordinals.keys()].join('|')}) (${weekday})(?: (?:of|in))?(?: (?:the|each|every|a))? month(?:ly)?\\b`),
  nthOfEvery: new RegExp(`\\b(?:every|each) month on the (${[...ordinals.keys()].join('|')}) (${weekday})\\b`),
  dayMonth: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? (${month})(?:,? (\\d{4}))?(?![\\w])`),
  monthDay: new RegExp(`\\b(${month}) (?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?:,? (\\d{4}))?(?![\\w:])`)
}

/** Translates a text into the English words of the grammar, once for each language that it may be in; English comes first. */
export function readings (text: string): string[] {
  const plain = text.trim().toLowerCase().replaceAll(/\s+/g, ' ')
  return [...new Set([plain, ...translations.map((translate) => translate(plain))].map(normalised))]
}

/** Japanese comes before Chinese, which shares some of its words. */
const translations: ReadonlyArray<(text: string) => string> = [
  fromJapanese, fromChinese, fromGerman, fromFrench, fromSpanish
]

/** Normalises English in lower case to the forms that are parsed: numbers in digits, and one form for each meaning. */
export function normalised (text: string): string {
  return text
    .replaceAll(/[a-z]+(?:-[a-z]+)?/g, (word) => String(numbers.get(word) ?? word))
    .replaceAll(/\bhalf an? hour\b/g, '30 minutes').replaceAll(/\b(?:a )?quarter of an hour\b/g, '15 minutes')
    .replaceAll(/\ban? (?=(?:minute|hour|day)\b)/g, '1 ')
    .replaceAll(/\bhourly\b/g, 'every hour').replaceAll(/\b(?:bi-?weekly|fortnightly|every fortnight)\b/g, 'every 2 weeks')
    .replaceAll(/\b(?:every|each) (?:other|second|2nd) /g, 'every 2 ').replaceAll(/\b(?:the )?day after tomorrow\b/g, 'overmorrow')
    .replaceAll(/(\d)\s+([ap]m)\b/g, '$1$2').replaceAll(/\b(\d{1,2}) ?o['’]?clock\b/g, '$1:00')
    .replace(/^once (?:at )?(?=in |\d)/, '')
}

/** Parses a schedule in words of any language of the app; null if it is none. Cron expressions and numeric dates are not parsed here. */
export function readSchedule (text: string): Reading | BadTime | null {
  for (const words of readings(text)) {
    const read = readEnglish(words)
    if (read !== null) return read
  }
  return null
}

/** Parses one of the `readings` of a text. */
export const readEnglish = (words: string): Reading | BadTime | null => counted(words) ?? daysAndTime(words)

/** Parses `every 2 hours`, `in 20 minutes` and `2h`. */
function counted (words: string): Reading | null {
  const [, form, span = ''] = /^(every |in )?(.+)$/.exec(words) ?? []
  const [, count = '', m, h, d] = duration.exec(span) ?? []
  const unit = m ?? h ?? d
  if (unit === undefined) return null
  const minutes = (count === '' ? 1 : Number(count)) * unitMinutes[unit as keyof typeof unitMinutes]
  return { said: { kind: form === 'in ' ? 'later' : 'interval', minutes }, isGuessed: false }
}

/** The parts found in a text so far, and the rest of it. */
class Found {
  readonly days = new Set<number>()
  readonly monthDays = new Set<number>()
  step: { count: number, isWeeks: boolean } | null = null
  nth: { nth: number, day: number } | null = null
  on: OneDay | null = null
  cadence: 'week' | 'month' | null = null
  part: string | null = null
  clock: string | null = null

  constructor (public rest: string) {}

  /** Removes a form from the text and passes its groups to `use`. Returns false if the text does not contain it. */
  take (form: RegExp, use: (...found: Array<string | undefined>) => void): boolean {
    const found = form.exec(this.rest)
    if (found === null) return false
    this.rest = `${this.rest.slice(0, found.index)} ${this.rest.slice(found.index + found[0].length)}`
    use(...found.slice(1))
    return true
  }
}

/** Parses days with a time. Null if a word is unknown, or `day` stands alone, which is an interval. */
function daysAndTime (words: string): Reading | BadTime | null {
  const found = new Found(words)
  found.take(forms.step, (count, days) => { found.step = { count: Number(count), isWeeks: days === undefined } })
  if (/\bevery \d+ [a-z]/.test(found.rest) || spanOfDays.test(found.rest)) return null
  takeWhole(found)
  const names = found.rest.split(/[\s,]+/).filter((name) => name !== '' && !filler.test(name))
  for (const name of names) if (!takeName(found, name)) return null
  if (found.part === null && found.clock === null && found.step === null && names.every((name) => /^days?$/.test(name)) &&
    found.monthDays.size === 0 && found.nth === null) return null
  const time = timeIn(found)
  if (time === null) return saidOf(found, { hour: 0, minute: 0 }) === null ? null : { badTime: found.clock ?? '' }
  const said = saidOf(found, time)
  return said === null ? null : { said, isGuessed: found.clock === null && !exactParts.has(found.part ?? '') }
}

/** Takes the forms that are longer than a word. */
function takeWhole (found: Found): void {
  while (found.take(forms.range, (first, last) => addRange(found.days, weekdayOf(first ?? ''), weekdayOf(last ?? '')))) { /* each */ }
  const nth = (name?: string, day?: string) => { found.nth = { nth: ordinals.get(name ?? '') ?? 1, day: weekdayOf(day ?? '') } }
  if (!found.take(forms.nth, nth)) found.take(forms.nthOfEvery, nth)
  found.take(forms.lastDay, () => { found.monthDays.add(lastOfMonth) })
  found.take(forms.next, (day) => { found.on = { nextWeekday: weekdayOf(day ?? '') } })
  const date = (day?: string, name?: string, year?: string) => {
    const at = monthNames.findIndex((of) => of.slice(0, 3).toLowerCase() === name?.slice(0, 3))
    found.on = { day: Number(day), month: at + 1, year: year === undefined ? null : Number(year) }
  }
  if (!found.take(forms.dayMonth, date)) found.take(forms.monthDay, (name, day, year) => date(day, name, year))
}

/** Takes a single word. Returns false if it is unknown, or its place is taken. */
function takeName (found: Found, name: string): boolean {
  const part = name.replace(/s$/, '')
  if (partHours.has(part) && found.part === null) found.part = part
  else if (name === 'tonight' && found.part === null && found.on === null) [found.part, found.on] = ['night', { inDays: 0 }]
  else if (['today', 'tomorrow', 'overmorrow'].includes(name) && found.on === null) {
    found.on = { inDays: ['today', 'tomorrow', 'overmorrow'].indexOf(name) }
  } else if (/^(?:weekly|week)$/.test(name)) found.cadence = 'week'
  else if (/^(?:monthly|month)$/.test(name)) found.cadence = 'month'
  else if (/^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)$/.test(name)) found.monthDays.add(Number.parseInt(name))
  else if (/^\d/.test(name) && found.clock === null && !/^\d+(?:st|nd|rd|th)$/.test(name)) found.clock = name
  else return addDays(name, found.days)
  return true
}

/** Combines what was found into a schedule. Null if no days are named, or parts contradict each other. */
function saidOf ({ days, monthDays, step, nth, on, cadence, part, clock }: Found, time: ClockTime): Said | null {
  const isTimed = part !== null || clock !== null
  const [weekday] = days
  if (on !== null) {
    const isMore = days.size > 0 || monthDays.size > 0 || step !== null || nth !== null || cadence !== null
    return isMore || ('inDays' in on && !isTimed) ? null : { kind: 'once', on, time }
  }
  if (nth !== null) {
    const isMore = days.size > 0 || monthDays.size > 0 || step !== null || cadence === 'week'
    return isMore ? null : { kind: 'nthWeekday', ...nth, time }
  }
  if (step !== null) return monthDays.size > 0 || cadence !== null ? null : steps(step, days, isTimed, time)
  if (monthDays.size > 0 || (cadence === 'month' && days.size === 0)) {
    const all = [...monthDays.size > 0 ? monthDays : [1]].sort((a, b) => a - b)
    return days.size > 0 || cadence === 'week' ? null : { kind: 'monthDays', days: all, time }
  }
  if (cadence === 'month') return null
  if (weekday !== undefined) return { kind: 'weekdays', days: [...days].sort(), time }
  if (cadence === 'week') return { kind: 'weekdays', days: [1], time }
  return part === null ? null : { kind: 'weekdays', days: [0, 1, 2, 3, 4, 5, 6], time }
}

/** Returns the schedule of `every 3 days at 9` and `every 2 weeks on Tuesday`. Null for days without a time, which are an interval. */
function steps (
  { count, isWeeks }: { count: number, isWeeks: boolean }, days: ReadonlySet<number>, isTimed: boolean, time: ClockTime
): Said | null {
  if (count < 1 || days.size > 1 || (!isWeeks && (days.size > 0 || !isTimed))) return null
  const [weekday = 1] = days
  if (count === 1) return { kind: 'weekdays', days: isWeeks ? [weekday] : [0, 1, 2, 3, 4, 5, 6], time }
  return { kind: 'everyDays', count: isWeeks ? count * 7 : count, weekday: isWeeks ? weekday : null, time }
}

/** Adds the days that a word names. Returns false if it names none. */
function addDays (name: string, days: Set<number>): boolean {
  if (everyDay.test(name)) addRange(days, 0, 6)
  else if (/^weekdays?$/.test(name)) addRange(days, 1, 5)
  else if (/^weekends?$/.test(name)) addRange(days, 6, 0)
  else if (isWeekday.test(name)) days.add(weekdayOf(name))
  else return false
  return true
}

function addRange (days: Set<number>, first: number, last: number): void {
  for (let day = first; ; day = (day + 1) % 7) {
    days.add(day)
    if (day === last) return
  }
}

const weekdayOf = (name: string): number => weekdayNames.findIndex((of) => of.slice(0, 3).toLowerCase() === name.slice(0, 3))

/** Returns the time: `8` in the evening is 20:00. Null if it does not exist, or its day is unclear: `saturday night at 1`. */
function timeIn (found: Found): ClockTime | null {
  const { part, clock } = found
  const partHour = partHours.get(part ?? '')
  if (clock === null) return { hour: partHour ?? usualHour, minute: 0 }
  const [, hours, minutes = '0', half] = clockTime.exec(clock) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (Number.isNaN(hour) || minute > 59) return null
  if (half !== undefined) return hour < 1 || hour > 12 ? null : { hour: hour % 12 + (half === 'pm' ? 12 : 0), minute }
  if (hour > 23) return null
  if (isAfterMidnight(part, hour)) return isOfEveryDay(found) ? { hour: hour % 12, minute } : null
  const isLate = partHour !== undefined && (partHour > lastMorningHour || (partHour === 12 && hour > 0 && hour < 5)) && hour < 12
  return { hour: isLate ? hour + 12 : hour, minute }
}

const isAfterMidnight = (part: string | null, hour: number): boolean =>
  (part === 'night' && hour < 5) || ((part === 'night' || part === 'evening') && hour % 12 === 0)

const isOfEveryDay = ({ days, monthDays, step, nth, on, cadence }: Found): boolean =>
  days.size % 7 === 0 && monthDays.size === 0 && step === null && nth === null && on === null && cadence === null

/** The words of the grammar, for correcting misspelt ones. */
export const vocabulary: readonly string[] = [
  ...weekdayNames.map((name) => name.toLowerCase()), ...partHours.keys(), ...monthNames.map((name) => name.toLowerCase()),
  'every', 'other', 'day', 'days', 'week', 'weeks', 'month', 'weekday', 'weekdays', 'weekend', 'weekends', 'daily', 'weekly', 'monthly', 'hourly',
  'hour', 'hours', 'minute', 'minutes', 'today', 'tonight', 'tomorrow', 'next', 'first', 'last'
]
