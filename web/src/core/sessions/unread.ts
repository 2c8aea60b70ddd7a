import { isRecord } from '../service/records.js'
import { signal } from '@preact/signals-core'
import { type Row } from './session-list.js'

export interface Unread {
  /** Whether something was said since this device last showed the session. */
  is: (row: Pick<Row, 'session_id' | 'last_message_at' | 'is_streaming'>) => boolean
  /** Marks the session as read up to now. */
  seen: (sessionId: string, atS: number) => void
}

interface Store { getItem: (key: string) => string | null, setItem: (key: string, text: string) => void }

const key = 'seen'
/** How many sessions are remembered at most; older ones count as read. */
const most = 500

/** Remembers on this device when each session was last viewed. Sessions from before the first use count as read. */
export function createUnread ({ store, nowS }: { store: Store, nowS: () => number }): Unread {
  const kept = read(store)
  const since = kept.since ?? nowS()
  const seen = signal<ReadonlyMap<string, number>>(new Map(kept.seen))
  if (kept.since === undefined) write(store, since, seen.value)
  return {
    is: ({ session_id: id, last_message_at: at, is_streaming: isRunning }) =>
      at !== null && !isRunning && at > Math.max(since, seen.value.get(id) ?? 0),
    seen (sessionId, atS) {
      if ((seen.peek().get(sessionId) ?? 0) >= atS) return
      const next = new Map(seen.peek())
      next.delete(sessionId)
      next.set(sessionId, atS)
      seen.value = new Map([...next].slice(-most))
      write(store, since, seen.value)
    }
  }
}

const isSeen = (one: unknown): one is [string, number] => Array.isArray(one) && typeof one[0] === 'string' && typeof one[1] === 'number'

function read (store: Store): { since?: number, seen: Array<[string, number]> } {
  try {
    const kept: unknown = JSON.parse(store.getItem(key) ?? '')
    if (isRecord(kept) && typeof kept.since === 'number' && Array.isArray(kept.seen)) {
      return { since: kept.since, seen: kept.seen.filter(isSeen) }
    }
  } catch {}
  return { seen: [] }
}

function write (store: Store, since: number, seen: ReadonlyMap<string, number>): void {
  try {
    store.setItem(key, JSON.stringify({ since, seen: [...seen] }))
  } catch {}
}
