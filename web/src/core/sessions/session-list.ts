import { batch, computed, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api, type Wire } from '../service/api.js'
import { type FeedFrame, type Link } from '../service/link.js'

export type Row = Wire<'PageRow'>

export interface SessionList {
  /** The known rows in the service's order: the most recently active first. */
  readonly rows: ReadonlySignal<readonly Row[]>
  /** False until the first snapshot. */
  readonly isKnown: ReadonlySignal<boolean>
  readonly hasMore: ReadonlySignal<boolean>
  /** Whether the list is this device's copy, shown until the service answers. */
  readonly isKept: ReadonlySignal<boolean>
  /** Shows this device's copy until the service answers. */
  offer: (list: Wire<'SessionPage'>) => void
  /** Returns a session's row, even one that no loaded page contains. A reactive read. */
  row: (sessionId: string) => Row | undefined
  /** Loads the next page, one at a time. Throws ApiError. */
  loadMore: () => Promise<void>
}

interface Known { row: Row, version: number }

/** The session list. Its first page comes with the feed's snapshot; further pages are loaded on demand, and single rows as they change. */
export function createSessionList ({ api, link, limit = 50 }: { api: Api, link: Link, limit?: number }): SessionList {
  const known = signal<ReadonlyMap<string, Known>>(new Map())
  const cursor = signal<string | null>(null)
  const isKnown = signal(false)
  const isKept = signal(false)
  /** Deleted sessions: a page requested earlier must not bring them back. */
  let gone = new Map<string, number>()
  let loading: Promise<void> | null = null
  /** Incremented by each snapshot: a page requested before it belongs to another list. */
  let generation = 0

  function replace (list: Wire<'SessionPage'>): void {
    generation++
    gone = new Map()
    batch(() => {
      known.value = new Map([...list.pinned, ...list.sessions].map((row) => [row.session_id, { row, version: list.version }]))
      cursor.value = list.next_cursor
      isKnown.value = true
      isKept.value = false
    })
  }

  function put (rows: readonly Row[], version: number): void {
    const next = new Map(known.value)
    for (const row of rows) {
      const isLater = version >= (next.get(row.session_id)?.version ?? -1) && version >= (gone.get(row.session_id) ?? -1)
      if (isLater) next.set(row.session_id, { row, version })
    }
    known.value = next
  }

  function remove (sessionId: string, version: number): void {
    gone.set(sessionId, version)
    const { version: seen = -1 } = known.value.get(sessionId) ?? {}
    if (seen > version || !known.value.has(sessionId)) return
    const next = new Map(known.value)
    next.delete(sessionId)
    known.value = next
  }

  link.onFrame((frame: FeedFrame) => {
    switch (frame.event) {
      case 'snapshot':
      case 'sessions': {
        const before = rows.peek().length
        replace(frame.data.list)
        // After a snapshot, as many pages are loaded as were shown before it.
        if (before > limit && cursor.peek() !== null) void fill(before, generation)
        return
      }
      case 'session': return put([frame.data.session], frame.data.version)
      case 'session_gone': return remove(frame.data.session_id, frame.data.version)
    }
  })

  async function fill (count: number, of: number): Promise<void> {
    while (of === generation && cursor.peek() !== null && known.peek().size < count) await load().catch(() => { generation++ })
  }

  async function load (): Promise<void> {
    const before = cursor.peek()
    if (before === null) return
    const mine = generation
    const page = await api.get('/api/sessions', { limit: String(limit), before }) as Wire<'SessionPage'>
    if (mine !== generation) return
    batch(() => {
      put(page.sessions, page.version)
      cursor.value = page.next_cursor
    })
  }

  const rows = computed(() => [...known.value.values()].map(({ row }) => row).toSorted(byActivity))
  return {
    rows,
    isKnown,
    isKept,
    offer (list) {
      if (isKnown.peek()) return
      batch(() => {
        replace(list)
        isKept.value = true
      })
    },
    hasMore: computed(() => cursor.value !== null),
    row: (sessionId) => known.value.get(sessionId)?.row,
    loadMore: async () => {
      loading ??= load().finally(() => { loading = null })
      await loading
    }
  }
}

const byActivity = (a: Row, b: Row): number =>
  (b.last_message_at ?? b.updated_at) - (a.last_message_at ?? a.updated_at) || (a.session_id < b.session_id ? 1 : -1)
