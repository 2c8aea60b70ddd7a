import { monthNames, nthNames, weekdayNames } from './english.js'
import { type Rewriting, rewriter, word } from './rewriting.js'
import { clock, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'

const dayNames = ['dimanche', 'lundi', 'mardi', 'mercredi', 'jeudi', 'vendredi', 'samedi']
const months = [
  'janvier', 'février', 'mars', 'avril', 'mai', 'juin', 'juillet', 'août', 'septembre', 'octobre', 'novembre', 'décembre'
]
const ordinals = ['premier', 'deuxième', 'troisième', 'quatrième', 'dernier']

/** Describes a schedule, such as `tous les lundis à 9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInFrench (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${everyDays(said.days, isExact)} à ${clock(said.time)}`
    case 'monthDays': return `${listed(said.days.map(dayOfMonth))} de chaque mois à ${clock(said.time)}`
    case 'nthWeekday': return `le ${ordinals[said.nth - 1] ?? ''} ${weekday(said.day)} de chaque mois à ${clock(said.time)}`
    case 'everyDays': return `${period(said.count, said.weekday)} à ${clock(said.time)}`
    case 'interval': return interval(said.minutes)
    case 'later': return `dans ${counted(said.minutes)}`
    case 'once': return `${oneDay(said.on)} à ${clock(said.time)}`
  }
}

const weekday = (day: number): string => dayNames[day] ?? ''
const date = (day: number): string => day === 1 ? '1er' : String(day)
const dayOfMonth = (day: number): string => `le ${day === lastOfMonth ? 'dernier jour' : date(day)}`

function everyDays (days: readonly number[], isExact: boolean): string {
  if (isEveryDay(days)) return 'tous les jours'
  if (isWorkWeek(days)) return isExact ? 'du lundi au vendredi' : 'en semaine'
  if (isWeekend(days)) return isExact ? 'le samedi et le dimanche' : 'le week-end'
  return `tous les ${listed(days.map((day) => `${weekday(day)}s`))}`
}

function period (count: number, day: number | null): string {
  if (day === null) return count === 2 ? 'un jour sur deux' : `tous les ${count} jours`
  return count === 14 ? `un ${weekday(day)} sur deux` : `toutes les ${count / 7} semaines le ${weekday(day)}`
}

function interval (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  if (unit === 'day' && count > 1) return `tous les ${count} jours`
  return count === 1 && unit !== 'day' ? `toutes les ${unit === 'hour' ? 'heures' : 'minutes'}` : `toutes les ${counted(minutes)}`
}

/** An interval of one day is 24 hours, because `tous les jours` would mean every day at some time. */
function counted (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  if (unit === 'day') return count === 1 ? '24 heures' : `${count} jours`
  return `${count} ${unit === 'hour' ? 'heure' : 'minute'}${count === 1 ? '' : 's'}`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `${weekday(on.nextWeekday)} prochain`
  if ('inDays' in on) return ['aujourd’hui', 'demain', 'après-demain'][on.inDays] ?? ''
  return `le ${date(on.day)} ${months[on.month - 1] ?? ''}${on.year === null ? '' : ` ${on.year}`}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} et ${names.at(-1) ?? ''}`

const day = `(${dayNames.map((name) => `${name}s?|${name.slice(0, 3)}`).join('|')})`
const dayOf = (name = ''): string => ` ${weekdayNames[dayNames.findIndex((of) => of.slice(0, 3) === name.slice(0, 3))] ?? ''} `
const nth = '1er|premier|2(?:nd|e|ème)|deuxi[èe]me|second|3(?:e|ème)|troisi[èe]me|4(?:e|ème)|quatri[èe]me|dernier'
const nthForms = [/^1|^p/, /^2|^deu|^s/, /^3|^t/, /^4|^q/, /^der/]
const nthOf = (name = ''): string => nthNames[nthForms.findIndex((form) => form.test(name))] ?? ''
const ofMonth = '(?:du|de chaque|de tous les|chaque|par) mois'
const monthForms = [
  'janv(?:ier)?', 'f[ée]v(?:r|rier)?', 'mars', 'avr(?:il)?', 'mai', 'juin', 'juil(?:let)?', 'ao[ûu]t', 'sept(?:embre)?', 'oct(?:obre)?', 'nov(?:embre)?',
  'd[ée]c(?:embre)?'
]
const month = monthForms.join('|')
const monthOf = (name = ''): string => monthNames[monthForms.findIndex((form) => new RegExp(`^(?:${form})$`).test(name))] ?? ''
const numbers = ['une?', 'deux', 'trois', 'quatre', 'cinq', 'six', 'sept', 'huit', 'neuf', 'dix', 'onze', 'douze']
const hours = '(\\d{1,2}) ?h(?:eures?)?'
const datesOfMonth = /(?<!\p{L})les? (\d{1,2}(?:er)?(?:(?:, ?| et )(?:les? )?\d{1,2}(?:er)?)*)(?![\p{L}\d:]| ?h(?!\p{L})| heures?)/gu

/** Translates French into the English words of the grammar. */
export const fromFrench = rewriter((): readonly Rewriting[] => [
  [/’/g, '\''],
  [new RegExp(`(?<!\\p{L})premier (?=(?:${month})(?!\\p{L}))`, 'gu'), '1er '],
  [word(`(\\d{1,2})(?:er)? (${month})\\.?(?: (\\d{4}))?`), (_, of, name, year = '') => ` ${of ?? ''}th ${monthOf(name)} ${year} `],
  [word('tous les quinze jours'), ' every 2 weeks '],
  ...numbers.map((name, at): Rewriting => [word(name), String(at + 1)]), [word('quinze'), '15'], [word('vingt'), '20'], [word('trente'), '30'],
  [word('3 quarts d\'heure'), '45 minutes'], [word('(?:1 )?demi[- ]?e?-?heures?'), '30 minutes'], [word('(?:1 )?quarts? d\'heure'), '15 minutes'],
  [word(`(?:toutes|tous) les ${hours}`), ' every $1 hours '], [word(`dans ${hours}`), ' in $1 hours '],
  [/(?<!\p{L})tou(?:te)?s les (?=\d+ ?(?:min|jour|semaine))/gu, ' every '],
  [word('midi et demie?'), '12:30'], [word(`${hours} et demie?`), '$1:30'], [word(`${hours} et quart`), '$1:15'],
  [word(`${hours} moins le quart`), (_, hour = '') => `${(Number(hour) + 23) % 24}:45`],
  [new RegExp(`(?<!\\d)${hours} ?(\\d{2})(?!\\d)`, 'gu'), '$1:$2'], [word(hours), '$1:00'],
  [word(`(${nth}) ${day} ${ofMonth}`), (_, name, of) => ` ${nthOf(name)} ${dayOf(of)} of the month `],
  [word(`dernier jour(?: ${ofMonth})?|fin (?:de |du |de chaque )mois`), ' last day of the month '],
  [word(`1 ${day} sur (\\d{1,3})`), (_, of, count = '') => ` every ${count} weeks ${dayOf(of)} `],
  [word('1 jour sur (\\d{1,3})'), ' every $1 days '], [word('1 semaine sur (\\d{1,3})'), ' every $1 weeks '],
  [datesOfMonth, (_, list = '') => ` ${list.replaceAll(/les? /g, '').replaceAll(/(\d{1,2})(?:er)?/g, '$1th')} `], [word('1er'), ' 1th '],
  [word(`${day} prochain|(?:ce|cette|prochain) ${day}`), (_, before, after) => ` next ${dayOf(before ?? after)}`],
  [word(`${day}\\.? (?:au|à|jusqu'au) ${day}`), (_, first, last) => `${dayOf(first)}to${dayOf(last)}`],
  [word(`tous les mois|mensuel(?:le|lement)?|${ofMonth}`), ' monthly '],
  [word('(?:toutes les|chaque|par) semaines?|hebdomadaire(?:ment)?'), ' weekly '],
  [word('(?:tous les |chaque |les )?jours? (?:ouvr(?:é|e|able)s?|de (?:la )?semaine)|(?:en|la) semaine'), ' weekdays '],
  [word('(?:tous les |chaque |le |les |en )?week-?ends?'), ' weekends '],
  [word('tous les jours|(?:chaque|par) jour|quotidien(?:ne|nement)?'), ' daily '], [word('1 fois'), ' '],
  [word('cette nuit'), ' tonight '], [word('ce (matin|midi|soir)|cet (apr[èe]s-midi)'), (_, part, other) => ` today ${part ?? other ?? ''} `],
  [word('apr[èe]s-demain'), ' overmorrow '], [word('demain'), ' tomorrow '], [word('aujourd\'hui'), ' today '],
  [word('matin(?:s|ée|ées)?'), ' morning '], [word('apr[èe]s[- ]midis?'), ' afternoon '], [word('midi'), ' noon '],
  [word('soir(?:s|ée|ées)?'), ' evening '], [word('minuit'), ' midnight '], [word('nuits?'), ' night '],
  [word(day), (_, name) => dayOf(name)],
  [word('tou(?:te)?s les|chaque'), ' every '], [word('dans'), ' in '], [word('heures?'), ' hours '], [word('jours?'), ' days '], [word('semaines?'), ' weeks '],
  [word('et'), ' and '], [/(?<!\p{L})[ld]'/gu, ' '], [word('tou(?:te)?s|les?|la|à|aux?|des?|du|en|vers|dès'), ' ']
])
