import { wholeAt } from '../../ground/text/whole-characters.js'

/** A piece of a text that is read aloud as a unit. */
export interface Sentence {
  /** Its range in the text, in UTF-16 units; `end` is exclusive. */
  start: number
  end: number
  /** `text`: Markdown of one paragraph; `code`: the beginning of a block of code; `row`: one of a table. */
  kind: 'text' | 'code' | 'row'
  /** Markdown that can be read on its own: a row includes the head of its table. */
  markdown: string
}

/** How many characters a sentence may have before it is cut; ideographs and syllables count twice, because they take longer to say. */
const mostWeight = 240
/** The longest line that is examined as a whole: a row of a table, or a line that may be a rule. */
const longestLine = 4_000

const wide = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
const wideEnd = /[。！？；｡…]/
const narrowEnd = /[.!?]/
const closing = /["'”’»」』）)\]}*_~`]/
const pause = /[,;:，、；：—\s]/

/** Abbreviations that end with a full stop, in common languages. */
const abbreviations = new Set(('mr mrs ms dr prof st vs cf approx fig vol eq al e.g i.e a.m p.m u.s u.k ' +
  'bzw z.b d.h u.a ca nr bspw ggf evtl inkl vgl abs bzgl sog mme mlle mm sra srta ud uds pág núm').split(' '))
const withNumber = new Set(['no', 'p', 'pp', 'art', 'sec', 'ch', 'bd', 'kap'])

/** Matches a line that may still become a mark of a list, heading or quotation, a rule or a block of code. */
const undecided = /^[ \t>]*(?![ \t>])(?:\d{1,9}(?:[.)]|$))?[-=*_+#>~`:| \t]*$/
const rule = /^[ \t>]*(?![ \t>])[-=*_:| \t]*$/
const fence = /^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})/
const marks = /^[ \t]*(?:>[ \t]?)*[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?(?:#{1,6}[ \t]+)?/
const definition = /^ {0,3}\[[^[\]\n]{1,200}\]:/
const maybeDefinition = /^ {0,3}\[[^\]\n]{0,200}\]?$/
const begins = /^[ \t]*(?:[-*+][ \t]|\d{1,9}[.)][ \t]|#{1,6}[ \t]|\||`{3}|~{3}|$)/
const delimiter = /^[ \t]*(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?$/

type Line = 'paragraph' | 'code' | 'fence' | 'row' | 'nothing' | 'unknown'

/**
 * Cuts Markdown into sentences while it is being written. The result depends only on the text, not on the chunks in which it arrived, so
 * sentences can be counted, and found again in another reading of the same text.
 */
export class SentenceSplitter {
  /** The text that is not consumed yet, and where it begins. */
  #rest = ''
  #at = 0
  #isMidLine = false
  /** Whether the next sentence begins with its line, including marks of lists and headings. */
  #isFresh = true
  /** Whether the line is skipped up to its end. */
  #isSkipping = false
  /** The mark that ends the current block of code. */
  #fence: string | null = null
  #isIndented = false
  #afterBlank = true
  #inList = false
  #table: { head: string, start: number, delimiter: string | null } | null = null

  /** Adds text and returns the sentences that are complete with it. */
  push (text: string): Sentence[] {
    this.#rest += text
    return this.#sentences(false)
  }

  /** Ends the text and returns the remaining sentences. */
  end (): Sentence[] {
    const found = this.#sentences(true)
    this.#closeTable(found)
    return found
  }

  #sentences (isFinal: boolean): Sentence[] {
    const found: Sentence[] = []
    while (this.#rest !== '' && this.#take(found, isFinal));
    return found
  }

  #use (length: number): string {
    const used = this.#rest.slice(0, length)
    this.#rest = this.#rest.slice(length)
    this.#at += length
    return used
  }

  /** Consumes the next part of the text. Returns false if it is not clear yet what that is. */
  #take (found: Sentence[], isFinal: boolean): boolean {
    if (this.#isSkipping) return this.#skip()
    if (this.#isMidLine) return this.#takeSentence(found, isFinal)
    const newline = this.#rest.indexOf('\n')
    const isWhole = newline !== -1 || isFinal
    const line = newline === -1 ? this.#rest : this.#rest.slice(0, newline)
    const kind = this.#fence === null ? this.#kindOf(line, isWhole) : this.#inFence(line, isWhole)
    if (kind === 'unknown') return false
    if (kind !== 'row') this.#closeTable(found)
    const wasIndented = this.#isIndented
    this.#isIndented = kind === 'code' || (wasIndented && kind === 'nothing')
    if (kind === 'paragraph') {
      this.#isMidLine = true
      this.#isFresh = true
      this.#inList = /^[ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]/.test(line) || (this.#inList && !(this.#afterBlank && /^\S/.test(line)))
      this.#afterBlank = false
      return this.#takeSentence(found, isFinal)
    }
    if (kind === 'row') this.#row(found, line)
    if (kind === 'fence' || (kind === 'code' && !wasIndented)) {
      found.push({ start: this.#at, end: this.#at + line.slice(0, longestLine).trimEnd().length, kind: 'code', markdown: '' })
    }
    this.#afterBlank = kind === 'nothing' && this.#fence === null && line.trim() === ''
    this.#isSkipping = true
    return this.#skip()
  }

  #skip (): boolean {
    const newline = this.#rest.indexOf('\n')
    this.#isSkipping = newline === -1
    this.#use(newline === -1 ? this.#rest.length : newline + 1)
    return true
  }

  /** Returns the kind of a line, as soon as its beginning determines it. */
  #kindOf (line: string, isWhole: boolean): Line {
    const isLong = line.length > longestLine
    const [, mark] = fence.exec(line) ?? []
    if (mark !== undefined) {
      if (!isWhole && !isLong) return 'unknown'
      // Code within a line may begin with the same number of marks.
      if (mark[0] === '`' && line.slice(line.indexOf(mark) + mark.length).includes('`')) return 'paragraph'
      this.#fence = mark
      return 'fence'
    }
    if (isWhole && line.trim() === '') return 'nothing'
    if (/^(?: {4}|\t)/.test(line) && (this.#isIndented || (this.#afterBlank && !this.#inList))) {
      return isWhole || isLong ? 'code' : 'unknown'
    }
    if (/^ {0,3}\|/.test(line) && !isLong) return isWhole ? 'row' : 'unknown'
    if (undecided.test(line) && !isLong) return !isWhole ? 'unknown' : rule.test(line) ? 'nothing' : 'paragraph'
    if (definition.test(line)) return 'nothing'
    return maybeDefinition.test(line) && !isWhole ? 'unknown' : 'paragraph'
  }

  #inFence (line: string, isWhole: boolean): Line {
    if (!isWhole && line.length <= longestLine) return 'unknown'
    const end = line.replace(/^[ \t>]+/, '').trimEnd()
    const fence = this.#fence ?? ''
    if (end.length >= fence.length && end === fence.charAt(0).repeat(end.length)) this.#fence = null
    return 'nothing'
  }

  #row (found: Sentence[], line: string): void {
    const start = this.#at
    if (this.#table === null) this.#table = { head: line, start, delimiter: null }
    else if (this.#table.delimiter !== null) {
      found.push({
        start, end: start + line.trimEnd().length, kind: 'row', markdown: `${this.#table.head}\n${this.#table.delimiter}\n${line}`
      })
    } else if (delimiter.test(line)) this.#table.delimiter = line
    else {
      this.#closeTable(found)
      this.#table = { head: line, start, delimiter: null }
    }
  }

  /** Ends a table; if it has only what looked like a head, that is returned as text. */
  #closeTable (found: Sentence[]): void {
    const table = this.#table
    this.#table = null
    if (table === null || table.delimiter !== null) return
    found.push({
      start: table.start, end: table.start + table.head.trimEnd().length, kind: 'text', markdown: table.head.replaceAll('|', ' ').trim()
    })
  }

  /** Consumes a sentence of a paragraph, up to its end or that of the paragraph. */
  #takeSentence (found: Sentence[], isFinal: boolean): boolean {
    const end = endOf(this.#rest, this.#isFresh, isFinal)
    if (end === null) return false
    const isFresh = this.#isFresh
    this.#isFresh = false
    const start = this.#at
    const source = this.#use(end.length)
    this.#isMidLine = !end.isLine
    const from = source.length - source.trimStart().length
    const trimmed = source.trim()
    if (trimmed !== '') {
      found.push({ start: start + from, end: start + from + trimmed.length, kind: 'text', markdown: withoutMarks(source, isFresh) })
    }
    return true
  }
}

/** Marks of lists, headings and quotations are not read aloud. */
function withoutMarks (source: string, isFresh: boolean): string {
  return (isFresh ? source.replace(marks, '') : source).replaceAll(/\n[ \t]*(?:>[ \t]?)+/g, '\n').trim()
}

/** Returns the length of the first sentence of a paragraph's text, and whether a line ends with it; null if that is not clear yet. */
function endOf (text: string, isFresh: boolean, isFinal: boolean): { length: number, isLine: boolean } | null {
  const isHeading = isFresh && /^[ \t]*#{1,6}[ \t]/.test(text)
  let weight = 0
  let code = ''
  let brackets = 0
  for (let at = isFresh ? marks.exec(text)?.[0].length ?? 0 : 0; at < text.length; at++) {
    const letter = text.charAt(at)
    weight += wide.test(letter) ? 2 : 1
    if (weight > mostWeight) return { length: cutBefore(text, at), isLine: false }
    if (letter === '\n') {
      const end = isHeading ? at + 1 : endOfLine(text, at, isFinal)
      if (end === null) return null
      if (end !== undefined) return { length: end, isLine: true }
      continue
    }
    if (letter === '`') {
      const [run = letter] = /^`+/.exec(text.slice(at, at + mostWeight)) ?? []
      if (at + run.length === text.length && !isFinal) return null
      if (code === '') code = run
      else if (code === run) code = ''
      weight += run.length - 1
      at += run.length - 1
      continue
    }
    if (code !== '') continue
    const address = addressAt(text, at, isFinal)
    if (address === null) return null
    at += address
    if (letter === '[') brackets++
    else if (letter === ']') brackets = Math.max(0, brackets - 1)
    if (brackets > 0 || !(wideEnd.test(letter) || narrowEnd.test(letter))) continue
    const end = endAt(text, at, isFinal)
    if (end === null) return null
    if (end > 0) return { length: end, isLine: false }
  }
  return isFinal ? { length: text.length, isLine: false } : null
}

/**
 * Returns how many characters behind `at` belong to an address, which is hardly read aloud: that of a link, or a bare one. Returns null if
 * that is not clear yet.
 */
function addressAt (text: string, at: number, isFinal: boolean): number | null {
  const isLink = text[at] === ']'
  if (!isLink && !(text[at] === ':' && /https?$/i.test(text.slice(Math.max(0, at - 5), at)))) return 0
  const behind = text.slice(at + 1, at + 1 + longestLine)
  const opening = isLink ? '(' : '//'
  if (!behind.startsWith(opening)) return behind.length < opening.length && opening.startsWith(behind) && !isFinal ? null : 0
  const [address = ''] = (isLink ? /^\([^\s)]*(?:[ ]+"[^"\n]*"?)?\)?/ : /^\/\/[^\s<>()，。]*/).exec(behind) ?? []
  if (isLink && address.endsWith(')')) return address.length
  if (address.length === behind.length && !isFinal && behind.length < longestLine) return null
  // A full stop behind a bare address ends its sentence.
  return isLink ? 0 : address.length - (/[.,;:!?]+$/.exec(address)?.[0].length ?? 0)
}

/** Returns where the sentence with a mark at `at` ends; 0 if it does not end there; null if that is not clear yet. */
function endAt (text: string, at: number, isFinal: boolean): number | null {
  let end = at + 1
  while (end < text.length && [wideEnd, narrowEnd, closing].some((kind) => kind.test(text.charAt(end)))) end++
  if (end === text.length) return isFinal ? end : null
  const marksOfEnd = text.slice(at, end)
  if (wideEnd.test(marksOfEnd) && text[at] !== '…') return end
  if (wide.test(text[at - 1] ?? '') && /[!?]/.test(text.charAt(at))) return end
  if (!/\s/.test(text.charAt(end))) return 0
  if (text[end] === '\n') return end
  const next = /\S/.exec(text.slice(end))
  if (next === null) return isFinal ? end : null
  if (/\p{Ll}/u.test(next[0])) return 0
  return text[at] === '.' && isAbbreviated(text.slice(0, at), next[0]) ? 0 : end
}

function isAbbreviated (before: string, next: string): boolean {
  const word = /[\p{L}\p{N}.]+$/u.exec(before)?.[0] ?? ''
  if (/^\p{L}$/u.test(word)) return true
  return abbreviations.has(word.toLowerCase()) || (/\p{N}/u.test(next) && withNumber.has(word.toLowerCase()))
}

/** Returns where a sentence ends with its line, `undefined` if it continues in the next one, and null if that is not clear yet. */
function endOfLine (text: string, newline: number, isFinal: boolean): number | null | undefined {
  if (/(?: {2}|\\)$/.test(text.slice(Math.max(0, newline - 2), newline))) return newline + 1
  const rest = text.slice(newline + 1)
  const [next = ''] = rest.split('\n', 1)
  const isWhole = isFinal || next.length < rest.length
  if (!isWhole && undecided.test(next) && next.length <= longestLine) return null
  return begins.test(next) || rule.test(next) ? newline + 1 : undefined
}

/** Returns where a text that is too long for one sentence is cut: behind a pause if there is one. */
function cutBefore (text: string, at: number): number {
  for (let cut = at; cut > at / 2; cut--) if (pause.test(text.charAt(cut - 1))) return cut
  return wholeAt(text, at)
}
