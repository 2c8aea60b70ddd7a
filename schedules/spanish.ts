import { monthNames, nthNames, weekdayNames } from './english.js'
import { type Rewriting, rewriter, word } from './rewriting.js'
import { clock, type ClockTime, isEveryDay, isWeekend, isWorkWeek, largestUnit, lastOfMonth, type OneDay, type Said } from './said.js'

const dayNames = ['domingo', 'lunes', 'martes', 'miércoles', 'jueves', 'viernes', 'sábado']
const months = [
  'enero', 'febrero', 'marzo', 'abril', 'mayo', 'junio', 'julio', 'agosto', 'septiembre', 'octubre', 'noviembre', 'diciembre'
]
const ordinals = ['primer', 'segundo', 'tercer', 'cuarto', 'último']

/** Describes a schedule, such as `los lunes a las 9:00`, in words that parse to the same one. `isExact` names the weekdays. */
export function sayInSpanish (said: Said, { isExact = false }: { isExact?: boolean } = {}): string {
  switch (said.kind) {
    case 'weekdays': return `${everyDays(said.days, isExact)} ${at(said.time)}`
    case 'monthDays': return `${monthDays(said.days)} de cada mes ${at(said.time)}`
    case 'nthWeekday': return `el ${ordinals[said.nth - 1] ?? ''} ${weekday(said.day)} de cada mes ${at(said.time)}`
    case 'everyDays': return `${period(said.count, said.weekday)} ${at(said.time)}`
    case 'interval': return intervalWords(said.minutes)
    case 'later': return `dentro de ${counted(said.minutes)}`
    case 'once': return `${oneDay(said.on)} ${at(said.time)}`
  }
}

const at = (time: ClockTime): string => `${time.hour === 1 ? 'a la' : 'a las'} ${clock(time)}`
const weekday = (day: number): string => dayNames[day] ?? ''
/** Returns the plural of a weekday; those that end in s do not change. */
const weekdays = (day: number): string => weekday(day).replace(/o$/, 'os')

function everyDays (days: readonly number[], isExact: boolean): string {
  if (isEveryDay(days)) return 'cada día'
  if (isWorkWeek(days)) return isExact ? 'de lunes a viernes' : 'cada día laborable'
  if (isWeekend(days)) return isExact ? 'los sábados y domingos' : 'cada fin de semana'
  return `los ${listed(days.map(weekdays))}`
}

function monthDays (days: readonly number[]): string {
  if (days.length > 1) return `los días ${listed(days.map((day) => day === lastOfMonth ? 'último' : String(day)))}`
  return days[0] === lastOfMonth ? 'el último día' : `el día ${days[0] ?? ''}`
}

function period (count: number, day: number | null): string {
  if (day === null) return `cada ${count === 2 ? 'dos' : count} días`
  return `cada ${count === 14 ? 'dos' : count / 7} semanas el ${weekday(day)}`
}

/** An interval of one day is 24 hours, because `cada día` would mean every day at some time. */
function intervalWords (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  if (count > 1) return `cada ${counted(minutes)}`
  return unit === 'day' ? 'cada 24 horas' : unit === 'hour' ? 'cada hora' : 'cada minuto'
}

function counted (minutes: number): string {
  const { count, unit } = largestUnit(minutes)
  return `${count} ${{ day: 'día', hour: 'hora', minute: 'minuto' }[unit]}${count === 1 ? '' : 's'}`
}

function oneDay (on: OneDay): string {
  if ('nextWeekday' in on) return `el próximo ${weekday(on.nextWeekday)}`
  if ('inDays' in on) return ['hoy', 'mañana', 'pasado mañana'][on.inDays] ?? ''
  return `el ${on.day} de ${months[on.month - 1] ?? ''}${on.year === null ? '' : ` de ${on.year}`}`
}

