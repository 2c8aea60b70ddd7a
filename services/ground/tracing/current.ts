import { AsyncLocalStorage } from 'node:async_hooks'
import { type RemoteContext } from './span.js'

/**
 * The current work that belongs to a trace. Set to null once that work is over: what it started and is still running gets a trace of its
 * own.
 */
const here = new AsyncLocalStorage<{ context: RemoteContext | null }>()

/** Returns the span in which this is called; null if there is none. */
export const currentContext = (): RemoteContext | null => here.getStore()?.context ?? null

/** Runs work in a span: everything that begins before it ends belongs to the span. */
export function withinContext<T> (context: RemoteContext, work: () => T): T {
  const store: { context: RemoteContext | null } = { context }
  const leave = (): void => { store.context = null }
  const result = here.run(store, work)
  if (result instanceof Promise) return result.finally(leave) as T
  leave()
  return result
}

interface Log { child (bindings: object): this }

/** Loggers that add the trace to each line themselves. */
const named = new WeakSet<object>()

/** Returns a logger whose lines belong to a trace, wherever they are written. */
export function ofTrace<L extends Log> (log: L, traceId: string): L {
  const own = log.child({ trace_id: traceId })
  named.add(own)
  return own
}

/** Returns the trace field for a line of the log (a `mixin` of pino), each time in a new object: pino adds the fields of the line to it. */
export function logFields (_line: object, _level: number, log: object): object {
  const context = currentContext()
  return context === null || named.has(log) ? {} : { trace_id: context.traceId }
}
