/**
 * A text as the rules see it: invisible separators are line breaks, other invisible characters are removed. Each position maps back to the
 * original text.
 */
export interface Projection {
  text: string
  /** Returns the position in the original text of something that begins here. */
  toStart (position: number): number
  /** Does the same for the end of something: invisible characters after it are not part of it. */
  toEnd (position: number): number
  /** Returns the position here of one in the original text. */
  fromText (position: number): number
}

// Escape sequences of terminals (also written out: \e[, \033[, \x1b[), and characters without a width.
const escape = '(?:[\\u001b\\u009b]|\\\\{1,8}(?:e|033|x1b|u001b))'
const unseen = `${escape}\\[[0-?]{0,40}[ -/]{0,4}[@-~]|\\u009b[0-?]{0,40}[@-~]|\\u001b(?:\\][^\\u0007\\u001b]{0,400}(?:[\\u0007\\n]|\\u001b\\\\)|[ -/]{0,4}[0-~]|)|\\u034f|\\u17b4|\\u17b5|[\\ufe00-\\ufe0f]|[\\u00ad\\u061c\\u115f\\u1160\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb]{1,400}|\\udb40[\\udc00-\\udfff]`
// NUL and similar characters separate the variables of an environment. Texts inside of texts escape them, and `cat -v` shows ^@.
const written = '\\\\{1,8}(?:u00(?:0[\\da-f]|1[\\da-f]|7f)|x(?:0[\\da-f]|1[\\da-f]|7f)|0{1,3}(?!\\d))|\\^@'

/* eslint-disable no-control-regex -- control characters are what this is about */
const separators = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009a\u009c-\u009f\u2028\u2029\u2400]/g
const spaces = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g
const longer = new RegExp(`(?<unseen>${unseen})|${written}`, 'gi')
/** A quick check of every text for any of these. */
const anyStrange = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2400\u3000\u3164\ufeff\uffa0\ufff9-\ufffb\udb40]|\u034f|\u17b4|\u17b5|[\ufe00-\ufe0f]|\\(?:u00[017]|x[017]|0|e\[)|\^@/i
/* eslint-enable no-control-regex */

const longestUnseen = 410
// eslint-disable-next-line no-control-regex -- see above
const beginning = /(?:\\{1,8}(?:(?:u|u0|u00|u00[\da-f]|x|x[\da-f])|0{0,3}\d?\d?|(?:e|033|x1b|u001b)(?:\[[0-?]{0,40}[ -/]{0,4})?)|\^|[\u001b\u009b](?:\[?[0-?]{0,40}[ -/]{0,4}|\][^\u0007\u001b]{0,400}\u001b?)|[\ud800-\udbff])$/i

/**
 * Returns where, at the end of a text, something begins that may turn out to be invisible when the text continues; the text's length if
 * nothing does.
 */
export function undecidedAt (text: string): number {
  const tail = text.slice(-longestUnseen)
  const found = beginning.exec(tail)
  return found === null ? text.length : text.length - tail.length + found.index
}

const asItIs = (position: number): number => position

export function project (text: string): Projection {
  if (!anyStrange.test(text)) return { text, toStart: asItIs, toEnd: asItIs, fromText: asItIs }
  // These two keep all positions.
  const apart = text.replace(separators, '\n').replace(spaces, ' ')
  return replaced(apart, [...apart.matchAll(longer)].map(({ index, 0: { length }, groups }) => ({
    start: index, end: index + length, shown: groups?.unseen === undefined ? '\n' : ''
  })))
}

/** Returns the text with replacements at some places, which must be in order and without overlaps. */
export function replaced (text: string, places: Array<{ start: number, end: number, shown: string }>): Projection {
  const pieces: Piece[] = []
  let length = 0
  const add = (piece: string, start: number, end: number): void => {
    if (piece === '') return
    pieces.push({ text: piece, here: length, start, end })
    length += piece.length
  }
  let from = 0
  for (const { start, end, shown } of places) {
    add(text.slice(from, start), from, start)
    add(shown, start, end)
    from = end
  }
  add(text.slice(from), from, text.length)

  /** Returns the last piece that begins at a position or before it. */
  function pieceAt (position: number, side: 'here' | 'start'): Piece {
    let low = 0
    let high = pieces.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((pieces[middle] ?? nothing)[side] <= position) low = middle
      else high = middle - 1
    }
    return pieces[low] ?? nothing
  }
  const isVerbatim = ({ text: { length }, start, end }: Piece): boolean => end - start === length
  return {
    text: pieces.map((piece) => piece.text).join(''),
    toStart (position) {
      if (position >= length) return text.length
      const piece = pieceAt(position, 'here')
      return piece.start + (isVerbatim(piece) ? position - piece.here : 0)
    },
    toEnd (position) {
      if (position === 0) return 0
      const piece = pieceAt(position - 1, 'here')
      return isVerbatim(piece) ? piece.start + position - piece.here : piece.end
    },
    fromText (position) {
      const piece = pieceAt(position, 'start')
      return piece.here + Math.min(Math.max(0, position - piece.start), piece.text.length)
    }
  }
}

/** A piece of the new text: where it begins there, and which range of the old text it represents. */
interface Piece { text: string, here: number, start: number, end: number }
const nothing: Piece = { text: '', here: 0, start: 0, end: 0 }
