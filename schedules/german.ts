import { monthNames, nthNames, weekdayNames } from './english.js'
import { type Rewriting, rewriter, word } from './rewriting.js'
import { clock, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'

const dayNames = ['Sonntag', 'Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag']
const months = [
  'Januar', 'Februar', 'März', 'April', 'Mai', 'Juni', 'Juli', 'August', 'September', 'Oktober', 'November', 'Dezember'
]
const ordinals = ['ersten', 'zweiten', 'dritten', 'vierten', 'letzten']

/** Describes a schedule, such as `jeden Montag um 9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInGerman (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${everyDays(said.days, isExact)} um ${clock(said.time)}`
    case 'monthDays': return `am ${listed(said.days.map((day) => day === lastOfMonth ? 'letzten Tag' : `${day}.`))} jedes Monats um ${clock(said.time)}`
    case 'nthWeekday': return `am ${ordinals[said.nth - 1] ?? ''} ${weekday(said.day)} jedes Monats um ${clock(said.time)}`
    case 'everyDays': return `${period(said.count, said.weekday)} um ${clock(said.time)}`
    case 'interval': return said.minutes === 60 ? 'jede Stunde' : `alle ${counted(said.minutes)}`
    case 'later': return `in ${counted(said.minutes, 'Tagen')}`
    case 'once': return `${oneDay(said.on)} um ${clock(said.time)}`
  }
}

const weekday = (day: number): string => dayNames[day] ?? ''

function everyDays (days: readonly number[], isExact: boolean): string {
  if (isEveryDay(days)) return 'jeden Tag'
  if (isWorkWeek(days)) return isExact ? 'Montag bis Freitag' : 'jeden Werktag'
  if (isWeekend(days)) return isExact ? 'Samstag und Sonntag' : 'jedes Wochenende'
  return `jeden ${listed(days.map(weekday))}`
}

function period (count: number, day: number | null): string {
  if (day === null) return count === 2 ? 'jeden zweiten Tag' : `alle ${count} Tage`
  return count === 14 ? `jeden zweiten ${weekday(day)}` : `alle ${count / 7} Wochen am ${weekday(day)}`
}

/** An interval of one day is 24 hours, because `jeden Tag` would mean every day at some time. */
function counted (minutes: number, days = 'Tage'): string {
  const { count, unit } = largestUnit(minutes)
  if (unit === 'day') return count === 1 ? '24 Stunden' : `${count} ${days}`
  return `${count} ${unit === 'hour' ? 'Stunde' : 'Minute'}${count === 1 ? '' : 'n'}`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `nächsten ${weekday(on.nextWeekday)}`
  if ('inDays' in on) return ['heute', 'morgen', 'übermorgen'][on.inDays] ?? ''
  return `am ${on.day}. ${months[on.month - 1] ?? ''}${on.year === null ? '' : ` ${on.year}`}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} und ${names.at(-1) ?? ''}`

const day = '(sonntag|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend)s?'
const dayOf = (name = ''): string => ` ${weekdayNames[dayNames.indexOf(name === 'sonnabend' ? 'Samstag' : `${name.charAt(0).toUpperCase()}${name.slice(1)}`)] ?? ''} `
const nth = 'ersten|zweiten|dritten|vierten|letzten'
const nthOf = (name = ''): string => nthNames[ordinals.indexOf(name)] ?? ''
const ofMonth = '(?:im|des|jedes|jeden|eines jeden|in jedem) monate?s?'
const numbers = ['ein(?:e[nmrs]?)?', 'zwei', 'drei', 'vier', 'fünf', 'sechs', 'sieben', 'acht', 'neun', 'zehn', 'elf', 'zwölf']
const month = months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|').toLowerCase().replace('mär(?:z)?', 'märz?|maerz')
const monthOf = (name = ''): string => monthNames[months.findIndex((of) => of.slice(0, 3).toLowerCase() === name.replace('ae', 'ä').slice(0, 3))] ?? ''

/** Translates German into the English words of the grammar. */
export const fromGerman = rewriter((): readonly Rewriting[] => [
  [word(`halb (\\d{1,2}|${numbers.join('|')})`), (_, hour = '') => ` ${((Number(hour) || numberOf(hour)) + 23) % 24}:30 `],
  ...numbers.map((name, at): Rewriting => [word(name), String(at + 1)]),
  [word('(?:1 )?halbe[nr]? stunden?'), '30 minuten'], [word('(?:1 )?viertelstunden?'), '15 minuten'],
  [/(\d{1,2})[:.](\d{2}) ?uhr(?!\p{L})/gu, '$1:$2'], [/(\d{1,2}) ?uhr (\d{2})(?!\d)/g, '$1:$2'], [/(\d{1,2}) ?uhr(?!\p{L})/gu, '$1:00'],
  [word(`(${nth}) ${day} ${ofMonth}`), (_, name, of) => ` ${nthOf(name)} ${dayOf(of)} of the month `],
  [word(`letzten? tag(?:es)?(?: ${ofMonth})?|monatsende|ende (?:des|jedes) monats`), ' last day of the month '],
  [word(`jede[nrs]? (?:2\\.|zweiten?) (woche|tag|${day})`), ' every 2 $1 '], [word('(?:2|zwei)wöchentlich|14-?tägig|vierzehntägig'), ' every 2 weeks '],
  [word(`(?:nächste[nr]?|kommende[nr]?|diese[nr]?) ${day}`), (_, name) => ` next ${dayOf(name)}`],
  [/(\d{1,2})\. ?(?=\p{L})/gu, '$1th '], [word(`(\\d{1,2}th) (${month})\\.?(?: (\\d{4}))?`), (_, date, name, year = '') => ` ${date ?? ''} ${monthOf(name)} ${year} `],
  [/(\d{1,2})\.(?!\d)/g, '$1th '],
  [word(`${ofMonth}|(?:pro|je) monat|monatlich`), ' monthly '], [word('jede woche|wöchentlich'), ' weekly '],
  [word('jeden tag|täglich'), ' daily '], [word('jede stunde|stündlich'), ' every hour '],
  [word('(?:jeden |an )?(?:werktag|arbeitstag|wochentag)(?:s|e|en)?|unter der woche'), ' weekdays '], [word('(?:jedes |am )?wochenenden?s?'), ' weekends '],
  [word('heute nacht'), ' tonight '], [word('(heute|morgen|übermorgen) (?:früh|morgen|vormittag)'), '$1 morning'],
  [word(`(?<=${day} |jeden |am )morgen|morgens|vormittags?|in der früh`), ' morning '], [word('mittags?'), ' noon '],
  [word('nachmittags?'), ' afternoon '], [word('abends?'), ' evening '], [word('nachts?'), ' night '], [word('mitternacht'), ' midnight '],
  [word('heute'), ' today '], [word('übermorgen'), ' overmorrow '], [word('morgen'), ' tomorrow '],
  [word(day), (_, name) => dayOf(name)],
  [word('mo'), ' monday '], [word('di'), ' tuesday '], [word('mi'), ' wednesday '], [word('do'), ' thursday '], [word('fr'), ' friday '],
  [word('sa'), ' saturday '], [word('so'), ' sunday '],
  [word('alle'), ' every '], [word('minuten?'), ' minutes '], [word('stunden?|std\\.?'), ' hours '], [word('tage?n?'), ' days '], [word('wochen?'), ' weeks '],
  [word('bis'), ' to '], [word('und'), ' and '], [word('um|am|jede[nrs]?|de[nrsm]|ab|gegen|immer'), ' ']
])

const numberOf = (name: string): number => numbers.findIndex((form) => word(form).test(name)) + 1
