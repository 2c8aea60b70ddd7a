import { type RunSpec, type RunSpan } from '../../agent/protocol.js'
import { redact } from '../../ground/redaction/index.js'
import { modelWord, providerWord } from '../../ground/tracing/providers.js'
import { newSpanId, spanIdOf, type AttributeValue, type Span, type SpanContext } from '../../ground/tracing/span.js'
import { type BegunSpan } from '../../ground/tracing/tracing.js'
import { attributesOf, vocabulary, type SpanAttributes } from '../../ground/tracing/vocabulary.js'
import { type Turn } from '../chat/index.js'
import { type ClosedPrompt } from '../prompts/index.js'

type Place = Pick<Span, 'traceId' | 'spanId' | 'parentId' | 'hasRemoteParent'>

/** The place of a turn in a trace, as its stream stores it: ids of the trace, of its span and of its parent, and whether that is remote. */
const form = /^([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{16}|)-(r|)$/

export const placeInTrace = ({ traceId, spanId, parentId, hasRemoteParent }: BegunSpan): string =>
  [traceId, spanId, parentId ?? '', hasRemoteParent ? 'r' : ''].join('-')

/** Returns null if the turn is not traced. */
export function placeOf (trace: string | null): Place | null {
  const [, traceId, spanId, parentId = '', remote] = form.exec(trace ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return null
  return { traceId, spanId, parentId: parentId === '' ? null : parentId, hasRemoteParent: remote === 'r' }
}

/** Returns the context below a turn, or below one of its spans; null if the turn is not traced. */
export function below (trace: string | null, span?: string): SpanContext | null {
  const place = placeOf(trace)
  return place === null ? null : { traceId: place.traceId, spanId: span ?? place.spanId }
}

/** A turn, whether it is live or was found after a stop of the service. */
interface TracedTurn extends Pick<Turn, 'trace' | 'streamId' | 'sessionId' | 'profile' | 'startedAtS'> {
  kind: string
  machine: string | undefined
  model: { provider: string, id: string } | null
}

/** Builds the span of a finished turn; null if it is not traced. */
export function spanOfTurn (
  { trace, streamId, sessionId, profile, startedAtS, kind, machine, model }: TracedTurn, said: SpanAttributes<'turn'>, nowMs: number
): Span | null {
  const place = placeOf(trace)
  if (place === null) return null
  return {
    ...place,
    name: `invoke_agent ${profile}`,
    kind: vocabulary.turn.kind,
    startMs: startedAtS * 1_000,
    endMs: Math.max(nowMs, startedAtS * 1_000),
    attributes: attributesOf<'turn'>({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.name': profile,
      'gen_ai.conversation.id': sessionId,
      'gen_ai.provider.name': model === null ? undefined : providerWord(model.provider),
      'gen_ai.request.model': model === null ? undefined : modelWord(model.id),
      'svc.turn.id': streamId,
      'svc.turn.kind': kind,
      'svc.machine': machine,
      ...said
    })
  }
}

/** Builds the span of a closed prompt. Its id is derived from the prompt, so there is only one, whoever closes it. */
export function spanOfPrompt (
  { id, sessionId, kind, callId, createdAt, end }: ClosedPrompt, { traceId, spanId: parentId }: SpanContext, nowMs: number
): Span {
  const name = kind === 'approval' ? 'approval' : 'question'
  return {
    traceId,
    spanId: spanIdOf(id),
    parentId,
    name: `prompt ${name}`,
    kind: vocabulary.prompt.kind,
    startMs: createdAt * 1_000,
    endMs: Math.max(nowMs, createdAt * 1_000),
    attributes: attributesOf<'prompt'>({
      'gen_ai.conversation.id': sessionId, 'gen_ai.tool.call.id': callId ?? undefined, 'svc.prompt.kind': name, 'svc.prompt.outcome': end
    })
  }
}

/** Builds the span of a host's start that a run has waited for; null if its turn is not traced. */
export function spanOfStart ({ trace, profile, host: machine }: RunSpec, startMs: number, endMs: number): Span | null {
  if (trace === undefined) return null
  return {
    traceId: trace.traceId, spanId: newSpanId(), parentId: trace.spanId, name: `start_host ${profile}`, kind: vocabulary.host.kind, startMs,
    endMs, attributes: attributesOf<'host'>({ 'gen_ai.agent.name': profile, 'svc.machine': machine })
  }
}

const longestName = 256
const models: ReadonlySet<string> = new Set<string>(['gen_ai.request.model', 'gen_ai.response.model'])

/** Builds a span from a run's report, with only the attributes of the vocabulary. */
export function spanOfRun (
  traceId: string, sessionId: string, { word, id, parent, startMs, endMs, attributes }: RunSpan, hasTexts: boolean
): Span {
  const { kind, attributes: names, texts } = vocabulary[word]
  const read = (name: string, longest: number): Array<[string, AttributeValue]> => {
    const value = Object.hasOwn(attributes, name) ? attributes[name] : undefined
    if (value === undefined) return []
    if (typeof value === 'string') return [[name, redact((models.has(name) ? modelWord(value) : value).slice(0, longest))]]
    return [[name, typeof value === 'object' ? value.map((item) => redact(item)) : value]]
  }
  const said = Object.fromEntries([
    ...names.flatMap((name) => read(name, longestName)), ...hasTexts ? texts.flatMap((name) => read(name, Infinity)) : []
  ])
  const operation = word === 'chat' ? 'chat' : 'execute_tool'
  const object = said[word === 'chat' ? 'gen_ai.request.model' : 'gen_ai.tool.name']
  return {
    traceId, spanId: id, parentId: parent, name: typeof object === 'string' ? `${operation} ${object}` : operation, kind, startMs,
    endMs: Math.max(startMs, endMs),
    attributes: { ...said, 'gen_ai.operation.name': operation, 'gen_ai.conversation.id': sessionId }
  }
}
