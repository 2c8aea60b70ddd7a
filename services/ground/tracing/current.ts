import { AsyncLocalStorage } from 'node:async_hooks'
import { type RemoteContext } from './span.js'

/** Where work is done that belongs to a trace. Null once that work is over: what it has begun and goes on has a trace of its own. */
const here = new AsyncLocalStorage<{ context: RemoteContext | null }>()

/** The span in which this is called; null: in none. */
export const currentContext = (): RemoteContext | null => here.getStore()?.context ?? null

/** Does work in a span: what is begun until it is done belongs to that. */
export function withinContext<T> (context: RemoteContext, work: () => T): T {
  const store: { context: RemoteContext | null } = { context }
  const leave = (): void => { store.context = null }
  const result = here.run(store, work)
  if (result instanceof Promise) return result.finally(leave) as T
  leave()
  return result
}

const nothing = {}
/** What a line of the log says of the trace that it belongs to. */
export function logFields (): object {
  const context = currentContext()
  return context === null ? nothing : { trace_id: context.traceId, span_id: context.spanId }
}
