import { formulaAt } from '../../../formulas/read.js'

/** A formula or reference in progress is shorter than this. */
const longestOpen = 400

/** The last line is an incomplete footnote or link definition. */
const openDefinition = /(?:^|\n) {0,3}\[(?:\^[^\]\s]{1,80}\]:[^\n]*|(?!\^)[^\]\n]{1,200}\]:[ \t]*(?:\S*|\S+[ \t]+["'(][^\n]*))$/

/** Returns a growing text without an incomplete formula, footnote or definition at its end; they are shown once complete. */
export function withoutOpenEnd (text: string): string {
  const begin = Math.max(text.lastIndexOf('\n\n') + 1, text.length - 8_000, 0)
  const tail = withoutCode(text.slice(begin))
  const definedAt = tail.search(openDefinition)
  const at = definedAt === -1 ? openAt(tail) : definedAt
  return at === -1 ? text : text.slice(0, begin + at)
}

/** Replaces code, also unclosed code, with blanks. */
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
  // A sum of money, a variable name or two words are no incomplete formula.
  return /^\$(?![\s\d$])[^$\n]*$/.test(rest) && (/[\\^_{}=]/.test(rest) || !/^\$[A-Z_]{2,}\b|[a-z]{3,}\s+[a-z]{2,}/.test(rest))
}
