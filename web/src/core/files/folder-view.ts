import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { type Link } from '../service/link.js'
import { folderOf, workspaceTop } from './paths.js'

export type Entry = Wire<'Entry'>
export const sortKeys = ['name', 'modified', 'size'] as const
type SortKey = typeof sortKeys[number]
export interface Sorting { key: SortKey, descending: boolean }

/** The sorting and filter of all folders; the caller stores them. */
export interface ListLook {
  sorting: Signal<Sorting>
  /** Whether names that begin with a dot are shown. */
  hidden: Signal<boolean>
}

export interface FolderViewOptions {
  api: Api
  link: Link
  sessionId: string
  look: ListLook
  /** The folder that is shown first. */
  path?: string
  /** Called when a shown folder is gone and its parent is shown instead. */
  onGone?: (path: string) => void
}

/** A folder of a session's workspace, read when it is opened and when the service reports a change. */
export class FolderView {
  readonly path: Signal<string>
  readonly #entries = signal<readonly Entry[] | null>(null)
  readonly error = signal<ApiError | null>(null)
  readonly filter = signal('')
  /** Null until the folder is read. */
  get entries (): ReadonlySignal<readonly Entry[] | null> { return this.#entries }
  /** The shown entries, in order. */
  readonly shown = computed(() => {
    const { sorting, hidden } = this.options.look
    return arranged(this.#entries.value ?? [], { sorting: sorting.value, hidden: hidden.value, filter: this.filter.value })
  })

  /** The number of hidden entries. */
  readonly hiddenCount = computed(() =>
    this.options.look.hidden.value ? 0 : (this.#entries.value ?? []).filter(({ name }) => name.startsWith('.')).length)

  readonly #listeners = new Set<(entries: readonly Entry[]) => void>()
  #signature: string | null = null
  #stop: (() => void) | null = null
  #running: Promise<void> | null = null
  #isWanted = false

  constructor (readonly options: FolderViewOptions) {
    this.path = signal(options.path ?? workspaceTop)
  }

  /** Watches the shown folder until the returned function is called. */
  attend (): () => void {
    this.#watch()
    return () => {
      this.#stop?.()
      this.#stop = null
    }
  }

  /** Adds a listener that is called after every read. */
  onRead (listener: (entries: readonly Entry[]) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async go (path: string): Promise<void> {
    if (path === this.path.peek() && this.#entries.peek() !== null) return await this.refresh()
    batch(() => {
      this.path.value = path
      this.#entries.value = null
      this.error.value = null
      this.filter.value = ''
    })
    this.#signature = null
    if (this.#stop !== null) this.#watch()
    await this.refresh()
  }

  /** Reads the folder, once for all callers. Never throws: the error is a state. */
  async refresh (): Promise<void> {
    this.#isWanted = true
    this.#running ??= this.#run()
    await this.#running
  }

  #watch (): void {
    this.#stop?.()
    const path = this.path.peek()
    this.#stop = this.options.link.watchFolder(this.options.sessionId, path, ({ data }) => {
      // After a failure, a folder with the same signature is read again too: its machine may be back.
      if (path === this.path.peek() && (data.signature !== this.#signature || this.error.peek() !== null)) void this.refresh()
    })
  }

  async #run (): Promise<void> {
    while (this.#isWanted) {
      this.#isWanted = false
      await this.#read(this.path.peek())
    }
    this.#running = null
  }

  async #read (path: string): Promise<void> {
    try {
      const { entries, signature } = await this.options.api.get('/api/list', { session_id: this.options.sessionId, path })
      if (path !== this.path.peek()) return
      this.#signature = signature
      batch(() => {
        this.#entries.value = entries
        this.error.value = null
      })
      for (const listener of this.#listeners) listener(entries)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (path !== this.path.peek()) return
      if (error.status !== 404 || path === workspaceTop) {
        this.error.value = error
        return
      }
      this.options.onGone?.(path)
      void this.go(folderOf(path))
    }
  }
}

const inOrder = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' })

/** Sorts entries, folders before files. */
function arranged (
  entries: readonly Entry[], { sorting, hidden, filter }: { sorting: Sorting, hidden: boolean, filter: string }
): readonly Entry[] {
  const wanted = filter.trim().toLocaleLowerCase()
  const kept = entries.filter(({ name }) =>
    (hidden || !name.startsWith('.')) && (wanted === '' || name.toLocaleLowerCase().includes(wanted)))
  const sign = sorting.descending ? -1 : 1
  return kept.toSorted((a, b) => {
    if (a.is_dir !== b.is_dir) return a.is_dir ? -1 : 1
    const byKey = sorting.key === 'modified' ? a.mtime_ns - b.mtime_ns : sorting.key === 'size' ? (a.size ?? 0) - (b.size ?? 0) : 0
    return sign * (byKey === 0 ? inOrder.compare(a.name, b.name) : byKey)
  })
}
