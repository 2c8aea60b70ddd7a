import { de } from './de.js'
import { en } from './en.js'
import { es } from './es.js'
import { fr } from './fr.js'
import { ja } from './ja.js'
import { type PageWords } from './page-words.js'
import { zh } from './zh.js'

export { oidcFailures, type OidcFailure } from './oidc-failures.js'
export { type PageWord, type PageWords } from './page-words.js'

/** The words in each language of the app (web/src/words/languages.ts), by language code. */
export const pageWords = { en, zh, de, fr, es, ja }
type Language = keyof typeof pageWords

const isKnown = (language: string | undefined): language is Language => language !== undefined && Object.hasOwn(pageWords, language)
const withoutRegion = (tag: string | undefined): string | undefined => tag?.toLowerCase().split('-')[0]

/**
 * Returns the words of a page in the first supported language of those chosen (in the app on this device, or for the whole service),
 * otherwise in the supported one that the browser prefers, otherwise in English.
 *
 * @param chosen language tags, the most important first
 * @param accepted the Accept-Language header
 */
export function wordsFor (chosen: ReadonlyArray<string | undefined>, accepted: string | undefined): PageWords {
  const first = chosen.map(withoutRegion).find(isKnown)
  if (first !== undefined) return pageWords[first]
  const wanted = (accepted ?? '').split(',').flatMap((part, place) => {
    const [tag = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase())
    const language = withoutRegion(tag)
    const quality = Number(parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? 1)
    return isKnown(language) && quality > 0 ? [{ language, quality, place }] : []
  })
  return pageWords[wanted.sort((one, other) => other.quality - one.quality || one.place - other.place)[0]?.language ?? 'en']
}
