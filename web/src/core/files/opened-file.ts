import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { isRead, kindOf, type FileKind } from './file-kinds.js'
import { folderOf } from './paths.js'

export { kindOf, type FileKind } from './file-kinds.js'

export type FileText = Wire<'FileText'>

export type LineEnd = '\n' | '\r\n'

/** An edit of a text. It outlives the view of its file until it is saved or discarded. */
export interface Edit { text: string, original: string, version: string, ending: LineEnd }

/** Returns the line ending; null if line endings are mixed, because a text box supports only one. */
function endingOf (content: string): LineEnd | null {
  const found = new Set(content.match(/\r\n?|\n/g) ?? [])
  if (found.size > 1 || found.has('\r')) return null
  return found.has('\r\n') ? '\r\n' : '\n'
}

/** Counts lines as people do: a line break at the end does not start another line. */
export const lineCount = (content: string): number => content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)

/** Returns why a text cannot be edited here without loss; null if it can. */
export const whyFixed = ({ content, is_lossy: isLossy }: FileText): 'lossy' | 'mixed' | null =>
  isLossy ? 'lossy' : endingOf(content) === null ? 'mixed' : null

/** Unsaved edits, by session and path, for the life of the page. */
export class Edits {
  readonly #all = new Map<string, Edit>()
  readonly #paths = signal<ReadonlySet<string>>(new Set())

  /** Whether there is an unsaved edit. A reactive read. */
  has (sessionId: string, path: string): boolean {
    return this.#paths.value.has(keyOf(sessionId, path))
  }

