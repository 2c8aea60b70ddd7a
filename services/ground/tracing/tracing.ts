import { createCollector } from './collector.js'
import { currentContext } from './current.js'
import { Exporter, type ExporterOptions } from './exporter.js'
import { isSampled } from './sampler.js'
import { type TracingSettings } from './settings.js'
import { newSpanId, newTraceId, type Attributes, type RemoteContext, type Span, type SpanContext } from './span.js'

/** A span that was begun; `isSampled`: its trace is recorded. */
export interface BegunSpan extends RemoteContext { parentId: string | null, hasRemoteParent: boolean }

/** Traces of this process; there is none of it where they are off. */
export interface Tracing {
  /** Texts are wanted as well. */
  readonly hasTexts: boolean
  /** Context is taken from those who call, and passed on to those who are called. */
  readonly propagates: boolean
  /** Begins a span. `parent`: what it belongs to; null: it begins a trace. */
  begin (parent: (RemoteContext & { isRemote?: boolean }) | null): BegunSpan
  /** Takes a span that is over; one of a trace that is not recorded is for the caller to leave out. Never throws, and never waits. */
  record (span: Span): void
  /** Work as a span of its own, below `parent` or what is current. What it throws is thrown, and said of the span by `failureOf`. */
  around<T> (
    span: Pick<Span, 'name' | 'kind' | 'attributes'>, work: (note: (more: Attributes) => void) => Promise<T>,
    failureOf: (error: unknown) => string, parent?: SpanContext | null
  ): Promise<T>
  readonly standing: Exporter['standing']
  /** Sends what waits, for a moment; then nothing is taken any more. */
  close (): Promise<void>
}

/** The service is to stop within seconds. */
const closingMs = 1_500

export function createTracing (
  { resource, batches, sampling, hasTexts, propagates, ...way }: TracingSettings, { log, scope }: Pick<ExporterOptions, 'log' | 'scope'>
): Tracing {
  const exporter = new Exporter({ collector: createCollector(way), batches, resource, scope, log })

  function begin (parent: (RemoteContext & { isRemote?: boolean }) | null): BegunSpan {
    const traceId = parent?.traceId ?? newTraceId()
    return {
      traceId, spanId: newSpanId(), parentId: parent?.spanId ?? null, hasRemoteParent: parent?.isRemote === true,
      // What was decided in here holds for all of a trace.
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
