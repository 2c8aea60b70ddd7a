import { type ResumedAsk, type RunSpec } from '../../../agent/protocol.js'
import { type Database } from '../../../ground/database/index.js'
import { fieldsOf } from '../../../ground/fields.js'
import { payloadOf, rowBytes, textIn } from '../payloads.js'
import { type OpenStream, type TurnStore } from '../rows.js'
import { type TurnInput, type Unbegun } from '../turn-plan.js'
import { type UnfinishedSteps } from './unfinished.js'

/**
 * A turn that only waits for a person: what its run needs to continue in another process. `input`: its message, if no model was called yet.
 */
export interface WaitingTurn { resume: NonNullable<RunSpec['resume']>, position: number, steps: number, input: TurnInput | null }

/** A turn whose message is stored but that no host has. */
export interface UnbegunTurn extends Pick<Unbegun, 'attended'> { input: TurnInput }

interface OpenPrompt {
  askId: string
  kind: string
  callId: string | null
  beside: number
  state: string
  expiresAt: number | null
  body: string
}

/** Finds out which turns that a stop of the service has left can begin or continue. */
export function createResumableTurns (
  { db, store, unfinished: { unfolded, openCalls } }: { db: Database, store: TurnStore, unfinished: UnfinishedSteps }
) {
  // A row of another area, read with limits on its size, as in createUnfinished.
  const begunBy = db.sqlite.prepare<[string], { body: string, replay: string | null }>(
    `select body, case when octet_length(replay) <= ${rowBytes} then replay end as replay from messages where message_id = (select user_message_id from streams where id = ?) and octet_length(body) <= ${rowBytes}`)
  const prompts = db.sqlite.prepare<[string], OpenPrompt>(
    "select id as askId, kind, call_id as callId, beside, state, expires_at as expiresAt, body from prompts where stream_id = ? and state in ('open', 'answering')")

  /**
   * Returns the turn of a stream if it only waits for a person, else null. In that case no call was running that could have had an effect:
   * every call without a result either waits for its own answer or was held up by an earlier one before it began. Or no call is open, and
   * the turn waits for permission to call its model.
   */
  function waiting (stream: OpenStream): WaitingTurn | null {
    if (stream.state !== 'active' || !['chat', 'goal', 'cron'].includes(stream.kind)) return null
    const open = prompts.all(stream.streamId)
    const [first, ...others] = open
    if (first === undefined || !open.every(waits)) return null
    const { position, calls } = openCalls(stream.streamId)
    const isBetweenCalls = others.length === 0 && payloadOf(first.body)['budget'] !== undefined
    let held = false
    for (const call of calls) {
      const prompt = open.find((candidate) => candidate.callId === call.id)
      if (prompt === undefined && !held) return null
      held ||= prompt?.beside === 0
    }
    const { text, reasoning, announced } = unfolded(stream)
    if ((calls.length === 0) !== isBetweenCalls || text !== '' || reasoning !== '') return null
    const input = position === -1 ? inputOf(begunBy.get(stream.streamId)) : null
    if (position === -1 && input === null) return null
    return {
      position,
      input,
      steps: store.stepsOf(stream.streamId),
      resume: {
        calls: calls.map((call) => ({ ...call, announced: announced.has(call.id) })),
        asks: open.map(resumedAsk),
        steers: store.pendingSteers(stream.streamId)
      }
    }
  }

  /** Returns the turn of a stream if no host was given it yet, so that it can begin; else null. */
  function unbegun ({ streamId, state }: OpenStream): UnbegunTurn | null {
    const unbegun = store.unbegunOf(streamId)
    return state !== 'active' || unbegun === null ? null : toBegin(streamId, payloadOf(unbegun))
  }

  /** Returns the turn of a stream if nothing was heard from the host that was given it; it can begin if that host has not received it. */
  function unheard ({ streamId, state, runSeq }: OpenStream): UnbegunTurn | null {
    const { given } = payloadOf(store.heldOf(streamId) ?? '{}')
    return state !== 'active' || runSeq > 0 || given === undefined ? null : toBegin(streamId, fieldsOf(given))
  }

  function toBegin (streamId: string, { model, modelProvider, attended }: Record<string, unknown>): UnbegunTurn | null {
    const input = inputOf(begunBy.get(streamId))
    const wanted = {
      ...(typeof model === 'string' ? { model } : {}), ...(typeof modelProvider === 'string' ? { modelProvider } : {})
    }
    return input === null ? null : { input: { ...input, ...wanted }, attended: attended === true }
  }

  return {
    waiting,
    unbegun,
    unheard,
    /** Returns the message that began a turn; null if it cannot be read. */
    inputOf: (streamId: string): TurnInput | null => inputOf(begunBy.get(streamId))
  }
}

/** Whether no answer is being processed, and the call is known. */
const waits = (prompt: OpenPrompt): prompt is OpenPrompt & { callId: string } => prompt.state === 'open' && prompt.callId !== null

/** The time limit of questions is measured by the service, not by their runs. */
function resumedAsk ({ askId, kind, callId, expiresAt, body }: OpenPrompt & { callId: string }): ResumedAsk {
  const expiresAtMs = expiresAt === null || kind === 'clarify' ? null : expiresAt * 1000
  return { body: payloadOf(body) as unknown as ResumedAsk['body'], askId, callId, expiresAtMs }
}

/** Returns the message that began a turn, as it was sent and as models read it, from its row; null if it cannot be read. */
function inputOf (row: { body: string, replay: string | null } | undefined): TurnInput | null {
  const { role, content, attachments } = payloadOf(row?.body ?? '{}')
  // A turn that began with results has no message.
  if (role !== 'user' || typeof content !== 'string') return null
  const files = Array.isArray(attachments) ? attachments.map(fieldsOf) : []
  const { content: parts } = payloadOf(row?.replay ?? '{}')
  const said = fieldsOf(Array.isArray(parts) ? parts[0] : undefined)
  return {
    message: content,
    // A command was expanded when it was sent; its files may say something else by now.
    ...(typeof said.text === 'string' ? { expanded: said.text } : {}),
    attachments: files.map(({ name, path, mime, size, is_image: isImage }) => ({
      name: textIn(name), path: textIn(path), mime: textIn(mime), size: typeof size === 'number' ? size : null, isImage: isImage === true
    }))
  }
}

export type ResumableTurns = ReturnType<typeof createResumableTurns>
