import { englishAndChinese } from './english-chinese.js'
import { french } from './french.js'
import { german } from './german.js'
import { japanese } from './japanese.js'
import { spanish } from './spanish.js'

const others: ReadonlyArray<Readonly<Record<string, string>>> = [german, french, spanish, japanese]

/**
 * Other names of settings, in all languages of the app at once, because people may search in a language other than the app's. Never shown;
 * the labels, notes and choices of the current language are searched too.
 */
export const synonyms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(englishAndChinese).map(([key, names]) => [key, [names, ...others.map((other) => other[key] ?? '')].join(' ')])
)
