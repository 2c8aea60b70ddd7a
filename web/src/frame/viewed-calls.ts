import { signal, type ReadonlySignal } from '@preact/signals'
import { api } from '../app.js'

/** The calls of one session that have a view, as far as the service was asked. */
interface Viewed { sessionId: string, ids: ReadonlySet<string>, asked: Set<string> }

const known = signal<Viewed | null>(null)
let asking: Promise<void> = Promise.resolve()

/** The calls that have a view; null before anything is known. Ask with `lookFor`. */
export const viewed: ReadonlySignal<Viewed | null> = known

/** Asks the service once about calls that it was not asked about yet; the answer covers the whole session. */
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
