import { numberOf } from './chinese.js'
import { monthNames, nthNames, weekdayNames } from './english.js'
import { type Rewriting, rewriter } from './rewriting.js'
import { clock, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'

const dayNames = '日月火水木金土'

/** Describes a schedule, such as `毎週月曜日 9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInJapanese (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${everyDays(said.days, isExact)} ${clock(said.time)}`
    case 'monthDays': return `毎月${said.days.map((day) => day === lastOfMonth ? '末日' : `${day}日`).join('、')} ${clock(said.time)}`
    case 'nthWeekday': return `毎月${said.nth === 5 ? '最終' : `第${said.nth}`}${weekday(said.day)} ${clock(said.time)}`
    case 'everyDays': return `${period(said.count, said.weekday)} ${clock(said.time)}`
    case 'interval': return `${counted(said.minutes)}ごと`
    case 'later': return `${counted(said.minutes)}後`
    case 'once': return `${oneDay(said.on)} ${clock(said.time)}`
  }
}

const letter = (day: number): string => dayNames[day] ?? ''
const weekday = (day: number): string => `${letter(day)}曜日`

function everyDays (days: readonly number[], isExact: boolean): string {
  if (isEveryDay(days)) return '毎日'
  if (isWorkWeek(days)) return isExact ? '毎週月～金曜日' : '平日'
  if (isWeekend(days)) return isExact ? '毎週土・日曜日' : '毎週末'
  return `毎週${days.map(letter).join('・')}曜日`
}

function period (count: number, day: number | null): string {
  if (day === null) return `${count}日ごと`
  return count === 14 ? `隔週${weekday(day)}` : `${count / 7}週間ごとの${weekday(day)}`
}

/** An interval of one day is 24時間, because 毎日 would mean every day at some time. */
function counted (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  if (unit === 'day') return count === 1 ? '24時間' : `${count}日`
  return `${count}${unit === 'hour' ? '時間' : '分'}`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `次の${weekday(on.nextWeekday)}`
  if ('inDays' in on) return ['今日', '明日', '明後日'][on.inDays] ?? ''
  return `${on.year === null ? '' : `${on.year}年`}${on.month}月${on.day}日`
}

const day = `[${dayNames}]`
/** What follows the character of a day: 日 after 曜 is part of the weekday and does not mean Sunday. */
const ofWeek = '曜(?:日|(?!日))'
const dayOf = (name = ''): string => ` ${weekdayNames[dayNames.indexOf(name)] ?? ''} `
const nthOf = (name = ''): string => nthNames[(Number(name) || numberOf(name)) - 1] ?? ''
const minuteOf = (minute = ''): string => minute.padStart(2, '0')

/** Matches several days, such as 月・水・金曜日 and 月曜から金曜まで, but not the 日 and 月 of dates, 毎日, 平日 and the like. */
const someDays = new RegExp(`(?<![\\d毎平休祝今明後末])${day}(?:${ofWeek})?(?:(?:[、・,と]|から|-)?\\s*${day}(?:${ofWeek})?)+(?:まで)?`, 'g')
const daysOf = (all: string): string => all.replaceAll(/曜日?|まで/g, '').replaceAll(/から|-/g, ' to ').replaceAll(/[、・と]/g, ', ')
  .replaceAll(new RegExp(day, 'g'), (name) => `${dayOf(name)},`).replaceAll(/,\s+to /g, ' to ').replaceAll(/,\s*,/g, ',')

const rewrite = rewriter((): readonly Rewriting[] => [
  [/[０-９]/g, (digit) => String(digit.charCodeAt(0) - '０'.charCodeAt(0))], [/：/g, ':'], [/[〜～]/g, 'から'], [/，/g, ','],
  [/(?<=時半?|分|:\d{2})から(?!\s*[\d一二三四五六七八九十])/g, ' '],
  [/(?<=(?:曜日?|平日|週末|土日)[はの]?\s*)毎(?=[朝昼夕晩夜日])/g, ''], [/毎(?=[朝昼夕晩夜].*(?:平日|曜|週末|土日))/g, ''],
  [/(平日|週末|土日)[はの]?日(?![曜・、])/g, '$1'],
  [new RegExp(`(?:毎月の?)?\\s*第\\s*([1-4一二三四])\\s*の?(${day})${ofWeek}`, 'g'), (_, nth, name) =>
    ` ${nthOf(nth)} ${dayOf(name)} of the month `],
  [new RegExp(`(?:毎月の?)?\\s*最[終後]の?(${day})${ofWeek}`, 'g'), (_, name) => ` last ${dayOf(name)} of the month `],
  [/(?:毎月の?)?(?:末日|最終日|最後の日|月末)|毎月末/g, ' last day of the month '],
  [/[一二三四五六七八九十]+(?=\s*(?:時|分|日|週|回|月(?!曜)))/g, (numeral) => String(numberOf(numeral))],
  [/隔週の?|1週間?おきの?に?|2週間?に1[回度]の?/g, ' every 2 weeks '], [/隔日|1日おきに?|2日に1[回度]/g, ' every 2 days '],
  [/(\d+)時間半/g, (_, hours = '') => `${Number(hours) * 60 + 30}分`], [/半時間/g, '30分'], [/半日/g, '12時間'],
  [/(\d+)時間(\d+)分(?=後|ごと|毎|おき)/g, (_, hours, minutes) => `${Number(hours) * 60 + Number(minutes)}分`],
  [/(\d+)\s*分(?:ごと|毎|おき|間隔|に1[回度])/g, ' every $1 minutes '], [/(\d+)\s*時間(?:ごと|毎|おき|間隔|に1[回度])/g, ' every $1 hours '],
  [/1日に?1[回度]/g, ' daily '], [/(\d+)\s*日(?:ごと|毎|に1[回度])/g, ' every $1 days '],
  [/(\d+)\s*週間?(?:ごと|毎|に1[回度])/g, ' every $1 weeks '], [/毎時間?/g, ' every hour '], [/毎分/g, ' every minute '],
  [/(\d+)\s*分後/g, ' in $1 minutes '], [/(\d+)\s*時間後/g, ' in $1 hours '], [/(\d+)\s*日後/g, ' in $1 days '],
  [/(\d+)\s*週間?後/g, (_, weeks) => ` in ${Number(weeks) * 7} days `],
  [/(?:(\d{4})\s*年)?\s*(\d{1,2})\s*月\s*(\d{1,2})\s*日/g, (_, year = '', month = '', date = '') =>
    ` ${date} ${monthNames[Number(month) - 1] ?? ''} ${year} `],
  [new RegExp(`(?:次の?|今度の)(${day})${ofWeek}`, 'g'), (_, name) => ` next ${dayOf(name)}`],
  [someDays, daysOf], [new RegExp(`(${day})${ofWeek}`, 'g'), (_, name) => dayOf(name)],
  [/毎週末|週末/g, ' weekends '], [/平日|営業日/g, ' weekdays '], [/毎週/g, ' weekly '], [/毎月/g, ' monthly '], [/毎日/g, ' daily '],
  [/毎(?=[朝昼夕晩夜])/g, ' daily '],
  [/明後日|あさって/g, ' overmorrow '], [/明朝/g, ' tomorrow morning '], [/明晩/g, ' tomorrow evening '], [/明日|あした|あす/g, ' tomorrow '],
  [/今夜/g, ' tonight '], [/今晩/g, ' today evening '], [/今日|本日|きょう/g, ' today '],
  [/(\d{1,2})\s*日/g, ' $1th '],
  [/午前12時/g, '0時'], [/早朝|朝|午前中?/g, ' morning '], [/正午|お?昼/g, ' noon '], [/午後/g, ' afternoon '], [/夕方?/g, ' evening '],
  [/真夜中/g, ' midnight '], [/深夜|夜中|夜|晩(?=の?[0-4]時)/g, ' night '], [/晩/g, ' evening '],
  [/(\d{1,2})\s*時半/g, ' $1:30 '], [/(\d{1,2})\s*時\s*(\d{1,2})\s*分/g, (_, hour = '', minute = '') => ` ${hour}:${minuteOf(minute)} `],
  [/(\d{1,2})\s*時(?!間)/g, ' $1:00 '],
  [/ちょうど|ごろ|頃/g, ' '], [/[、・,]|と/g, ', '], [/[のにはで]/g, ' ']
])

/** Matches characters and words that simplified Chinese does not have, or uses with the same meaning. */
const isJapanese = /[\p{Script=Hiragana}\p{Script=Katakana}毎曜時後週回]|明[日朝晩]|[今本]日|今[夜晩]|午前|夕方|[月火水木金土][・、]?[火水木金土日]/u

/** Translates Japanese into the English words of the grammar. Returns any other text unchanged. */
export const fromJapanese = (text: string): string => isJapanese.test(text) ? rewrite(text) : text
