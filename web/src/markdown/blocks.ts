/** A part of a Markdown text that can be parsed separately, apart from the links and footnotes in `refs`. */
export interface Block {
  /** Stays the same as long as the text only grows. */
  readonly key: number
  readonly kind: 'text' | 'code' | 'footnote'
  readonly text: string
  /** Whether later text can no longer change it. */
  readonly closed: boolean
  /** The definitions that it refers to, in one string; the block counts as changed when they do. */
  readonly refs: string
}

/** The lines `[label]: address "title"` of the whole text, and its footnotes; by label in lower case. */
export interface Definitions {
  readonly links: ReadonlyMap<string, string>
  readonly footnotes: ReadonlyMap<string, string>
}

const fenceBegin = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/
const nestedFenceBegin = /^[ \t]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)?(`{3,}(?=[^`]*$)|~{3,})/
const listBegin = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/
const mayBecomeListBegin = /^ {0,3}(?:[-*+]|\d{1,9}[.)]?)?$/
const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/
const footnoteBegin = /^ {0,3}\[\^([^\]\s]{1,80})\]:/
const linkDefinition = /^ {0,3}\[(?!\^)((?:[^[\]\\]|\\.){1,200})\]:[ \t]*\S/
const maxDefinitions = 1000

type Part = 'text' | 'list' | 'code' | 'footnote'

interface Fence { mark: string, nested: boolean }

/**
 * Splits a growing text into blocks, continuing each time where it stopped. It splits only where Markdown cannot join the parts again: in
 * doubt it does not split, so a block may hold several paragraphs.
 */
export class Blocks {
  #text = ''
  #ended = false
  /** The index of the first line that has not been read. */
  #at = 0
  #start = 0
  #part: Part = 'text'
  /** The open fence, and whether it is in a list. */
  #fence: Fence | null = null
  #blank = false
  #closed: Block[] = []
  readonly #links = new Map<string, string>()
  readonly #footnotes = new Map<string, string>()
  #definitions: Definitions = { links: this.#links, footnotes: this.#footnotes }
  #defined = false

  get definitions (): Definitions {
    return this.#definitions
  }

