import { createCollector } from './collector.js'
import { currentContext } from './current.js'
import { Exporter, type ExporterOptions } from './exporter.js'
import { isSampled } from './sampler.js'
import { type TracingSettings } from './settings.js'
import { newSpanId, newTraceId, type Attributes, type RemoteContext, type Span, type SpanContext } from './span.js'

/** A span that has begun. `isSampled`: whether its trace is recorded. */
export interface BegunSpan extends RemoteContext { parentId: string | null, hasRemoteParent: boolean }

/** Makes the traces of this process. It does not exist if tracing is off. */
export interface Tracing {
  /** Whether texts are sent too. */
  readonly hasTexts: boolean
  /** Whether context is accepted from callers and passed on to the services that are called. */
  readonly propagates: boolean
  /** Begins a span below `parent`; null: it begins a trace. */
  begin (parent: (RemoteContext & { isRemote?: boolean }) | null): BegunSpan
  /** Adds a span that has ended. The caller must leave out spans of traces that are not recorded. Never throws, and never waits. */
  record (span: Span): void
  /** Runs work in a span of its own, below `parent` or the current span. Errors are thrown on, and `failureOf` names them in the span. */
  around<T> (
    span: Pick<Span, 'name' | 'kind' | 'attributes'>, work: (note: (more: Attributes) => void) => Promise<T>,
    failureOf: (error: unknown) => string, parent?: SpanContext | null
  ): Promise<T>
  readonly standing: Exporter['standing']
  /** Sends the waiting spans for a moment. Afterwards no spans are accepted. */
  close (): Promise<void>
}

/** Short, because the service must stop within seconds. */
const closingMs = 1_500

export function createTracing (
  { resource, batches, sampling, hasTexts, propagates, ...way }: TracingSettings, { log, scope }: Pick<ExporterOptions, 'log' | 'scope'>
): Tracing {
  const exporter = new Exporter({ collector: createCollector(way), batches, resource, scope, log })

  function begin (parent: (RemoteContext & { isRemote?: boolean }) | null): BegunSpan {
    const traceId = parent?.traceId ?? newTraceId()
    return {
      traceId, spanId: newSpanId(), parentId: parent?.spanId ?? null, hasRemoteParent: parent?.isRemote === true,
      // A decision made in this process applies to the whole trace.
      isSampled: parent !== null && parent.isRemote !== true ? parent.isSampled : isSampled(sampling, traceId, parent?.isSampled ?? null)
    }
  }

  return {
    hasTexts,
    propagates,
    begin,
    record: (span) => exporter.add(span),
    async around ({ name, kind, attributes }, work, failureOf, parent) {
      const begun = begin(parent === undefined ? currentContext() : parent === null ? null : { ...parent, isSampled: true })
      if (!begun.isSampled) return await work(() => {})
      const [startMs, sinceMs] = [Date.now(), performance.now()]
      let all = attributes
      const note = (more: Attributes): void => { all = { ...all, ...more } }
      try {
        return await work(note)
      } catch (error) {
        note({ 'error.type': failureOf(error) })
        throw error
      } finally {
        const { isSampled: _, ...span } = begun
        exporter.add({ ...span, name, kind, startMs, endMs: startMs + performance.now() - sinceMs, attributes: all })
      }
    },
    get standing () { return exporter.standing },
    close: async () => await exporter.close(closingMs)
  }
}
