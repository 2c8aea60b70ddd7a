import { Value } from '@sinclair/typebox/value'
import { saidSpanForm, type RunSpec, type RunTrace, type SaidSpan, type StepUsage } from '../../agent/protocol.js'
import { type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { remoteFolder } from '../../ground/location.js'
import { redact } from '../../ground/redaction/index.js'
import { currentContext } from '../../ground/tracing/current.js'
import { modelWord, providerWord } from '../../ground/tracing/providers.js'
import { newSpanId, spanIdOf, type AttributeValue, type Span, type SpanContext } from '../../ground/tracing/span.js'
import { type BegunSpan, type Tracing } from '../../ground/tracing/tracing.js'
import { attributesOf, cutText, vocabulary, type Said } from '../../ground/tracing/vocabulary.js'
import { type Chat, type Turn, type TurnAbove, type TurnOutcome, type TurnTraces } from '../chat/index.js'
import { type ClosedPrompt, type Prompts } from '../prompts/index.js'

/** A small task beside the turns. `turn`: the stream of the one that it is done for; null: none. */
interface TracedTask { task: string, provider: string, model: string, turn: string | null }

export interface TurnTracesOptions {
  tracing: Tracing
  db: Pick<Database, 'enqueue' | 'afterCommit'>
  clock: Clock
}

/** Where a turn belongs, as its stream keeps it: ids of the trace, of its span and of what that is below, and whether that is elsewhere. */
const form = /^([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{16}|)-(r|)$/
type Place = Pick<Span, 'traceId' | 'spanId' | 'parentId' | 'hasRemoteParent'>

const kept = ({ traceId, spanId, parentId, hasRemoteParent }: BegunSpan): string =>
  [traceId, spanId, parentId ?? '', hasRemoteParent ? 'r' : ''].join('-')

/** Null where it is not traced. */
function placeOf (trace: string | null): Place | null {
  const [, traceId, spanId, parentId = '', remote] = form.exec(trace ?? '') ?? []
  if (traceId === undefined || spanId === undefined) return null
  return { traceId, spanId, parentId: parentId === '' ? null : parentId, hasRemoteParent: remote === 'r' }
}

const longestName = 256

/**
 * Makes spans of turns, of what their runs tell, of prompts and of small tasks. A span is sent when it is over, and nothing of it is in
 * memory before: where a turn belongs stands with its stream, and when a prompt was asked in its row. So what waits for days, or for a
 * restart, becomes one span. What was stored is sent after that, and once: what is lost with the process is not sent.
 */
export function createTurnTraces ({ tracing, db, clock }: TurnTracesOptions) {
  const { hasTexts, propagates } = tracing
  /** Of a turn that lives; undefined: of none. */
  let traceOf: (streamId: string) => string | null | undefined = () => undefined

  /** After everything that is enqueued by now is stored. */
  const whenStored = (span: Span): void => db.enqueue({ write () {}, committed: () => tracing.record(span) })
  const text = (value: string | null | undefined): string | undefined =>
    hasTexts && value !== undefined && value !== null && value !== '' ? redact(cutText(value)) : undefined

  function below (trace: string | null, span?: string): SpanContext | null {
    const place = placeOf(trace)
    return place === null ? null : { traceId: place.traceId, spanId: span ?? place.spanId }
  }

  function spanOfTurn (
    { trace, streamId, sessionId, profile, startedAtS, kind, machine }:
    Pick<Turn, 'trace' | 'streamId' | 'sessionId' | 'profile' | 'startedAtS'> & { kind: string, machine: string | undefined },
    said: Said<'turn'>
  ): Span | null {
    const place = placeOf(trace)
    return place === null
      ? null
      : {
          ...place,
          name: `invoke_agent ${profile}`,
          kind: vocabulary.turn.kind,
          startMs: startedAtS * 1_000,
          endMs: Math.max(clock.now(), startedAtS * 1_000),
          attributes: attributesOf<'turn'>({
            'gen_ai.operation.name': 'invoke_agent',
            'gen_ai.agent.name': profile,
            'gen_ai.conversation.id': sessionId,
            'svc.turn.id': streamId,
            'svc.turn.kind': kind,
            'svc.machine': machine,
            ...said
          })
        }
  }

  function ended (turn: Turn, { state, ended: how, answer, errorType }: TurnOutcome, machine: string | undefined): void {
    const model = turn.recorder.model ?? turn.model
    const span = spanOfTurn({ ...identityOf(turn), kind: turn.plan.kind, machine }, {
      'gen_ai.provider.name': model === null ? undefined : providerWord(model.provider),
      'gen_ai.request.model': model === null ? undefined : modelWord(model.id),
      'svc.turn.outcome': how ?? state,
      'error.type': state === 'failed' ? errorType ?? '_OTHER' : undefined,
      'gen_ai.input.messages': message('user', text(turn.plan.input?.message)),
      'gen_ai.output.messages': message('assistant', text(answer))
    })
    if (span !== null) whenStored(span)
  }

  function closed ({ id, sessionId, streamId, kind, callId, createdAt, end }: ClosedPrompt): void {
    const above = below(traceOf(streamId) ?? null)
    if (above === null) return
    const name = kind === 'approval' ? 'approval' : 'question'
    const span: Span = {
      traceId: above.traceId,
      // There is one of each prompt, whoever closes it.
      spanId: spanIdOf(id),
      parentId: above.spanId,
      name: `prompt ${name}`,
      kind: vocabulary.prompt.kind,
      startMs: createdAt * 1_000,
      endMs: Math.max(clock.now(), createdAt * 1_000),
      attributes: attributesOf<'prompt'>({
        'gen_ai.conversation.id': sessionId, 'gen_ai.tool.call.id': callId ?? undefined, 'svc.prompt.kind': name, 'svc.prompt.outcome': end
      })
    }
    db.afterCommit(() => tracing.record(span))
  }

  const port: TurnTraces = {
    begin (under?: TurnAbove) {
      const above = under === undefined ? currentContext() : below(under.trace, under.span)
      if (under !== undefined && above === null) return null
      const begun = tracing.begin(above === null ? null : { isSampled: true, ...above })
      return begun.isSampled ? kept(begun) : null
    },

    forRun (trace): RunTrace | undefined {
      const above = below(trace)
      return above === null ? undefined : { ...above, propagates, hasTexts }
    },

    told ({ sessionId, trace }, said) {
      const place = placeOf(trace)
      if (place === null || !Value.Check(saidSpanForm, said)) return
      whenStored(spanOfRun(place.traceId, sessionId, said, hasTexts))
    }
  }

  return {
    ...port,

    /** The id of the trace of a turn, for logs; undefined where it is not traced. */
    traceIdOf: (trace: string | null): string | undefined => placeOf(trace)?.traceId,

    /** Has the ends of turns and prompts told of as well. `folderOf`: the folder of a session. */
    follow (chat: Pick<Chat, 'turn' | 'turns'>, prompts: Pick<Prompts, 'on'>, folderOf: (sessionId: string) => string | undefined): void {
      traceOf = (streamId) => chat.turn(streamId)?.trace
      prompts.on('closed', closed)
      chat.turns.on('ended', (turn, outcome) => ended(turn, outcome, machineOf(folderOf(turn.sessionId))))
      chat.turns.on('recovered', (interrupted) => {
        for (const stream of interrupted) {
          const span = spanOfTurn({ ...stream, machine: machineOf(stream.workspace) }, {
            'gen_ai.provider.name': stream.provider === null ? undefined : providerWord(stream.provider),
            'gen_ai.request.model': stream.model === null ? undefined : modelWord(stream.model),
            'svc.turn.outcome': 'interrupted',
            'error.type': 'interrupted'
          })
          if (span !== null) whenStored(span)
        }
      })
    },

    /** A host is ready that these runs had waited for. */
    hostStarted (runs: readonly RunSpec[], sinceMs: number): void {
      for (const { trace, profile, host } of runs) {
        if (trace === undefined) continue
        tracing.record({
          traceId: trace.traceId, spanId: newSpanId(), parentId: trace.spanId, name: `start_host ${profile}`, kind: vocabulary.host.kind,
          startMs: sinceMs, endMs: Date.now(), attributes: attributesOf<'host'>({ 'gen_ai.agent.name': profile, 'svc.machine': host })
        })
      }
    },

    /** Has a small task done as a span of the turn that it is done for. */
    async task<T> ({ task, provider, model, turn }: TracedTask, work: (used: (usage: StepUsage) => void) => Promise<T>): Promise<T> {
      const trace = turn === null ? undefined : traceOf(turn)
      // What is done for a turn that is not recorded is not either.
      if (trace === null) return await work(() => {})
      return await tracing.around({
        name: `chat ${modelWord(model)}`,
        kind: vocabulary.chat.kind,
        attributes: attributesOf<'chat'>({
          'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': providerWord(provider), 'gen_ai.request.model': modelWord(model), 'svc.model.task': task
        })
      }, async (note) => {
        const result = await work(({ inputTokens, outputTokens, estimated }) => note(attributesOf<'chat'>({
          'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens, 'svc.usage.estimated': estimated || undefined
        })))
        if (result === null) note({ 'error.type': 'no_answer' })
        return result
      }, () => 'failed', trace === undefined ? undefined : below(trace))
    }
  }
}

export type TurnSpans = ReturnType<typeof createTurnTraces>

const identityOf = ({ trace, streamId, sessionId, profile, startedAtS }: Turn) => ({ trace, streamId, sessionId, profile, startedAtS })
const machineOf = (folder: string | undefined): string | undefined => folder === undefined ? undefined : remoteFolder(folder)?.host

const message = (role: 'user' | 'assistant', content: string | undefined): string | undefined =>
  content === undefined ? undefined : JSON.stringify([{ role, parts: [{ type: 'text', content }] }])

const models: ReadonlySet<string> = new Set<string>(['gen_ai.request.model', 'gen_ai.response.model'])

/** What a run has told, in the words of the vocabulary and no others. */
function spanOfRun (
  traceId: string, sessionId: string, { word, id, parent, startMs, endMs, attributes }: SaidSpan, hasTexts: boolean
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
