import { attributesOf, cutText, type Said } from '../../ground/tracing/vocabulary.js'
import { newSpanId, traceparentOf } from '../../ground/tracing/span.js'
import { type ModelMessage, type RunEventBody } from '../protocol.js'
import { type RunTrace, type SaidSpan } from '../said-span.js'

type Word = SaidSpan['word']

/** Work of a run that goes on. */
export interface OpenSpan<W extends Word = Word> {
  readonly id: string
  /** The header of that name for whoever is called for it (W3C Trace Context); undefined: nobody is to be told. */
  readonly traceparent: string | undefined
  /** Adds what is known by now. */
  note (said: Said<W>): void
  /** It is over; the first time counts. */
  end (said?: Said<W>): void
}

/** The spans of a run. Where its turn is not traced there are none. */
export interface RunSpans {
  /** Texts are to be said as well. */
  readonly hasTexts: boolean
  /** What the run itself is known by, for whoever is called for all of it; undefined: nobody is to be told. */
  readonly traceparent: string | undefined
  /** Begins one, now or at a moment by `performance.now()`. */
  begin<W extends Word> (word: W, said: Said<W>, sinceMs?: number): OpenSpan<W>
}

/** Spans that are told of as events of their run when they end. */
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
          // The wall clock may be set meanwhile.
          const endMs = startMs + performance.now() - sinceMs
          emit({ t: 'span', said: { word, id, parent, startMs, endMs, attributes: { ...attributes, ...attributesOf(more) } } })
        }
      }
    }
  }
}

/** The texts of a prompt, as attributes: what was said last, as much of it as an attribute takes. */
export function promptTexts (prompt: readonly ModelMessage[]): Said<'chat'> {
  const system = prompt.flatMap((message) => message.role === 'system' ? [{ type: 'text', content: brief(message.content, longestMessages) }] : [])
  const said = prompt.filter(({ role }) => role !== 'system')
  return { 'gen_ai.system_instructions': cutText(JSON.stringify(system)), 'gen_ai.input.messages': messagesText(said) }
}

const longestPart = 4_000
const longestMessages = 15_000

/** The last messages that fit, in the form of the conventions. */
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
      // Images and the like are not repeated.
      default: return { type: part.type }
    }
  })
}
