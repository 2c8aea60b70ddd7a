import { signal, type ReadonlySignal } from '@preact/signals'
import { api, link } from '../app.js'
import { type Wire } from '../core/service/api.js'

/** The calls of one session that have a view, as far as they were asked for. */
interface Viewed { sessionId: string, ids: ReadonlySet<string>, asked: Set<string> }

const known = signal<Viewed | null>(null)
let asking: Promise<void> = Promise.resolve()

/** Which calls have a view; null before anything is known. Ask with `lookFor`. */
export const viewed: ReadonlySignal<Viewed | null> = known

/** Asks the service once for calls that were not asked about; the answer is about the whole session. */
export function lookFor (sessionId: string, callIds: readonly string[]): void {
  const before = known.peek()
  const asked = before?.sessionId === sessionId ? before.asked : new Set<string>()
  const fresh = callIds.filter((id) => !asked.has(id))
  if (fresh.length === 0) return
  for (const id of fresh) asked.add(id)
  if (before?.sessionId !== sessionId) known.value = { sessionId, ids: new Set(), asked }
  asking = asking.then(async () => {
    const { call_ids: ids } = await api.get('/api/mcp/views', { session_id: sessionId })
    if (known.peek()?.sessionId === sessionId) known.value = { sessionId, ids: new Set(ids), asked }
  }).catch(() => { for (const id of fresh) asked.delete(id) })
}

export type MadeCall = Wire<'McpViewMade'>

const madeCalls = signal<{ sessionId: string, calls: readonly MadeCall[] } | null>(null)
let watch: { sessionId: string, uses: number, stop: () => void } | null = null

/** What views of a session have called by themselves; null before anything is known. Keep it up to date with `followMade`. */
export const made: ReadonlySignal<{ sessionId: string, calls: readonly MadeCall[] } | null> = madeCalls

/** Keeps `made` up to date, on all devices, until the returned function is called. All that follow a session share one watch. */
export function followMade (sessionId: string): () => void {
  if (watch?.sessionId !== sessionId) {
    watch?.stop()
    const read = (): void => {
      api.get('/api/mcp/view/calls', { session_id: sessionId }).then(({ calls }) => {
        if (watch?.sessionId === sessionId) madeCalls.value = { sessionId, calls }
      }, () => {})
    }
    read()
    watch = {
      sessionId,
      uses: 0,
      stop: link.watchSession(sessionId, {
        onTurn: () => {}, onConversation: (event) => { if (event === 'view_calls_changed' || event === 'initial') read() }
      })
    }
  }
  const mine = watch
  mine.uses++
  return () => {
    if (--mine.uses > 0) return
    mine.stop()
    if (watch === mine) watch = null
  }
}
