import { batch, computed, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { ApiError, type Api, type Wire } from '../service/api.js'
import { type Link } from '../service/link.js'
import { folderOf, workspaceTop } from './paths.js'

export type Entry = Wire<'Entry'>
export const sortKeys = ['name', 'modified', 'size'] as const
type SortKey = typeof sortKeys[number]
export interface Sorting { key: SortKey, descending: boolean }

/** How the lists of all folders are shown; kept by whoever makes the view. */
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
  /** A folder that was shown is gone; the one above it is shown now. */
  onGone?: (path: string) => void
}

/** A folder of a session's workspace as it is now: read when it is gone to, and whenever the service says that it has changed. */
export class FolderView {
  readonly path: Signal<string>
  readonly #entries = signal<readonly Entry[] | null>(null)
  readonly error = signal<ApiError | null>(null)
  readonly filter = signal('')
  /** Null until the folder was read. */
  get entries (): ReadonlySignal<readonly Entry[] | null> { return this.#entries }
  /** Those that are shown, in their order. */
  readonly shown = computed(() => {
    const { sorting, hidden } = this.options.look
    return arranged(this.#entries.value ?? [], { sorting: sorting.value, hidden: hidden.value, filter: this.filter.value })
  })

  /** How many are left out because of their names. */
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

  /** Watches the folder that is shown until what is returned is called. */
  attend (): () => void {
    this.#watch()
    return () => {
      this.#stop?.()
      this.#stop = null
    }
  }

  /** Tells of every reading. */
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

  /** Reads it, once for all who ask meanwhile. Never throws: the error is a state. */
  async refresh (): Promise<void> {
    this.#isWanted = true
    this.#running ??= this.#run()
    await this.#running
  }

  #watch (): void {
    this.#stop?.()
    const path = this.path.peek()
    this.#stop = this.options.link.watchFolder(this.options.sessionId, path, ({ data }) => {
      // After a failure it may be the same and yet be worth a try: its machine is there again.
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

/** Entries as they are listed: folders before files, whatever they are sorted by. */
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
