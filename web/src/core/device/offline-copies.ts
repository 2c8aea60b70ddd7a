import { type Wire } from '../service/api.js'
import { type CopyStore } from './copy-store.js'
import { type StoredRow } from '../turn/turn-stored.js'

/** A session list as this device last saw it. */
interface ListCopy { list: Wire<'SessionPage'>, atMs: number }
/** The end of a session as this device last saw it; `detail` has no messages of its own. */
interface SessionCopy { detail: Wire<'SessionDetail'>, rows: StoredRow[], offset: number, atMs: number }

export interface OfflineCopies {
  list: () => Promise<ListCopy | null>
  session: (id: string) => Promise<SessionCopy | null>
  /** Keeps a copy after a pause, so that several changes make one. */
  putList: (list: Wire<'SessionPage'>) => void
  putSession: (detail: Wire<'SessionDetail'>, rows: readonly StoredRow[], offset: number) => void
  /** Deletes the copy of a session that is gone. */
  drop: (id: string) => Promise<void>
  /** Deletes all copies, including pending ones, and stops keeping any. */
  clear: () => Promise<void>
}

export interface OfflineCopiesOptions {
  store: CopyStore
  /** The owner of the copies. Those of another login are deleted before anything is read. */
  login: string
  pauseMs?: number
  mostSessions?: number
}

/** Incremented when the format changes; older copies are no longer read. */
const format = 1
const usualPauseMs = 500
const mostRows = 100
const mostListed = 100
const mostChars = 6_000_000

interface Entry { id: string, chars: number }
interface Index { format: number, login: string, sessions: Entry[] }

/** Keeps copies of what the person last looked at, within limits, for use until the service answers or while it cannot be reached. */
export function createOfflineCopies ({ store, login, pauseMs = usualPauseMs, mostSessions = 30 }: OfflineCopiesOptions): OfflineCopies {
  const timers = new Map<string, ReturnType<typeof setTimeout>>()
  /** Writes are serialised, because the index lists every copy. */
  let last: Promise<unknown> = Promise.resolve()
  let index: Index | null = null
  /** Whether all copies are being deleted and no more are kept. */
  let isOver = false

  const ifKept = async <Result>(act: () => Promise<Result>): Promise<Result | null> => await inTurn(async () => isOver ? null : await act())
  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = last.then(act)
    last = next.catch(() => {})
    return next
  }

  async function ready (): Promise<Index> {
    if (index !== null) return index
    const known = await store.get('index') as Index | undefined
    if (known?.format === format && known.login === login) {
      index = known
      return known
    }
    await store.clear()
    index = { format, login, sessions: [] }
    await store.put('index', index)
    return index
  }

  function later (key: string, act: () => Promise<void>): void {
    if (isOver) return
    clearTimeout(timers.get(key))
    timers.set(key, setTimeout(() => {
      timers.delete(key)
      void ifKept(act)
    }, pauseMs))
  }

  async function forget (id: string): Promise<void> {
    const known = await ready()
    known.sessions = known.sessions.filter((entry) => entry.id !== id)
    await store.delete(`session ${id}`)
    await store.put('index', known)
  }

  async function keep (id: string, copy: SessionCopy): Promise<void> {
    const known = await ready()
    const chars = JSON.stringify(copy).length
    if (chars > mostChars / 4) return await forget(id)
    const sessions = [{ id, chars }, ...known.sessions.filter((entry) => entry.id !== id)]
    let sum = 0
    const kept = sessions.filter((entry, place) => place < mostSessions && (sum += entry.chars) <= mostChars)
    for (const entry of sessions) if (!kept.includes(entry)) await store.delete(`session ${entry.id}`)
    await store.put(`session ${id}`, copy)
    known.sessions = kept
    await store.put('index', known)
  }

  return {
    list: async () => await ifKept(async () => {
      await ready()
      return await store.get('list') as ListCopy | undefined ?? null
    }),
    session: async (id) => await ifKept(async () => {
      const known = await ready()
      if (!known.sessions.some((entry) => entry.id === id)) return null
      return await store.get(`session ${id}`) as SessionCopy | undefined ?? null
    }),
    putList: ({ pinned, sessions, ...page }) => later('list', async () => {
      await ready()
      await store.put('list', {
        list: { ...page, pinned, sessions: sessions.slice(0, mostListed), next_cursor: null }, atMs: Date.now()
      } satisfies ListCopy)
    }),
    // Only the service knows what runs, and a draft belongs to the box: neither is copied.
    putSession: ({ composer_draft: draft, ...facts }, rows, offset) => later(`session ${facts.session_id}`, async () => {
      const shown = rows.slice(-mostRows)
      const detail = { ...facts, active_stream_id: null, messages: [], tool_calls: [] }
      await keep(facts.session_id, { detail, rows: shown, offset: shown[0]?.index ?? offset, atMs: Date.now() })
    }),
    drop: async (id) => {
      clearTimeout(timers.get(`session ${id}`))
      timers.delete(`session ${id}`)
      await ifKept(async () => await forget(id))
    },
    clear: async () => {
      isOver = true
      for (const timer of timers.values()) clearTimeout(timer)
      timers.clear()
      await inTurn(async () => {
        index = null
        await store.clear()
      })
    }
  }
}
