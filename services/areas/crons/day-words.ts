import { isKeyOf } from '../../ground/one-of.js'
import { table } from '../../ground/table.js'

/** Days and a time of the day in words. `hour` and `minute` are null where something is said for a time that is none. */
export interface DayWords {
  /** The field of a cron expression; null: no days are named. */
  days: string | null
  /** From today on, for what happens once; null: again and again. */
  inDays: 0 | 1 | null
  time: { hour: number, minute: number } | null
  /** What is written for the time, when that is none. */
  badTime: string | null
  /** Of the month, for what comes once in it. */
  dayOfMonth: number | null
}

/** What a part of the day means where nobody names the hour. */
const partHours = table<number>({ morning: 9, noon: 12, midday: 12, lunchtime: 12, afternoon: 15, evening: 18, night: 22, midnight: 0 })
/** Days without a time. */
const usualHour = 9
const lastMorningHour = 12

const clockTime = /^(\d{1,2})(?::(\d{2}))?(am|pm)?$/
const weekdays = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const weekdayName = /^(?:(sun)(?:days?)?|(mon)(?:days?)?|(tue)(?:s|s?days?)?|(wed)(?:nesdays?|s)?|(thu)(?:rs?|rsdays?)?|(fri)(?:days?)?|(sat)(?:urdays?)?)$/
const everyDay = /^(?:days?|daily|everyday)$/
const filler = /^(?:every|each|on|in|the|at|and|of|once|a)$/
const cadences = {
  weekly: { days: '1' }, week: { days: '1' }, monthly: { dayOfMonth: 1 }, month: { dayOfMonth: 1 }
} satisfies Record<string, Partial<DayWords>>

const chinese: ReadonlyArray<[RegExp, string]> = [
  [/[每个]*(?:工作日|平日)/g, ' weekdays '], [/[每个]*周末/g, ' weekends '], [/每[天日]/g, ' daily '], [/(?:每个?月)/g, ' monthly '], [/明天/g, ' tomorrow '],
  [/今晚/g, ' tonight '], [/今天/g, ' today '],
  ...[...'日一二三四五六'].map((day, index): [RegExp, string] => [new RegExp(`每?个?(?:周|星期|礼拜)${day}`, 'g'), ` ${weekdays[index]} `]),
  [/每个?(?:周|星期|礼拜)/g, ' weekly '], [/每(?:隔)?(\d*)个?小时/g, ' every $1 hours '], [/每(?:隔)?(\d*)分钟/g, ' every $1 minutes '],
  [/早上|早晨|上午|清晨/g, ' morning '], [/中午|正午/g, ' noon '], [/下午/g, ' afternoon '], [/傍晚|晚上/g, ' evening '], [/半夜|午夜/g, ' midnight '],
  [/夜里|深夜/g, ' night '],
  [/(\d{1,2})[点时]半/g, ' $1:30 '], [/(\d{1,2})[点时](\d{2})分?/g, ' $1:$2 '], [/(\d{1,2})[点时]整?/g, ' $1:00 '], [/[、，和]/g, ', '], [/[的在：]/g, ' ']
]

/** What is written in Chinese in the words that the rest of the grammar knows. */
export function inEnglish (text: string): string {
  if (!/\p{Script=Han}/u.test(text)) return text
  return chinese.reduce((words, [from, to]) => words.replaceAll(from, to), text).replaceAll(/\s+/g, ' ').replaceAll(
    ' ,', ','
  ).trim().replace(/^every (hour|minute)s$/, 'every $1')
}

/** Null where a word is none of these, or nothing but `day` is said: that is an interval. */
export function readDayWords (words: string): DayWords | null {
  const names = words.replaceAll(/(\d)\s+([ap]m)\b/g, '$1$2').split(/[\s,]+/).filter((name) => name !== '' && !filler.test(name))
  const days = new Set<number>()
  const found: DayWords = { days: null, inDays: null, time: null, badTime: null, dayOfMonth: null }
  let part: string | null = null
  let clock: string | null = null
  let cadence: Partial<DayWords> = {}
  for (const name of names) {
    if (partHours[name.replace(/s$/, '')] !== undefined && part === null) part = name.replace(/s$/, '')
    else if (name === 'tonight' && part === null) [part, found.inDays] = ['night', 0]
    else if (name === 'today' || name === 'tomorrow') found.inDays = name === 'today' ? 0 : 1
    else if (isKeyOf(cadences, name)) cadence = cadences[name]
    else if (/^\d/.test(name) && clock === null && !/^\d{1,2}(?:st|nd|rd|th)$/.test(name)) clock = name
    else if (/^(?:[1-9]|[12]\d|3[01])(?:st|nd|rd|th)$/.test(name) && found.dayOfMonth === null) found.dayOfMonth = Number.parseInt(name)
    else if (!addDays(name, days)) return null
  }
  found.days = days.size > 0 ? fieldOf(days) : found.dayOfMonth === null ? cadence.days ?? null : null
  found.dayOfMonth ??= found.days === null ? cadence.dayOfMonth ?? null : null
  const isTimed = part !== null || clock !== null
  const isSaid = found.days !== null || found.dayOfMonth !== null || found.inDays !== null || part !== null
  if (!isSaid || (!isTimed && names.every((name) => /^days?$/.test(name))) || (found.inDays !== null && !isTimed)) return null
  found.time = timeOf(part, clock)
  if (found.time === null) found.badTime = clock
  return found
}

/** False for what are no days. */
function addDays (name: string, days: Set<number>): boolean {
  const weekday = weekdayName.exec(name)?.slice(1).find((part) => part !== undefined)
  if (everyDay.test(name)) for (let day = 0; day < 7; day++) days.add(day)
  else if (/^weekdays?$/.test(name)) for (let day = 1; day < 6; day++) days.add(day)
  else if (/^weekends?$/.test(name)) for (const day of [0, 6]) days.add(day)
  else if (weekday !== undefined) days.add(weekdays.indexOf(weekday))
  else return false
  return true
}

function fieldOf (days: ReadonlySet<number>): string {
  const field = [...days].sort().join(',')
  return field === '0,1,2,3,4,5,6' ? '*' : field === '1,2,3,4,5' ? '1-5' : field
}

/** `8` in the evening is 20:00; null: there is no such time. */
function timeOf (part: string | null, clock: string | null): { hour: number, minute: number } | null {
  if (clock === null) return { hour: part === null ? usualHour : partHours[part]!, minute: 0 }
  const [, hours, minutes = '0', half] = clockTime.exec(clock) ?? []
  const [hour, minute] = [Number(hours), Number(minutes)]
  if (Number.isNaN(hour) || minute > 59) return null
  if (half !== undefined) return hour < 1 || hour > 12 ? null : { hour: hour % 12 + (half === 'pm' ? 12 : 0), minute }
  if (hour > 23) return null
  const isLate = part !== null && partHours[part]! > lastMorningHour && hour < 12
  return { hour: isLate ? hour + 12 : hour, minute }
}
