import { attributesOf, cutText, type SpanAttributes } from '../../ground/tracing/vocabulary.js'
import { newSpanId, traceparentOf } from '../../ground/tracing/span.js'
import { type ModelMessage, type RunEventBody } from '../protocol.js'
import { type RunTrace, type RunSpan } from '../span-form.js'

type Word = RunSpan['word']

/** A span of a run that has not ended yet. */
export interface OpenSpan<W extends Word = Word> {
  readonly id: string
  /** The `traceparent` header for requests made for this span (W3C Trace Context); undefined if the trace must not be passed on. */
  readonly traceparent: string | undefined
  /** Adds attributes. */
  note (said: SpanAttributes<W>): void
  /** Ends the span. Only the first call counts. */
  end (said?: SpanAttributes<W>): void
}

/** The spans of a run. It exists only if the turn is traced. */
export interface RunSpans {
  /** Whether spans include texts. */
  readonly hasTexts: boolean
  /** The `traceparent` header for requests made for the whole run; undefined if the trace must not be passed on. */
  readonly traceparent: string | undefined
  /** Begins a span, now or at `sinceMs`, a time of `performance.now()`. */
  begin<W extends Word> (word: W, said: SpanAttributes<W>, sinceMs?: number): OpenSpan<W>
}

/** Creates spans that are emitted as events of their run when they end. */
export function createRunSpans (trace: RunTrace, emit: (event: RunEventBody) => void): RunSpans {
  const { traceId, spanId: parent, propagates, hasTexts } = trace
  return {
    hasTexts,
    traceparent: propagates ? traceparentOf({ traceId, spanId: parent }) : undefined,
    begin (word, said, sinceMs = performance.now()) {
      const id = newSpanId()
      const startMs = Date.now() - (performance.now() - sinceMs)
      let attributes = attributesOf(said)
      let isOver = false
      return {
        id,
        traceparent: propagates ? traceparentOf({ traceId, spanId: id }) : undefined,
        note (more) { attributes = { ...attributes, ...attributesOf(more) } },
        end (more = {}) {
          if (isOver) return
          isOver = true
          // The wall clock may be changed meanwhile.
          const endMs = startMs + performance.now() - sinceMs
          emit({ t: 'span', said: { word, id, parent, startMs, endMs, attributes: { ...attributes, ...attributesOf(more) } } })
        }
      }
    }
  }
}

/** Returns the texts of a prompt as attributes: the last messages, as many as fit into an attribute. */
export function promptTexts (prompt: readonly ModelMessage[]): SpanAttributes<'chat'> {
  const system = prompt.flatMap((message) => message.role === 'system' ? [{ type: 'text', content: brief(message.content, longestMessages) }] : [])
  const said = prompt.filter(({ role }) => role !== 'system')
  return { 'gen_ai.system_instructions': cutText(JSON.stringify(system)), 'gen_ai.input.messages': messagesText(said) }
}

const longestPart = 4_000
const longestMessages = 15_000

/** Returns the last messages that fit, in the format of the OpenTelemetry conventions. */
export function messagesText (messages: readonly ModelMessage[]): string {
  const kept: string[] = []
  let chars = 0
  for (const message of messages.toReversed()) {
    const text = JSON.stringify({ role: message.role, parts: partsOf(message) })
    chars += text.length
    if (chars > longestMessages && kept.length > 0) break
    kept.unshift(text)
  }
  return cutText(`[${kept.join(',')}]`)
}

const brief = (text: string, longest = longestPart): string => text.length <= longest ? text : `${text.slice(0, longest)}…`

function partsOf (message: ModelMessage): object[] {
  if (message.role === 'system') return [{ type: 'text', content: brief(message.content) }]
  return message.content.map((part) => {
    switch (part.type) {
      case 'text':
      case 'reasoning': return { type: part.type, content: brief(part.text) }
      case 'tool-call': return { type: 'tool_call', id: part.toolCallId, name: part.toolName, arguments: brief(JSON.stringify(part.input)) }
      case 'tool-result': return { type: 'tool_call_response', id: part.toolCallId, response: brief(JSON.stringify(part.output)) }
      // Images and the like are left out.
      default: return { type: part.type }
    }
  })
}
