import { formulaAt } from '../../../formulas/read.js'

/** A formula or a reference that is being written is longer than nothing, and shorter than this. */
const longestOpen = 400

/** The last line says what a footnote or a link is, as far as it is written. */
const openDefinition = /(?:^|\n) {0,3}\[(?:\^[^\]\s]{1,80}\]:[^\n]*|(?!\^)[^\]\n]{1,200}\]:[ \t]*(?:\S*|\S+[ \t]+["'(][^\n]*))$/

/**
 * A text that is still being written, without the formula, the footnote or the definition at its end that
 * are not whole yet: they come when they are.
 */
export function withoutOpenEnd (text: string): string {
  const begin = Math.max(text.lastIndexOf('\n\n') + 1, text.length - 8_000, 0)
  const tail = withoutCode(text.slice(begin))
  const definedAt = tail.search(openDefinition)
  const at = definedAt === -1 ? openAt(tail) : definedAt
  return at === -1 ? text : text.slice(0, begin + at)
}

/** Code is left as it is, also code that is not closed yet. */
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
  // A sum of money, the name of a variable or two words are no formula that waits for its end.
  return /^\$(?![\s\d$])[^$\n]*$/.test(rest) && (/[\\^_{}=]/.test(rest) || !/^\$[A-Z_]{2,}\b|[a-z]{3,}\s+[a-z]{2,}/.test(rest))
}
