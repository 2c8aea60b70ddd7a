import { formulaAt } from '../../../formulas/read.js'

/** How long an incomplete formula or reference may be. */
const longestOpen = 400

/** Matches if the last line is an incomplete footnote or link definition. */
const openDefinition = /(?:^|\n) {0,3}\[(?:\^[^\]\s]{1,80}\]:[^\n]*|(?!\^)[^\]\n]{1,200}\]:[ \t]*(?:\S*|\S+[ \t]+["'(][^\n]*))$/

/**
 * Matches if the last line has only marks so far, which the following text may turn into a heading, an item, a quotation, a rule or a
 * fence.
 */
const openMarks = /(?:^|\n)[ \t]*(?:>[ \t]*)*(?:(?:#{1,6}|\+|\d{1,9}[.)]?|`{1,3}|~{1,3}|>|[-*+][ \t]+\[[ xX]?\]?)[ \t]*|[-*_=][-*_= \t]*)$/
/** Matches if the header of a table, or the delimiter row that makes it one, is incomplete. */
const openTable = /(?:^|\n)[ \t]*\|[^\n]*(?:\n[ \t|:-]*)?$/
/**
 * The same without a border on the left, such as `Way | Time`. Only for short lines, because a sentence may contain such a sign too, and
 * would disappear until its end.
 */
const openBareTable = /(?:^|\n) {0,3}(?![-*+>#]|\d+[.)]|\s)[^\n|]{1,80}[ \t]\|(?:[ \t][^\n]{0,120})?(?:\n[ \t|:-]*)?$/
const tableRow = /(?:^|\n)[^\n|]*\|[^\n]*\n[ \t]*(?:\|[ \t|:]*-|:?-)[ \t|:-]*\n/
const codeFence = /```|~~~/

/** Marks of emphasis, code, a formula or a picture at the end of the text. */
const openSigns = /(?<![*_~`\\![])[*_~`\\![]+$/
/** The text of a link whose address has not arrived yet. */
const openLink = /(?<!\\)!?\[(?!\^)([^[\]\n]{1,200})\](?:\[[^[\]\n]{0,200})?$/

/** Returns a growing text without marks at its end whose meaning is still open. Later they are shown, or become something else. */
export function withoutOpenEnd (text: string): string {
  const shown = withoutOpenFormula(text)
  const lines = shown.slice(shown.lastIndexOf('\n\n') + 1)
  const places = [lines.search(openMarks), ...(tableRow.test(lines) ? [] : openTablesIn(lines))].filter((at) => at !== -1)
  const settled = places.length === 0 ? shown : shown.slice(0, shown.length - lines.length + Math.min(...places))
  return settled.replace(openSigns, '').replace(openLink, '$1')
}

function openTablesIn (lines: string): number[] {
  return [lines.search(openTable), codeFence.test(lines) ? -1 : withoutCode(lines).search(openBareTable)]
}

const reference = /(?<![\]\\!])\[([^[\]\n]{1,200})\]\[([^[\]\n]{0,200})\]/g

/** Replaces references whose definition has not arrived yet by their text. `isDefined` is called with their labels. */
export function withoutOpenReferences (text: string, isDefined: (label: string) => boolean): string {
  return text.includes('][') ? text.replaceAll(reference, (whole, shown: string, label: string) => isDefined(label || shown) ? whole : shown) : text
}

function withoutOpenFormula (text: string): string {
  const begin = Math.max(text.lastIndexOf('\n\n') + 1, text.length - 8_000, 0)
  const tail = withoutCode(text.slice(begin))
  const definedAt = tail.search(openDefinition)
  const at = definedAt === -1 ? openAt(tail) : definedAt
  return at === -1 ? text : text.slice(0, begin + at)
}

/** Replaces code, including unclosed code, with blanks. */
function withoutCode (text: string): string {
  const blank = (code: string): string => ' '.repeat(code.length)
  return text.replaceAll(/(`+)[^`](?:[\s\S]*?[^`])?\1(?!`)/g, blank).replace(/`[^`]*$/, blank)
}

function openAt (tail: string): number {
  for (let at = tail.search(/[$\\[]/); at !== -1 && at < tail.length; at++) {
    const rest = tail.slice(at)
    const formula = formulaAt(rest)
    if (formula !== null) at += formula.raw.length - 1
    else if (rest.length <= longestOpen && isOpen(rest)) return at
    else if (rest[0] === '\\') at++
  }
  return -1
}

function isOpen (rest: string): boolean {
  if (rest[0] === '[') return /^\[\^[^\]\s]{0,80}$/.test(rest)
  if (rest.startsWith('\\(') || rest.startsWith('\\[')) return !rest.includes(rest[1] === '(' ? '\\)' : '\\]')
  if (rest.startsWith('$$')) return !rest.slice(2).includes('$$')
  // A sum of money, a variable name or two words are not an incomplete formula.
  return /^\$(?![\s\d$])[^$\n]*$/.test(rest) && (/[\\^_{}=]/.test(rest) || !/^\$[A-Z_]{2,}\b|[a-z]{3,}\s+[a-z]{2,}/.test(rest))
}
