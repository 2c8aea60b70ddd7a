import {
  Lexer, type MarkedOptions, type MarkedToken, type Token, type TokenizerExtension, type TokenizerStartFunction, type Tokens
} from 'marked'
import { formulaAt, longestChars, type Formula } from '../../../formulas/read.js'
import { labelOf, type Definitions } from './blocks.js'

interface MathToken extends Formula { type: 'math' }
export interface NoteToken { type: 'note', raw: string, label: string }
/** The tokens of the lexer with the extensions below. */
export type KnownToken = MarkedToken | MathToken | NoteToken

/** Longer text is shown as written: people do not read it, and its layout would block everything else. */
const maxLaidOut = 50_000
/** The deepest nesting of lists and quotes. */
const maxDepth = 24
/** How many characters are searched for emphasis in one text; marks beyond that are shown as written. */
const mostLookedThrough = 3_000_000
/** How far ahead the start of a formula is searched; from there the search starts again. */
const lookAhead = 2_000

const displayed = String.raw` {0,3}(?:\$\$\s*([^\s$][^$]*)\$\$|\\\[\s*([^\s\\][\s\S]*?|\\(?!\])[\s\S]*?)\\\])[ \t]*(?:\n+|$)`
const displayedHere = new RegExp(`^\\n?${displayed}`)
const displayedAhead = new RegExp(`(?:^|\\n)${displayed}`)

interface Extension extends TokenizerExtension { start: TokenizerStartFunction }

const displayMath: Extension = {
  name: 'displayMath',
  level: 'block',
  start: (src) => indexOrNone(displayedAhead.exec(src.slice(0, lookAhead))?.index),
  tokenizer: (src) => {
    const found = displayedHere.exec(src.slice(0, longestChars))
    const tex = (found?.[1] ?? found?.[2])?.trim()
    return found === null || tex === undefined || /\n[ \t]*\n/.test(tex)
      ? undefined
      : { type: 'math', raw: found[0], tex, display: true } satisfies MathToken
  }
}

const inlineMath: Extension = {
  name: 'inlineMath',
  level: 'inline',
  start: (src) => indexOrNone(src.slice(0, lookAhead).search(/\$|\\[([]/)),
  tokenizer: (src) => src[0] === '$' || src[0] === '\\' ? mathOf(formulaAt(src.slice(0, longestChars))) : undefined
}

const note: Extension = {
  name: 'note',
  level: 'inline',
  start: (src) => indexOrNone(src.slice(0, lookAhead).indexOf('[^')),
  tokenizer: (src) => {
    const [raw, label] = /^\[\^([^\]\s]{1,80})\](?!:)/.exec(src.slice(0, 100)) ?? []
    return raw === undefined || label === undefined ? undefined : { type: 'note', raw, label: labelOf(label) } satisfies NoteToken
  }
}

const starts = (...extensions: Extension[]): TokenizerStartFunction[] => extensions.map(({ start }) => start)
const tokenizers = (...extensions: Extension[]): Array<Extension['tokenizer']> => extensions.map(({ tokenizer }) => tokenizer)
const options: MarkedOptions = {
  gfm: true,
  // Set as `marked.use` would set them; the rest of marked, which turns tokens into HTML, is not loaded.
  extensions: {
    block: tokenizers(displayMath), startBlock: starts(displayMath), inline: tokenizers(note, inlineMath),
    startInline: starts(note, inlineMath), childTokens: {}, renderers: {}
  }
}

/** Creates a lexer; each text needs a new one. */
function newLexer (): Lexer {
  const lexer = new Lexer({ ...options })
  const { tokenizer } = lexer.options
  if (tokenizer == null) throw new Error('The lexer has no tokenizer')
  // HTML is plain text here: it neither begins blocks nor stops Markdown inside it.
  tokenizer.html = () => undefined
  const { emStrong, del } = tokenizer
  let lookedThrough = 0
  // An opening mark of emphasis causes a search of the remaining text for its end, and its content is read again.
  const bounded = <Found extends { raw: string }>(find: () => Found | undefined, rest: string): Found | undefined => {
    if (lookedThrough > mostLookedThrough) return undefined
    const token = find()
    lookedThrough += token?.raw.length ?? rest.length
    return token
  }
  tokenizer.emStrong = (src, masked, before = '') => /^(?:\*+[^\s*]|_+[^\s_])/.test(src) && !(src.startsWith('_') && /[\p{L}\p{N}]$/u.test(before))
    ? bounded(() => emStrong.call(tokenizer, src, masked, before), src)
    : undefined
  tokenizer.del = (src, masked, before) => src.startsWith('~') ? bounded(() => del.call(tokenizer, src, masked, before), src) : undefined
  return lexer
}

const mathOf = (found: Formula | null): MathToken | undefined => found === null ? undefined : { type: 'math', ...found }

const indexOrNone = (index: number | undefined): number | undefined => index === undefined || index < 0 ? undefined : index

/** Returns the tokens of a text; null if it is too long or too deep. */
export function lex (text: string, definitions: Definitions): Token[] | null {
  if (text.length > maxLaidOut || isTooDeep(text)) return null
  try {
    const lexer = newLexer()
    for (const [label, line] of definitions.links) {
      const definition = linkOf(line)
      if (definition !== null) lexer.tokens.links[label] = definition
    }
    return lexer.lex(text)
  } catch {
    // The text is nested too deeply in a way that the check above does not detect.
    return null
  }
}

const lines = new Map<string, Pick<Tokens.Def, 'href' | 'title'> | null>()

/** Parses a line such as `[label]: address "title"`. Cached, because every block needs it. */
function linkOf (line: string): Pick<Tokens.Def, 'href' | 'title'> | null {
  if (lines.size > 2_000) lines.clear()
  const known = lines.get(line)
  if (known !== undefined) return known
  const [first, ...others] = Object.values(newLexer().lex(line).links)
  const link = first === undefined || others.length > 0 ? null : { href: first.href ?? '', title: first.title ?? '' }
  lines.set(line, link)
  return link
}

/** Whether a Markdown parser would nest a text too deeply or take very long for it. */
function isTooDeep (text: string): boolean {
  for (const line of text.split('\n')) {
    const marks = /^(?:[ \t]{0,8}(?:>|[-*+](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$)))+/.exec(line)?.[0] ?? ''
    const depth = marks.replace(/\d+[.)]|[^>*+-]/g, (kept) => kept.trim() === '' ? '' : '-').length
    if (depth > maxDepth) return true
    const indent = line.search(/[^ \t]/)
    if (indent > maxDepth * 6 && /^(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line.slice(indent))) return true
  }
  return hasRuns(text)
}

/** Whether a text has long runs of unclosed brackets or emphasis. */
function hasRuns (text: string): boolean {
  return /(?:[[({<!]{60}|\*{200}|_{200}|~{200}|`{200}|\${20})/.test(text) || unclosed(text) > 400
}

/** Returns the largest number of open square brackets. */
function unclosed (text: string): number {
  let open = 0
  let most = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 91) most = Math.max(most, ++open)
    else if (code === 93 && open > 0) open--
  }
  return most
}
