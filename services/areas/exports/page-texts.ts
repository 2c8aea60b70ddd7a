import { type PageWord, pageWords, type PageWords } from '../../ground/languages/index.js'
import { html, type Markup } from './markup.js'

/** Renders a text of the service in English, marked for `inLanguage`. Texts of a conversation cannot contain the mark. */
export const said = (word: PageWord): Markup => html`<span data-said="${word}">${pageWords.en.page[word]}</span>`

/** Renders a day (YYYY-MM-DD) in English, marked likewise. */
export const saidDay = (day: string): Markup => html`<span data-said="${day}">${dayIn('en', day)}</span>`

/** Returns a day as the app writes it: `30 Nov 2026`. */
const dayIn = (tag: string, day: string): string =>
  new Intl.DateTimeFormat(tag === 'en' ? 'en-GB' : tag, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(new Date(day))

const mark = /<span data-said="(\w+|\d{4}-\d\d-\d\d)">[^<]*<\/span>/g
/** Longer than any marked text, so that one that a piece cuts is never processed in halves. */
const longestMark = 1_000

/** Returns a finished page, in pieces, with the texts of the service in these words. */
export function inLanguage (pieces: readonly Buffer[], { page, tag }: Pick<PageWords, 'page' | 'tag'>): Buffer[] {
  const words = new Map(Object.entries(page).map(([word, text]) => [word, inLatin1(text)]))
  let rest = ''
  return pieces.map((piece, at) => {
    // One character for each byte, so that a piece may end within a character.
    const text = rest + piece.toString('latin1')
    const begun = at === pieces.length - 1 ? -1 : text.indexOf('<span data-said=', Math.max(0, text.length - longestMark))
    const end = begun === -1 ? endOf(text, at === pieces.length - 1) : begun
    rest = text.slice(end)
    return Buffer.from(text.slice(0, end).replaceAll(mark, (whole, word: string) =>
      words.get(word) ?? (word.includes('-') ? inLatin1(dayIn(tag, word)) : whole)), 'latin1')
  })
}

const inLatin1 = (text: string): string => Buffer.from(text).toString('latin1')

/** Returns where a piece ends that may be followed by another: before a mark whose beginning is cut. */
function endOf (text: string, isLast: boolean): number {
  const open = text.lastIndexOf('<')
  return isLast || open < text.length - '<span data-said='.length ? text.length : open
}
