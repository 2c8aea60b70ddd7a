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

interface Log { child (bindings: object): this }

/** Loggers that name the trace of each line by themselves. */
const named = new WeakSet<object>()

/** A logger whose lines belong to a trace, wherever they are written. */
export function ofTrace<L extends Log> (log: L, traceId: string): L {
  const own = log.child({ trace_id: traceId })
  named.add(own)
  return own
}

const nothing = {}
/** What a line of the log says of the trace in which it is written (a `mixin` of pino). */
export function logFields (_line: object, _level: number, log: object): object {
  const context = currentContext()
  return context === null || named.has(log) ? nothing : { trace_id: context.traceId }
}
