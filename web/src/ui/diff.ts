export interface DiffLine {
  kind: 'same' | 'add' | 'del' | 'note'
  text: string
  /** It ends with a carriage return, which `text` leaves out. */
  isCrlf?: true
  /** Line numbers before and after, from 1. */
  before: number | null
  after: number | null
  /** The part of a changed line that differs from its counterpart: from, to. */
  marked?: readonly [from: number, to: number]
}

export interface DiffHunk {
  /** The context that git names, such as a function. */
  context: string
  /** The number of unchanged lines between the previous hunk and this one, which the diff omits. */
  skipped: number
  lines: DiffLine[]
}

export interface DiffFile {
  /** Empty if the diff names none. */
  path: string
  /** Its earlier path, if it was renamed. */
  from: string | null
  state: 'changed' | 'created' | 'deleted' | 'renamed'
  binary: boolean
  /** Identifies both contents if the diff does; empty otherwise. */
  edition: string
  added: number
  removed: number
  hunks: DiffHunk[]
}

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/
const noFile = '/dev/null'

/** Parses a unified diff of one or more files. Unrecognised lines are skipped. */
export function parseDiff (diff: string): DiffFile[] {
  const reader = new DiffReader()
  // The line break at the end does not begin another line.
  for (const line of diff.replace(/\n$/, '').split('\n')) reader.read(line)
  for (const { hunks } of reader.files) for (const { lines } of hunks) markChanges(lines)
  return reader.files
}

class DiffReader {
  readonly files: DiffFile[] = []
  #file: DiffFile | null = null
  #hunk: DiffHunk | null = null
  #before = 0
  #after = 0
  /** How many lines of each side the hunk still has: a line `--- a` may be a removed one. */
  #beforeLeft = 0
  #afterLeft = 0

