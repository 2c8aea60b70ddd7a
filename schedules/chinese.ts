import { clock, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'
import { monthNames, nthNames, weekdayNames } from './english.js'
import { type Rewriting, rewriter } from './rewriting.js'

const dayNames = '日一二三四五六'
const digits = '〇一二三四五六七八九十'

/** Describes a schedule, such as `每个工作日9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInChinese (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${everyDays(said.days, isExact)}${clock(said.time)}`
    case 'monthDays':
      return `每月${said.days.map((day) => day === lastOfMonth ? '最后一天' : `${day}日`).join('、')}${clock(said.time)}`
    case 'nthWeekday':
      return `每月${said.nth === 5 ? '最后一个' : `第${digits[said.nth] ?? ''}个`}${weekday(said.day)}${clock(said.time)}`
    case 'everyDays':
      return said.weekday === null
        ? `每${said.count}天${clock(said.time)}`
        : `每${said.count / 7}周的${weekday(said.weekday)}${clock(said.time)}`
    case 'interval': return said.minutes === 60 ? '每小时' : `每${counted(said.minutes)}`
    case 'later': return `${counted(said.minutes)}后`
    case 'once': return `${oneDay(said.on)}${clock(said.time)}`
  }
}

const weekday = (day: number): string => `周${dayNames[day] ?? ''}`

function everyDays (days: readonly number[], isExact: boolean): string {
  if (isEveryDay(days)) return '每天'
  if (isWorkWeek(days)) return isExact ? '周一至周五' : '每个工作日'
  return isWeekend(days) ? '每个周末' : `每${days.map(weekday).join('、')}`
}

/** An interval of one day is 24小时, because 每天 would mean every day at some time. */
function counted (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  if (unit === 'day') return count === 1 ? '24小时' : `${count}天`
  return `${count}${unit === 'hour' ? '小时' : '分钟'}`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `下一个${weekday(on.nextWeekday)}`
  if ('inDays' in on) return ['今天', '明天', '后天'][on.inDays] ?? ''
  return `${on.year === null ? '' : `${on.year}年`}${on.month}月${on.day}日`
}

const week = '(?:周|星期|礼拜)'
const isNumeral = /[一二两三四五六七八九十]+(?=[点时个小分天周日号月]|星期|礼拜)/g
const dayOf = (name: string): string => ` ${weekdayNames[dayNames.indexOf(name.replace('天', '日'))] ?? ''} `
const nthOf = (name: string): string => nthNames[digits.indexOf(name) - 1] ?? nthNames[Number(name) - 1] ?? 'last'

const rewrite = rewriter((): readonly Rewriting[] => [
  [/：/g, ':'],
  [new RegExp(`${week}([日天一二三四五六])(?:[、，和]?(?:${week})?[日天一二三四五六](?!${week}|[点时小分天月号]))+`, 'g'),
    (all) => [...all.replaceAll(/周|星期|礼拜|[、，和]/g, '')].map((name) => `周${name}`).join('、')],
  [new RegExp(`每个?月的?(?:第([1-4一二三四])个?|最后一?个?)${week}([日天一二三四五六])`, 'g'), (_, nth, day = '') =>
    ` ${nthOf(nth ?? '')} ${dayOf(day)} of the month `],
  [/(?:每个?)?月的?(?:最后一天|底|末)|最后一天/g, ' last day of the month '],
  [new RegExp(`(?:每?隔一?|每[两2]个?)${week}(?![日天一二三四五六])`, 'g'), ' every 2 weeks '], [/每?隔一?天/g, ' every 2 days '],
  [/每?个?(?:工作日|平日)/g, ' weekdays '], [/[每个]*周末/g, ' weekends '],
  [new RegExp(`下一?个${week}([日天一二三四五六])`, 'g'), (_, day = '') => ` next ${dayOf(day)}`],
  [new RegExp(`每?个?${week}([日天一二三四五六])`, 'g'), (_, day = '') => dayOf(day)],
  [/每[天日]/g, ' daily '],
  [isNumeral, (numeral) => ` ${numberOf(numeral)}`], [/每 /g, '每'],
  [/半个?小时/g, '30分钟'],
  [/(\d+)\s*个?小时[以之]?后/g, ' in $1 hours '], [/(\d+)\s*分钟[以之]?后/g, ' in $1 minutes '], [/(\d+)\s*天[以之]?后/g, ' in $1 days '],
  [/每隔?(\d*)\s*个?小时/g, ' every $1 hours '], [/每隔?(\d*)\s*分钟/g, ' every $1 minutes '], [/每隔?(\d+)\s*天/g, ' every $1 days '],
  [new RegExp(`每(\\d+)\\s*个?${week}`, 'g'), ' every $1 weeks '], [new RegExp(`每个?${week}`, 'g'), ' weekly '],
  [/(?:(\d{4})\s*年)?\s*(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]/g, (_, year, month, day) =>
    ` ${day ?? ''} ${monthNames[Number(month) - 1] ?? ''} ${year ?? ''} `],
  [/每个?月/g, ' monthly '], [/(\d{1,2})\s*[日号]/g, ' $1th '],
  [/后天/g, ' overmorrow '], [/明天/g, ' tomorrow '], [/明早/g, ' tomorrow morning '], [/今晚/g, ' tonight '], [/今天/g, ' today '],
  [/早上|早晨|上午|清晨/g, ' morning '], [/中午|正午/g, ' noon '], [/下午/g, ' afternoon '], [/傍晚|晚上/g, ' evening '],
  [/半夜|午夜/g, ' midnight '], [/夜里|深夜/g, ' night '],
  [/(\d{1,2})\s*[点时]半/g, ' $1:30 '], [/(\d{1,2})\s*[点时]\s*(\d{2})分?/g, ' $1:$2 '], [/(\d{1,2})\s*[点时]整?/g, ' $1:00 '],
  [/[至到]/g, ' to '], [/[、，和]/g, ', '], [/[的在]/g, ' ']
])

/** Translates Chinese into the English words of the grammar. Returns any other text unchanged. */
export const fromChinese = (text: string): string => /\p{Script=Han}/u.test(text) ? rewrite(text) : text

/** Converts a Chinese numeral up to 99. */
export function numberOf (numeral: string): number {
  const of = (digit: string | undefined): number => digit === undefined || digit === '' ? 0 : digit === '两' ? 2 : digits.indexOf(digit)
  if (!numeral.includes('十')) return of(numeral[0])
  const [tens = '', ones = ''] = numeral.split('十')
  return (tens === '' ? 1 : of(tens)) * 10 + of(ones)
}
