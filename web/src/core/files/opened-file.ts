import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { kindOf, type FileKind } from './file-kinds.js'
import { folderOf } from './paths.js'

export { kindOf, type FileKind } from './file-kinds.js'

export type FileText = Wire<'FileText'>
/** Whether its text is asked for. */
const isRead = (kind: FileKind): boolean => kind === 'text' || kind === 'markdown' || kind === 'table'

export type LineEnd = '\n' | '\r\n'

/** A text that is being changed: it outlives the view of its file, until it is saved or dropped. */
export interface Edit { text: string, original: string, version: string, ending: LineEnd }

/** How lines end; null when not all alike, as a text box knows one way only. */
function endingOf (content: string): LineEnd | null {
  const found = new Set(content.match(/\r\n?|\n/g) ?? [])
  if (found.size > 1 || found.has('\r')) return null
  return found.has('\r\n') ? '\r\n' : '\n'
}

/** What people count: the end of the last line begins no other. */
export const lineCount = (content: string): number => content === '' ? 0 : content.split('\n').length - (content.endsWith('\n') ? 1 : 0)

/** Why a text cannot be changed here without loss; null when it can. */
export const whyFixed = ({ content, is_lossy: isLossy }: FileText): 'lossy' | 'mixed' | null =>
  isLossy ? 'lossy' : endingOf(content) === null ? 'mixed' : null

/** Texts that were changed and not saved, by session and path, for as long as the page lives. */
export class Edits {
  readonly #all = new Map<string, Edit>()
  readonly #paths = signal<ReadonlySet<string>>(new Set())

  /** Keys of what is not saved; read while drawing, it follows. */
  has (sessionId: string, path: string): boolean {
    return this.#paths.value.has(keyOf(sessionId, path))
  }

  get isEmpty (): boolean { return this.#all.size === 0 }
  get (sessionId: string, path: string): Edit | null { return this.#all.get(keyOf(sessionId, path)) ?? null }

  set (sessionId: string, path: string, edit: Edit): void {
    this.#all.set(keyOf(sessionId, path), edit)
    this.#tell()
  }

  /** Of a path and all that lies below it. */
  forget (sessionId: string, path: string): void {
    const key = keyOf(sessionId, path)
    for (const one of [...this.#all.keys()]) if (one === key || one.startsWith(`${key}/`)) this.#all.delete(one)
    this.#tell()
  }

  /** Something has another path now, and what was typed goes with it. */
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
  /** It was written here. */
  onSaved?: () => void
}

/** One file that is looked at, and changed where it is a text. */
export class OpenedFile {
  readonly kind: FileKind
  readonly #file = signal<FileText | null>(null)
  readonly #error = signal<ApiError | null>(null)
  readonly #edit: Signal<Edit | null>
  /** Somebody else has written the file since what is being changed was read. */
  readonly conflict = signal(false)
  readonly isSaving = signal(false)
  /** Raised when the file is another one: for what fetches its bytes by itself. */
  readonly edition = signal<number | null>(null)
  #reading = 0

  constructor (readonly options: OpenedFileOptions) {
    this.kind = kindOf(options.path)
    this.#edit = signal(options.edits.get(options.sessionId, options.path))
  }

  get path (): string { return this.options.path }
  /** Null until it was read, and for what is not read. */
  get file (): ReadonlySignal<FileText | null> { return this.#file }
  get error (): ReadonlySignal<ApiError | null> { return this.#error }
  get edit (): ReadonlySignal<Edit | null> { return this.#edit }

  /** Never throws: the error is a state. */
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
        const edit = this.#edit.peek()
        if (edit && edit.version !== file.version) this.conflict.value = true
      })
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (mine === this.#reading) this.#error.value = error
    }
  }

  /** Something in its folder has changed: the file is looked at again. What is being typed stays. */
  async news (): Promise<void> {
    if (this.isSaving.peek()) return
    if (isRead(this.kind)) return await this.load()
    const { api, sessionId, path } = this.options
    try {
      const { entries } = await api.get('/api/list', { session_id: sessionId, path: folderOf(path) })
      const entry = entries.find((one) => one.path === path)
      // What is playing goes on while other files change.
      if (entry !== undefined) this.edition.value = entry.mtime_ns
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
    }
  }

  /** Begins to change it; false where that would lose something. */
  begin (): boolean {
    const file = this.#file.peek()
    if (file === null || file.is_binary || file.preview !== null) return false
    const ending = endingOf(file.content)
    if (file.is_lossy || ending === null) return false
    const text = file.content.replaceAll('\r\n', '\n')
    this.#edit.value = { text, original: text, version: file.version, ending }
    return true
  }

  type (text: string): void {
    const edit = this.#edit.peek()
    if (!edit) return
    const { edits, sessionId, path } = this.options
    this.#edit.value = { ...edit, text }
    if (text === edit.original) edits.forget(sessionId, path)
    else edits.set(sessionId, path, { ...edit, text })
  }

  /** Ends changing it, without saving; what was typed is returned, so that it can be taken up again. */
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

  /** Goes on with what was dropped. */
  resume (edit: Edit): void {
    this.#edit.value = edit
    this.options.edits.set(this.options.sessionId, this.options.path, edit)
    void this.load()
  }

  /** The text stays, and would go over what is there now: `overwrite` says that this is meant. Throws ApiError; a conflict is a state. */
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
      await api.post('/api/file/save', { session_id: sessionId, path, content, if_match: version })
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'changed') throw error
      this.conflict.value = true
      return false
    }
    edits.forget(sessionId, path)
    await this.load()
    batch(() => {
      this.conflict.value = false
      this.#edit.value = null
    })
    onSaved?.()
    return true
  }
}

/**
 * The cells of a CSV or TSV text, at most so many rows; `more` says that there are others. Quoted cells may hold separators and line ends.
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

/** The one that the first line has most of. */
function separatorOf (text: string): string {
  const first = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'))
  const count = (sign: string): number => first.split(sign).length
  return [',', ';', '\t'].reduce((best, sign) => count(sign) > count(best) ? sign : best)
}