  /** Returns the blocks of the text. Unchanged blocks are the same objects. `ended`: the text no longer grows. */
  update (text: string, ended: boolean): readonly Block[] {
    if (!text.startsWith(this.#text) || (this.#ended && text !== this.#text)) this.#reset()
    this.#text = text
    this.#ended = ended
    this.#defined = false
    while (this.#at < text.length) {
      const end = text.indexOf('\n', this.#at)
      if (end === -1 && !ended) {
        this.#lookAhead(text.slice(this.#at, this.#at + 200))
        break
      }
      if (end === -1) {
        this.#line(text.slice(this.#at), text.length)
        this.#at = text.length
        break
      }
      this.#line(text.slice(this.#at, end), end + 1)
      this.#at = end + 1
    }
    const blocks = [...this.#closed]
    if (this.#start < text.length) {
      const last = text.slice(this.#start)
      blocks.push(this.#block(last, ended))
      if (ended) this.#define(last, this.#part)
    }
    if (this.#defined) this.#refer(blocks)
    return blocks
  }

  #reset (): void {
    this.#at = this.#start = 0
    this.#part = 'text'
    this.#fence = null
    this.#blank = false
    this.#closed = []
    this.#links.clear()
    this.#footnotes.clear()
  }

  #block (text: string, closed: boolean): Block {
    const kind = this.#part === 'list' ? 'text' : this.#part
    return { key: this.#closed.length, kind, text, closed, refs: this.#refsOf(text) }
  }

  /** Makes a closed block of the text before `end` that is in no block yet. */
  #cut (end: number): void {
    if (end > this.#start) {
      const text = this.#text.slice(this.#start, end)
      this.#define(text, this.#part)
      this.#closed.push(this.#block(text, true))
    }
    this.#start = end
    this.#part = 'text'
    this.#blank = false
  }

  /** Reads an incomplete line: its first letters often show that it begins a new block. */
  #lookAhead (line: string): void {
    if (this.#fence !== null || !this.#blank || line === '' || /^[ \t]/.test(line)) return
    if (this.#part === 'list' && (listBegin.test(line) || mayBecomeListBegin.test(line))) return
    this.#cut(this.#at)
  }

  #line (line: string, next: number): void {
    if (this.#fence !== null) return this.#fenceLine(line, next, this.#fence)
    if (line.trim() === '') {
      this.#blank = true
      return
    }
    const blank = this.#blank
    this.#blank = false
    const fresh = this.#at === this.#start
    const indented = /^(?: {0,3}\t| {4})/.test(line)
    const inList = this.#part === 'list'
    if (!fresh && blank && (inList ? !/^[ \t]/.test(line) && !listBegin.test(line) : !indented)) this.#cut(this.#at)
    const [, indent, mark] = fenceBegin.exec(line) ?? []
    if (mark !== undefined && (this.#part !== 'list' || indent === '')) {
      if (this.#part !== 'footnote' || indent === '') this.#cut(this.#at)
      if (this.#part === 'text') this.#part = 'code'
      this.#fence = { mark, nested: false }
      return
    }
    if (this.#part === 'list' || listBegin.test(line)) {
      if (this.#part === 'text' && this.#at === this.#start) this.#part = 'list'
      const nested = nestedFenceBegin.exec(line)?.[1]
      if (nested !== undefined) this.#fence = { mark: nested, nested: true }
      if (this.#part === 'list') return
    }
    if (footnoteBegin.test(line)) {
      this.#cut(this.#at)
      this.#part = 'footnote'
    } else if (this.#part === 'text' && heading.test(line)) {
      this.#cut(this.#at)
      this.#cut(next)
    } else if (this.#part === 'text' && !fresh && listBegin.test(line) && /^ {0,3}[-*+1]/.test(line)) {
      // A list may follow its paragraph directly.
      this.#part = 'list'
    }
  }

  #fenceLine (line: string, next: number, { mark, nested }: Fence): void {
    const rest = nested ? line.trim() : line.replace(/^ {0,3}/, '').trimEnd()
    if (!isFenceEnd(rest, mark)) return
    this.#fence = null
    if (!nested) this.#cut(next)
  }

  #define (text: string, part: Part): void {
    if (part === 'code' || this.#links.size + this.#footnotes.size >= maxDefinitions) return
    if (part === 'footnote') {
      const [begin = '', label] = footnoteBegin.exec(text) ?? []
      if (label === undefined || this.#footnotes.has(labelOf(label))) return
      this.#footnotes.set(labelOf(label), text.slice(begin.length).replace(/^(?: {4}|\t)/gm, '').trim())
      this.#defined = true
      return
    }
    if (!text.includes(']:')) return
    for (const line of text.split('\n')) {
      const label = linkDefinition.exec(line)?.[1]
      if (label === undefined || this.#links.has(labelOf(label))) continue
      this.#links.set(labelOf(label), line.trim())
      this.#defined = true
    }
  }

  /** Replaces blocks that refer to a new definition. */
  #refer (blocks: Block[]): void {
    this.#definitions = { links: this.#links, footnotes: this.#footnotes }
    for (const [at, block] of blocks.entries()) {
      const refs = this.#refsOf(block.text)
      if (refs === block.refs) continue
      blocks[at] = { ...block, refs }
      if (at < this.#closed.length) this.#closed[at] = blocks[at]
    }
  }

  #refsOf (text: string): string {
    if (this.#links.size + this.#footnotes.size === 0 || !text.includes('[')) return ''
    const lower = labelOf(text)
    const used = [...this.#links].filter(([label]) => lower.includes(`[${label}]`)).map(([, line]) => line)
    const notes = [...this.#footnotes.keys()].filter((label) => lower.includes(`[^${label}]`))
    return [...used, ...notes].join('\n')
  }
}

const isFenceEnd = (line: string, mark: string): boolean => line.length >= mark.length && line === mark.charAt(0).repeat(line.length)

/** Normalises a label: case and white space do not matter. */
export const labelOf = (label: string): string => label.toLowerCase().replace(/\s+/g, ' ')

/** Returns the content of a fence: its language and its code. `over`: whether the closing fence is present. */
export function codeOf (block: string): { language: string, code: string, over: boolean } {
  const firstEnd = block.indexOf('\n')
  const first = firstEnd === -1 ? block : block.slice(0, firstEnd)
  const [, indent = '', mark = '```'] = fenceBegin.exec(first) ?? []
  const language = first.slice(indent.length + mark.length).trim().split(/[\s{,]/, 1)[0] ?? ''
  if (firstEnd === -1) return { language, code: '', over: false }
  const rest = block.slice(firstEnd + 1).replace(/\n+$/, '')
  const lastBegin = rest.lastIndexOf('\n') + 1
  const last = rest.slice(lastBegin).trim()
  const over = isFenceEnd(last, mark)
  const code = over ? rest.slice(0, Math.max(0, lastBegin - 1)) : rest
  return { language, code: indent === '' ? code : code.replace(new RegExp(`^ {1,${indent.length}}`, 'gm'), ''), over }
}
