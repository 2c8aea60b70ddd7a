import { Value } from '@sinclair/typebox/value'
import { spanForm, type RunSpec, type StepUsage } from '../../agent/protocol.js'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { remoteFolder } from '../../ground/remote-folder.js'
import { redact } from '../../ground/redaction/index.js'
import { currentContext } from '../../ground/tracing/current.js'
import { modelWord, providerWord } from '../../ground/tracing/providers.js'
import { type Span } from '../../ground/tracing/span.js'
import { type Tracing } from '../../ground/tracing/tracing.js'
import { attributesOf, cutText, vocabulary } from '../../ground/tracing/vocabulary.js'
import { type Chat, type Turn, type TurnOutcome, type TurnTraces } from '../chat/index.js'
import { type Prompts } from '../prompts/index.js'
import { below, placeInTrace, placeOf, spanOfPrompt, spanOfRun, spanOfStart, spanOfTurn } from './spans.js'

/** A small task besides the turns. `turn`: the stream of the turn that it is done for; null if none. */
interface TracedTask { task: string, provider: string, model: string, turn: string | null }

export interface TurnTracesOptions {
  tracing: Tracing
  db: Pick<Database, 'enqueue' | 'afterCommit'>
  clock: Clock
}

/**
 * Makes spans of turns, of their runs' reports, of prompts and of small tasks. A span is sent when it is over; until then nothing of it is
 * in memory: the turn's place is stored with its stream, and the time of a prompt in its row. So even a wait of days, or across a restart,
 * becomes one span. A span of something that is stored is sent after that, and once: what is lost with the process is not sent.
 */
export function createTurnTraces ({ tracing, db, clock }: TurnTracesOptions) {
  const { hasTexts, propagates } = tracing
  /** Returns the trace of a live turn; undefined if there is no such turn. */
  let traceOf: (streamId: string) => string | null | undefined = () => undefined

  /** Sends a span after everything that is enqueued now has been stored. null: there is nothing to send. */
  const whenStored = (span: Span | null): void => {
    if (span !== null) db.enqueue({ write () {}, committed: () => tracing.record(span) })
  }
  const message = (role: 'user' | 'assistant', text = ''): string | undefined =>
    hasTexts && text !== '' ? JSON.stringify([{ role, parts: [{ type: 'text', content: redact(cutText(text)) }] }]) : undefined

  const port: TurnTraces = {
    begin (under) {
      const above = under === undefined ? currentContext() : below(under.trace, under.span)
      if (under !== undefined && above === null) return null
      const begun = tracing.begin(above === null ? null : { isSampled: true, ...above })
      return begun.isSampled ? placeInTrace(begun) : null
    },

    forRun (trace) {
      const above = below(trace)
      return above === null ? undefined : { ...above, propagates, hasTexts }
    },

    told ({ sessionId, trace }, said) {
      const place = placeOf(trace)
      if (place !== null && Value.Check(spanForm, said)) whenStored(spanOfRun(place.traceId, sessionId, said, hasTexts))
    }
  }

  function ended (turn: Turn, { state, ended: how, answer, errorType }: TurnOutcome, machine: string | undefined): void {
    const { trace, streamId, sessionId, profile, startedAtS, plan: { kind, input }, recorder, model } = turn
    whenStored(spanOfTurn({ trace, streamId, sessionId, profile, startedAtS, kind, machine, model: recorder.model ?? model }, {
      'svc.turn.outcome': how ?? state,
      'error.type': state === 'failed' ? errorType ?? '_OTHER' : undefined,
      'gen_ai.input.messages': message('user', input?.message),
      'gen_ai.output.messages': message('assistant', answer)
    }, clock.now()))
  }

  return {
    ...port,

    /** Returns the id of a turn's trace, for logs; undefined if it is not traced. */
    traceIdOf: (trace: string | null): string | undefined => placeOf(trace)?.traceId,

    /** Also follows the ends of turns and prompts. `folderOf`: returns the folder of a session. */
    follow (chat: Pick<Chat, 'turn' | 'turns'>, prompts: Pick<Prompts, 'on'>, folderOf: (sessionId: string) => string | undefined): void {
      traceOf = (streamId) => chat.turn(streamId)?.trace
      prompts.on('closed', (prompt) => {
        const above = below(traceOf(prompt.streamId) ?? null)
        if (above !== null) db.afterCommit(() => tracing.record(spanOfPrompt(prompt, above, clock.now())))
      })
      chat.turns.on('ended', (turn, outcome) => ended(turn, outcome, machineOf(folderOf(turn.sessionId))))
      chat.turns.on('recovered', (interrupted) => {
        for (const stream of interrupted) {
          const { provider, model: id } = stream
          const model = provider === null || id === null ? null : { provider, id }
          whenStored(spanOfTurn({ ...stream, machine: machineOf(stream.workspace), model }, {
            'svc.turn.outcome': 'interrupted', 'error.type': 'interrupted'
          }, clock.now()))
        }
      })
    },

    /** Called when a host is ready that these runs have waited for. */
    hostStarted (runs: readonly RunSpec[], sinceMs: number): void {
      for (const run of runs) whenStored(spanOfStart(run, sinceMs, Date.now()))
    },

    /** Does a small task as a span of the turn that it is done for. */
    async task<T> ({ task, provider, model, turn }: TracedTask, work: (used: (usage: StepUsage) => void) => Promise<T>): Promise<T> {
      const trace = turn === null ? undefined : traceOf(turn)
      // A task for a turn that is not recorded is not recorded either.
      if (trace === null) return await work(() => {})
      const name = modelWord(model)
      return await tracing.around({
        name: `chat ${name}`,
        kind: vocabulary.chat.kind,
        attributes: attributesOf<'chat'>({
          'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': providerWord(provider), 'gen_ai.request.model': name, 'svc.model.task': task
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

const machineOf = (folder: string | undefined): string | undefined => folder === undefined ? undefined : remoteFolder(folder)?.machine