  get isEmpty (): boolean { return this.#all.size === 0 }
  get (sessionId: string, path: string): Edit | null { return this.#all.get(keyOf(sessionId, path)) ?? null }

  set (sessionId: string, path: string, edit: Edit): void {
    this.#all.set(keyOf(sessionId, path), edit)
    this.#tell()
  }

  /** Forgets the edits of a path and of everything below it. */
  forget (sessionId: string, path: string): void {
    const key = keyOf(sessionId, path)
    for (const one of [...this.#all.keys()]) if (one === key || one.startsWith(`${key}/`)) this.#all.delete(one)
    this.#tell()
  }

  /** Moves edits along with a moved file or folder. */
  moved (sessionId: string, from: string, to: string): void {
    for (const [key, edit] of [...this.#all]) {
      const before = keyOf(sessionId, from)
      if (key !== before && !key.startsWith(`${before}/`)) continue
      this.#all.delete(key)
      this.#all.set(keyOf(sessionId, to) + key.slice(before.length), edit)
    }
    this.#tell()
  }

  #tell (): void {
    this.#paths.value = new Set(this.#all.keys())
  }
}

const keyOf = (sessionId: string, path: string): string => `${sessionId}\n${path}`

export interface OpenedFileOptions {
  api: Api
  sessionId: string
  path: string
  edits: Edits
  /** Called after the file was saved here. */
  onSaved?: () => void
}

/** A file that is open, and edited if it is text. */
export class OpenedFile {
  readonly kind: FileKind
  readonly #file = signal<FileText | null>(null)
  readonly #error = signal<ApiError | null>(null)
  readonly #edit: Signal<Edit | null>
  /** Whether someone else has changed the file since the edit began. */
  readonly conflict = signal(false)
  readonly isSaving = signal(false)
  /** Changes with the file, for views that fetch its bytes themselves. */
  readonly edition = signal<number | null>(null)
  #reading = 0

  constructor (readonly options: OpenedFileOptions) {
    this.kind = kindOf(options.path)
    this.#edit = signal(options.edits.get(options.sessionId, options.path))
  }

  get path (): string { return this.options.path }
  /** Null until it is loaded, and for files whose text is not loaded. */
  get file (): ReadonlySignal<FileText | null> { return this.#file }
  get error (): ReadonlySignal<ApiError | null> { return this.#error }
  get edit (): ReadonlySignal<Edit | null> { return this.#edit }

  /** Reads the file. Never throws: the error is a state. */
  async load (): Promise<void> {
    if (!isRead(this.kind)) return
    const mine = ++this.#reading
    const { api, sessionId, path } = this.options
    try {
      const file = await api.get('/api/file', { session_id: sessionId, path })
      if (mine !== this.#reading) return
      batch(() => {
        if (file.version !== this.#file.peek()?.version) this.#file.value = file
        this.#error.value = null
        this.#compare(file)
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (mine === this.#reading) this.#error.value = error
    }
  }

  /** Compares the edit with the file: one without changes follows the file; any other is in conflict with it. */
  #compare (file: FileText): void {
    const edit = this.#edit.peek()
    if (edit === null || edit.version === file.version) return
    const next = edit.text === edit.original ? editOf(file) : null
    if (next === null) this.conflict.value = true
    else this.#edit.value = next
  }

  /** Reads the file again after a change in its folder. The edit stays. */
  async news (): Promise<void> {
    if (this.isSaving.peek()) return
    if (isRead(this.kind)) return await this.load()
    const { api, sessionId, path } = this.options
    try {
      const { entries } = await api.get('/api/list', { session_id: sessionId, path: folderOf(path) })
      const entry = entries.find((one) => one.path === path)
      // Other files may change while this one plays, and must not interrupt it.
      if (entry !== undefined) this.edition.value = entry.mtime_ns
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }

  /** Begins an edit. Returns false if editing would lose part of the content. */
  begin (): boolean {
    const file = this.#file.peek()
    const edit = file === null ? null : editOf(file)
    if (edit !== null) this.#edit.value = edit
    return edit !== null
  }

  type (text: string): void {
    const edit = this.#edit.peek()
    if (!edit) return
    const { edits, sessionId, path } = this.options
    this.#edit.value = { ...edit, text }
    if (text === edit.original) edits.forget(sessionId, path)
    else edits.set(sessionId, path, { ...edit, text })
  }

  /** Ends the edit without saving, and returns it for `resume`. */
  drop (): Edit | null {
    const edit = this.#edit.peek() ?? null
    this.options.edits.forget(this.options.sessionId, this.options.path)
    batch(() => {
      this.#edit.value = null
      this.conflict.value = false
    })
    void this.load()
    return edit
  }

  /** Resumes a discarded edit. */
  resume (edit: Edit): void {
    this.#edit.value = edit
    this.options.edits.set(this.options.sessionId, this.options.path, edit)
    void this.load()
  }

  /** Ends an edit without unsaved changes. Returns false if it has any. */
  finish (): boolean {
    const edit = this.#edit.peek()
    if (edit !== null && edit.text !== edit.original) return false
    this.#edit.value = null
    return true
  }

  /** Saves the edit, which stays open; `overwrite` replaces another version on purpose. Throws ApiError; a conflict is a state. */
  async save ({ overwrite = false } = {}): Promise<boolean> {
    const edit = this.#edit.peek()
    if (!edit || this.isSaving.peek()) return false
    this.isSaving.value = true
    try {
      return await this.#write(edit, overwrite)
    } finally {
      this.isSaving.value = false
    }
  }

  async #write (edit: Edit, overwrite: boolean): Promise<boolean> {
    const { api, sessionId, path, edits, onSaved } = this.options
    const { version } = overwrite ? await api.get('/api/file', { session_id: sessionId, path }) : edit
    const content = edit.ending === '\n' ? edit.text : edit.text.replaceAll('\n', edit.ending)
    try {
      const saved = await api.post('/api/file/save', { session_id: sessionId, path, content, if_match: version })
      // Text typed meanwhile is still unsaved.
      const now = this.#edit.peek()
      const next = now === null ? null : { ...now, original: edit.text, version: saved.version }
      batch(() => {
        this.conflict.value = false
        this.#edit.value = next
      })
      if (next === null || next.text === next.original) edits.forget(sessionId, path)
      else edits.set(sessionId, path, next)
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed') throw error
      this.conflict.value = true
      return false
    }
    await this.load()
    onSaved?.()
    return true
  }
}

/** Returns an unchanged edit of a file; null if editing would lose part of its content. */
function editOf ({ content, version, is_binary: isBinary, is_lossy: isLossy, preview }: FileText): Edit | null {
  const ending = isBinary || isLossy || preview !== null ? null : endingOf(content)
  if (ending === null) return null
  const text = content.replaceAll('\r\n', '\n')
  return { text, original: text, version, ending }
}

/**
 * Parses a CSV or TSV text into at most `mostRows` rows; `more`: whether it has more. Quoted cells may contain separators and line breaks.
 */
export function tableOf (text: string, { mostRows = 2_000 } = {}): { rows: string[][], more: boolean } {
  const separator = separatorOf(text)
  const rows: string[][] = []
  let row: string[] = []
  let cell = ''
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at)
    if (quoted) {
      if (sign !== '"') cell += sign
      else if (text[at + 1] === '"') cell += text.charAt(++at)
      else quoted = false
    } else if (sign === '"' && cell === '') quoted = true
    else if (sign === separator) {
      row.push(cell)
      cell = ''
    } else if (sign === '\n') {
      rows.push([...row, cell.replace(/\r$/, '')])
      row = []
      cell = ''
      if (rows.length === mostRows) return { rows, more: at + 1 < text.length }
    } else cell += sign
  }
  if (cell !== '' || row.length > 0) rows.push([...row, cell])
  return { rows, more: false }
}

/** Returns the most frequent separator in the first line. */
function separatorOf (text: string): string {
  const first = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'))
  const count = (sign: string): number => first.split(sign).length
  return [',', ';', '\t'].reduce((best, sign) => count(sign) > count(best) ? sign : best)
}
