// eslint-disable-next-line no-control-regex, no-misleading-character-class -- it is a list of exactly those
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|[\ud800-\udfff]/gu
/** Joiners and marks of direction: they put an emoji together, and belong to how some languages are written. */
const ofProse = /[\u200c-\u200f]/

/**
 * A text with signs in the places of characters that a screen does not show, or that turn the order of what it shows; tabs
 * and line ends stay. Credentials are masked first: signs in the middle of one would keep it from being known.
 */
export function visible (text: string): string {
  return text.replace(unseen, signFor)
}

/** The same for what somebody says in words, such as a question, in whatever language. */
export function visibleProse (text: string): string {
  return text.replace(unseen, (character) => ofProse.test(character) ? character : signFor(character))
}

/** A copy of a JSON value with every text in it as `show` has it. */
export function visibleDeep<T> (value: T, show: (text: string) => string): T {
  if (typeof value === 'string') return show(value) as T
  if (Array.isArray(value)) return value.map((item) => visibleDeep(item, show)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, visibleDeep(item, show)])) as T
}

/** Letters that no screen has a shape for, and runs of characters without a width: both can spell words that only a model reads. */
// eslint-disable-next-line no-misleading-character-class -- it is a list of exactly those
const spelling = /[\u{e0000}-\u{e0fff}]+|[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]{3,}/gu

/** A text without words that nobody sees. Emoji and how languages are written stay; two marks in a row are the most that they need. */
export const withoutUnseenWords = (text: string): string => text.replace(spelling, '')

function signFor (character: string): string {
  const code = character.codePointAt(0)!
  if (code < 0x20) return String.fromCodePoint(0x2400 + code)
  return code === 0x7f ? '\u2421' : `\\u{${code.toString(16)}}`
}