const listed = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} y ${names.at(-1) ?? ''}`

/** Returns the first letters of a name without accents, because people leave them out. */
const startOf = (name: string): string => name.replace('é', 'e').replace('á', 'a').slice(0, 3)
const day = '(domingos?|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bados?)'
const dayOf = (name = ''): string => ` ${weekdayNames[dayNames.findIndex((of) => startOf(of) === startOf(name))] ?? ''} `
const english = `(?:${weekdayNames.join('|')})`
const nth = '(primer|segundo|tercer|cuarto|[uú]ltimo)'
const nthOf = (name = ''): string => nthNames[ordinals.indexOf(name.replace('ul', 'úl'))] ?? ''
const ofMonth = '(?:de cada|del|de|al|cada|todos los) mes(?:es)?'
const month = `(${months.map((name) => `${name.slice(0, 3)}(?:${name.slice(3)})?`).join('|')}|setiembre)`
const monthOf = (name = ''): string => monthNames[months.findIndex((of) => of.slice(0, 3) === name.replace('set', 'sep').slice(0, 3))] ?? ''
const hours = '(?: ?(?:h|hs|hrs|horas)\\.?)?'
const dayNumbers = '\\d{1,2}(?:(?:, ?| y )(?:el )?\\d{1,2})*'
const numbers: ReadonlyArray<readonly [form: string, number: string]> = [
  ['un[oa]?', '1'], ['dos', '2'], ['tres', '3'], ['cuatro', '4'], ['cinco', '5'], ['seis', '6'], ['siete', '7'], ['ocho', '8'],
  ['nueve', '9'], ['diez', '10'], ['once', '11'], ['doce', '12'], ['quince', '15'], ['veinte', '20'], ['treinta', '30']
]

/** Translates Spanish into the English words of the grammar. */
export const fromSpanish = rewriter((): readonly Rewriting[] => [
  ...numbers.map(([form, number]): Rewriting => [word(form), number]),
  [word('(?:1 )?hora y media'), '90 minutos'], [word('media hora'), '30 minutos'], [word('(?:1 )?cuarto de hora'), '15 minutos'],
  [/(\d) ?([ap])\. ?m\.?(?!\p{L})/gu, '$1$2m'], [/(\d)\.?º/g, '$1'],
  [word(`(?:a las? )?(\\d{1,2})[:.h](\\d{2})${hours}`), ' $1:$2 '],
  [word('(?:a las? )?(\\d{1,2}) y media'), ' $1:30 '], [word('(?:a las? )?(\\d{1,2}) y cuarto'), ' $1:15 '],
  [word('(?:a las? )?(\\d{1,2}) menos cuarto'), (_, hour) => ` ${(Number(hour) + 23) % 24}:45 `],
  [word('a las? (\\d{1,2}) y (\\d{2})'), ' $1:$2 '], [word(`a las? (\\d{1,2})${hours}`), ' $1:00 '], [/a las? (?=\d)/g, ' '],
  [word(`${nth} ${day} ${ofMonth}`), (_, name, of) => ` ${nthOf(name)} ${dayOf(of)} of the month `],
  [word(`[uú]ltimo d[ií]a(?: ${ofMonth})?|[uú]ltimo ${ofMonth}`), ' last day of the month '],
  [word('(?:a )?(?:fin|final|finales) de(?:l| cada)? mes'), ' last day of the month '],
  [word(`(?:1|cada) (${day}|d[ií]a) s[ií],? (?:y )?(?:otro )?no`), ' every 2 $1 '],
  [word(`cada (?:otro|segundo) (${day}|d[ií]a)`), ' every 2 $1 '], [word('quincenal(?:mente)?'), ' every 2 weeks '],
  [word(`(?:pr[oó]ximo|este) ${day}`), (_, name) => ` next ${dayOf(name)}`],
  [word(`${day} (?:pr[oó]ximo|que viene)`), (_, name) => ` next ${dayOf(name)}`],
  [word(`(\\d{1,2}) de ${month}\\.?(?: del? (\\d{4}))?`), (_, date, name, year = '') => ` ${date ?? ''}th ${monthOf(name)} ${year} `],
  [/(?<!\p{L})d[ií]as? (\d{1,2}(?:(?:, ?| y )(?:el )?\d{1,2})*)(?![\p{L}\d:])/gu, (_, days = '') => ` ${days.replaceAll(/\d+/g, '$&th')} `],
  [word(`${dayNumbers}(?= ${ofMonth})`), (days) => days.replaceAll(/\d+/g, '$&th')], [word(`primero(?= ${ofMonth})`), ' 1th '],
  [word(`${ofMonth}|mensual(?:mente)?`), ' monthly '], [word('(?:cada|todas las) semanas?|semanal(?:mente)?'), ' weekly '],
  [word('(?:(?:cada|todos los|los|en) )?d[ií]as? (?:laborables?|h[aá]bil(?:es)?|de (?:semana|trabajo))|entre semana'), ' weekdays '],
  [word('(?:(?:cada|todos los|los|el|en) )?(?:fin|fines) de semana'), ' weekends '],
  [word('cada d[ií]a|todos los d[ií]as|(?:a )?diario|diariamente'), ' daily '], [word('cada hora|todas las horas'), ' every hour '],
  [word('esta noche'), ' tonight '], [word('esta (mañana|tarde)'), 'hoy por la $1'],
  [word('(?:(?:(?:por|de|en) las?|cada|todas las|las) )mañanas?'), ' morning '], [word('(?<=\\d +)de la madrugada'), ' morning '],
  [word('medianoche'), ' midnight '], [word('mediod[ií]a'), ' noon '],
  [word('(?:(?:(?:por|de|en) las?|cada|todas las|las) )?tardes?'), ' afternoon '],
  [word('(?:(?:(?:por|de|en) las?|cada|todas las|las) )?noches?'), ' night '],
  [word('pasado mañana'), ' overmorrow '], [word('mañana'), ' tomorrow '], [word('hoy'), ' today '],
  [word(day), (_, name) => dayOf(name)], [word('(lun|mar|mi[eé]|jue|vie|s[aá]b|dom)\\.?'), (_, name) => dayOf(name)],
  [new RegExp(`(${english}) +(?:a|al|hasta) +(?:el +)?(?=${english})`, 'g'), '$1 to '],
  [word('dentro de'), ' in '], [/(?<!\p{L})en (?=\d)/gu, ' in '], [word('cada|todos los|todas las'), ' every '],
  [word('minutos?'), ' minutes '], [word('horas?'), ' hours '], [word('d[ií]as?'), ' days '], [word('semanas?'), ' weeks '],
  [word('y'), ' and '], [word('al|el|las?|los|del?|en|por'), ' ']
])
