/** Characters that are not drawn at all, as Unicode defines them. */
const undrawn = '\\p{Cc}\\p{Cs}\\p{Default_Ignorable_Code_Point}\\p{Zl}\\p{Zp}\\ufff9-\\ufffb'
/** The first kind of variation selector behind a pictograph chooses how it is drawn. */
const ofPicture = '\\p{Extended_Pictographic}[\\ufe0e\\ufe0f]'
const unseen = new RegExp(`[${undrawn}\\u2800](?<![\\t\\n]|${ofPicture})`, 'gu')

/**
 * Invisible characters that some scripts need, one at a time: joiners behind letters of scripts that use them and inside emoji, direction
 * marks, variants of a letter, the blank between letters of Braille. A run of them is not part of any word.
 */
const ofProse = new RegExp([
  '(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})',
  '(?<=(?![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Han}])[\\p{L}\\p{M}])[\\u200c\\u200d](?![\\u200c\\u200d])',
  '(?<![\\u200e\\u200f])[\\u200e\\u200f](?![\\u200e\\u200f])',
  '(?<=[#*0-9])\\ufe0f(?=\\u20e3)',
  '(?<=\\p{Script=Han})[\\ufe00-\\ufe02]',
  '(?<=\\p{Script=Mongolian})(?<![\\u180b-\\u180d\\u180f])[\\u180b-\\u180d\\u180f]',
  '(?<=[\\u2801-\\u28ff]\\u2800{0,3})\\u2800|\\u2800(?=\\u2800{0,3}[\\u2801-\\u28ff])'
].join('|'), 'yu')

/**
 * Returns a text with signs in place of characters that a screen does not show, or that reorder what it shows; tabs and line ends stay.
 * Mask credentials first: a sign inside one would keep it from being recognised.
 */
export function visible (text: string): string {
  return text.replace(unseen, signFor)
}

/** Does the same for prose, such as a question, in any language: invisible characters that its script needs stay. */
export function visibleProse (text: string): string {
  return replacedInProse(text, signFor)
}

/** Returns prose as a person reads it: invisible characters that its script does not need are left out, and each line ends with `\n`. */
export function readableProse (text: string): string {
  return replacedInProse(text.replace(/\r\n?|[\u2028\u2029]/g, '\n'), () => '')
}

function replacedInProse (text: string, replacementOf: (character: string) => string): string {
  return text.replace(unseen, (character, at: number) => {
    ofProse.lastIndex = at
    return ofProse.test(text) ? character : replacementOf(character)
  })
}

/** Whether a screen shows nothing of a text. */
export const isBlank = (text: string): boolean => text.replace(unseen, '').trim() === ''

/** Longer gaps than any text needs that is meant to be read as a whole. */
const blankLines = /\n(?:[ \t]*\n){9,}/g
const blanks = /[^\S\n]{120,}/g

/** Returns a text with each gap that would push the text behind it out of sight replaced by its length. */
export function withoutGaps (text: string): string {
  return text
    .replace(blankLines, (gap) => `\n[${counted(gap.split('\n').length - 2)} blank lines]\n`)
    .replace(blanks, (gap) => ` [${counted(gap.length)} blanks] `)
}

const counted = (count: number): string => count.toLocaleString('en-US')

/** Characters without a shape, and runs of characters without a width: both can spell words that only a model reads. */
// eslint-disable-next-line no-misleading-character-class -- it is a list of exactly those
const spelling = /[\u{e0000}-\u{e0fff}]+|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]{3,}/gu

/** Returns a text without words that no person sees. Emoji and scripts stay intact: they need at most two such marks in a row. */
export const withoutUnseenWords = (text: string): string => text.replace(spelling, '')

function signFor (character: string): string {
  const code = character.codePointAt(0) ?? 0
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : `\\u{${code.toString(16)}}`
}
