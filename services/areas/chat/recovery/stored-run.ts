import { type CutShort, type ToldUsage, type ToolCall } from '../../../agent/protocol.js'
import { type Database } from '../../../ground/database/index.js'
import { type Journal } from '../../../ground/events/index.js'
import { type Before, type Heard } from '../live-text.js'
import { frameBytes, numberIn, payloadOf, pieceBytes, rowBytes, textIn } from '../payloads.js'
import { type OpenStream, type TurnStore } from '../rows.js'
import { type TurnModel } from '../turn-meter.js'
import { type Unbegun } from '../turn-plan.js'
import { type UnfinishedSteps } from './unfinished.js'

/** What a run has said or was told that is in neither a frame nor a row; stored with its stream, as JSON. */
export interface HeldBack {
  text?: string
  reasoning?: string
  /** How many of the heard characters are counted already. */
  counted?: number
  /** Why the last answer is incomplete. */
  cut?: CutShort
  /** The models that the run was given besides its own. */
  models?: TurnModel[]
  /** The source of the run's usage. */
  source?: ToldUsage['source']
  /** What a run of which nothing was heard yet needs to begin again, if no host has received it. */
  given?: Unbegun
}

/**
 * Calls that have no result yet. `position`: that of the turn's last row of the assistant, -1 without one; `madeAt`: the position of the
 * row that made each call; `previews`: those that were shown of calls of the last step, by the ids of the calls.
 */
export interface OpenCalls {
  position: number
  calls: ToolCall[]
  madeAt?: Iterable<[string, number]>
  previews?: ReadonlyMap<string, string>
}

/** What a stop of the service has left of a turn whose run continues elsewhere. */
export interface StoredRun {
  heard: Heard
  open: OpenCalls
  /** The text that is being streamed, as it was streamed. */
  told: Record<'token' | 'reasoning', Before>
  /** The text of the steps that are stored as rows, and that of the last of them. */
  answer: string
  finalText: string
  finalMessageId: string | null
  firstTokenMs: number | null
  held: HeldBack
}

/** Reads what a stop of the service has left of turns whose runs continue elsewhere. */
export function createStoredRunReader (
  { db, journal, store, unfinished }: { db: Database, journal: Journal, store: TurnStore, unfinished: UnfinishedSteps }
) {
  const saidBy = db.sqlite.prepare<[string], { messageId: string, body: string }>(
    `select message_id as messageId, case when octet_length(body) <= ${rowBytes} then body else '' end as body from messages where stream_id = ? and role = 'assistant' order by position`)

  /** Returns the text that is being streamed: everything behind the last end of a segment, as it was said and as it was shown. */
  function beingTold (
    { streamId, settledSeq }: Pick<OpenStream, 'streamId' | 'settledSeq'>, held: HeldBack
  ): StoredRun['told'] & { firstTokenMs: number | null } {
    const told: Record<'token' | 'reasoning', Before> = {
      token: { plain: '', shown: '', held: held.text ?? '' }, reasoning: { plain: '', shown: '', held: held.reasoning ?? '' }
    }
    let firstTokenMs: number | null = null
    for (const as of ['plain', 'shown'] as const) {
      const read = as === 'plain'
        ? (after: number) => journal.heard(streamId, after, pieceBytes, frameBytes)
        : (after: number) => journal.read(streamId, after, pieceBytes)
      let after = settledSeq
      for (let frames = read(after); frames.length > 0; frames = read(after)) {
        for (const { seq, event, data } of frames) {
          after = seq
          if (event === 'token' || event === 'reasoning') told[event][as] += textIn(payloadOf(data)['text'])
          else if (event === 'interim_assistant') {
            const { text, already_streamed: isWhole } = payloadOf(data)
            told.token[as] = isWhole === false ? textIn(text) : ''
            told.reasoning[as] = ''
          } else if (event === 'metering') firstTokenMs ??= numberIn(payloadOf(data)['ttft_ms'])
        }
      }
    }
    return { ...told, firstTokenMs }
  }

  /** Returns everything that is stored of a turn whose run continues elsewhere. */
  function ofRun (stream: OpenStream): StoredRun {
    const held = payloadOf(store.heldOf(stream.streamId) ?? '{}') as HeldBack
    const { firstTokenMs, ...told } = beingTold(stream, held)
    const said = saidBy.all(stream.streamId).map(({ messageId, body }) => ({ messageId, text: textIn(payloadOf(body)['content']) }))
    const last = said.at(-1)
    const { announced: previews, ...heard } = unfinished.unfolded(stream)
    return {
      heard,
      open: { ...unfinished.openCalls(stream.streamId), previews },
      told,
      answer: said.map(({ text }) => text).join(''),
      finalText: last?.text ?? '',
      finalMessageId: last?.messageId ?? null,
      firstTokenMs,
      held
    }
  }

  return ofRun
}

export type ReadStoredRun = ReturnType<typeof createStoredRunReader>