  read (line: string): void {
    const [file, hunk] = [this.#file, this.#hunk]
    if (file !== null && hunk !== null && (this.#beforeLeft > 0 || this.#afterLeft > 0)) return this.#body(line, file, hunk)
    const head = hunkHead.exec(line.trimEnd())
    if (head !== null) return this.#beginHunk(head)
    if (line.startsWith('\\')) return this.#note(line)
    // Diffs written by people or models may have wrong line counts, so a line that can only belong to the hunk is added to it.
    if (file !== null && hunk !== null && /^(?:[+ ]|-(?!-- ))/.test(line) && !line.startsWith('+++ ')) return this.#body(line, file, hunk)
    this.#header(line)
  }

  #begin (path: string): DiffFile {
    this.#hunk = null
    this.#file = { path, from: null, state: 'changed', binary: false, edition: '', added: 0, removed: 0, hunks: [] }
    this.files.push(this.#file)
    return this.#file
  }

  #header (line: string): void {
    const git = /^diff --git ("?a\/.+)$/.exec(line)?.[1]
    if (git !== undefined) {
      this.#begin(nameOf(git))
      return
    }
    const file = this.#file
    if (line.startsWith('--- ')) {
      const path = pathOf(line)
      const current = file === null || file.hunks.length > 0 || this.#hunk !== null ? this.#begin(path) : file
      if (path === noFile) current.state = 'created'
      else if (current.path === '') current.path = path
    } else if (file !== null && line.startsWith('+++ ')) {
      const path = pathOf(line)
      if (path === noFile) file.state = 'deleted'
      else file.path = path
    } else if (file !== null && line.startsWith('new file')) file.state = 'created'
    else if (file !== null && line.startsWith('deleted file')) file.state = 'deleted'
    else if (file !== null && line.startsWith('index ')) file.edition = line.slice(6)
    else if (file !== null && line.startsWith('rename from ')) Object.assign(file, { state: 'renamed', from: unquoted(line.slice(12)) })
    else if (file !== null && /^(?:Binary files |GIT binary patch)/.test(line)) file.binary = true
  }

  #beginHunk ([, before, beforeLines, after, afterLines, context]: RegExpExecArray): void {
    const file = this.#file ?? this.#begin('')
    const start = Number(before)
    // If a side has no lines, its number is that of the line before.
    const skipped = Math.max(0, file.hunks.length === 0 ? start - 1 : start - this.#before)
    this.#hunk = { context: context ?? '', skipped, lines: [] }
    file.hunks.push(this.#hunk)
    this.#before = start
    this.#after = Number(after)
    this.#beforeLeft = Number(beforeLines ?? 1)
    this.#afterLeft = Number(afterLines ?? 1)
  }

  #body (line: string, file: DiffFile, { lines }: DiffHunk): void {
    const text = line.slice(1).replace(/\r$/, '')
    const ending = line.endsWith('\r') ? { isCrlf: true } as const : {}
    if (line[0] === '+') {
      lines.push({ kind: 'add', text, before: null, after: this.#after++, ...ending })
      this.#afterLeft--
      file.added++
    } else if (line[0] === '-') {
      lines.push({ kind: 'del', text, before: this.#before++, after: null, ...ending })
      this.#beforeLeft--
      file.removed++
    } else if (line[0] === ' ' || line === '' || line === '\r') {
      lines.push({ kind: 'same', text, before: this.#before++, after: this.#after++, ...ending })
      this.#beforeLeft--
      this.#afterLeft--
    } else if (line[0] === '\\') this.#note(line)
    else {
      // The diff was cut off inside the hunk.
      this.#beforeLeft = this.#afterLeft = 0
      this.read(line)
    }
  }

  #note (line: string): void {
    this.#hunk?.lines.push({ kind: 'note', text: line.slice(1).trim(), before: null, after: null })
  }
}

/** Returns the name in a header `a/… b/…`, which is the same twice unless the file was renamed. */
function nameOf (header: string): string {
  const name = header.slice(2, (header.length - 1) / 2)
  if (header === `a/${name} b/${name}`) return name
  const last = / ("b\/(?:[^"\\]|\\.)*")$/.exec(header)?.[1] ?? /^.+? (b\/.+)$/.exec(header)?.[1] ?? ''
  return unquoted(last).slice(2)
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Returns a name that git has quoted, because of characters in it, as it is; any other stays. */
function unquoted (name: string): string {
  const quoted = /^"(.*)"$/.exec(name)?.[1]
  if (quoted === undefined) return name
  const bytes: number[] = []
  const encoder = new TextEncoder()
  for (const [part, octal, letter] of quoted.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+|\\/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff)
    else if (letter !== undefined && escapes[letter] !== undefined) bytes.push(escapes[letter])
    else bytes.push(...encoder.encode(letter ?? part))
  }
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(new Uint8Array(bytes))
}

function pathOf (line: string): string {
  const path = unquoted(line.slice(4).replace(/\t.*$/, '').replace(/\r$/, ''))
  return path === noFile ? path : path.replace(/^[ab]\//, '')
}

const longestMarked = 500

/** Pairs removed lines with an equal number of added ones, and marks the differences in each pair. */
function markChanges (lines: DiffLine[]): void {
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, 'del')
    const added = removed.length === 0 ? [] : runOf(lines, at + removed.length, 'add')
    if (removed.length === added.length) {
      for (const [pair, line] of added.entries()) {
        const before = removed[pair]
        if (before !== undefined) markPair(before, line)
      }
    }
    at += Math.max(1, removed.length + added.length)
  }
}

function runOf (lines: readonly DiffLine[], from: number, kind: DiffLine['kind']): DiffLine[] {
  let end = from
  while (lines[end]?.kind === kind) end++
  return lines.slice(from, end)
}

function markPair (del: DiffLine, add: DiffLine): void {
  const [a, b] = [del.text, add.text]
  const shorter = Math.min(a.length, b.length)
  if (shorter === 0 || Math.max(a.length, b.length) > longestMarked) return
  let same = 0
  while (same < shorter && a[same] === b[same]) same++
  let tail = 0
  while (tail < shorter - same && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  // Marks cover whole words.
  const isWord = (text: string, at: number): boolean => /\w/.test(text.charAt(at))
  while (same > 0 && isWord(a, same - 1) && (isWord(a, same) || isWord(b, same))) same--
  while (tail > 0 && isWord(a, a.length - tail) && (isWord(a, a.length - tail - 1) || isWord(b, b.length - tail - 1))) tail--
  // Lines with little in common get no marks, which would only be noise.
  const common = a.slice(0, same).trim().length + a.slice(a.length - tail).trim().length
  if (common < 3 || common < Math.max(a.trim().length, b.trim().length) / 4) return
  if (a.length - tail > same) del.marked = [same, a.length - tail]
  if (b.length - tail > same) add.marked = [same, b.length - tail]
}
