import { type ToolCall } from '../../../agent/protocol.js'
import { type Database } from '../../../ground/database/index.js'
import { type Journal } from '../../../ground/events/index.js'
import { fieldsOf } from '../../../ground/fields.js'
import { wholeTo } from '../../../ground/text/whole-characters.js'
import { answerLimits } from '../../../providers/index.js'
import { type Heard } from '../live-text.js'
import { frameBytes, payloadOf, pieceBytes, rowBytes, textIn } from '../payloads.js'
import { type OpenStream, type TurnStore } from '../rows.js'

/** The limit matters only for agents: only their calls may have begun before the last step and still be without a result. */
const mostSteps = 200

/** Reads what the interrupted last step of a turn has left: the text heard of it, and calls without a result. */
export function createUnfinishedSteps ({ db, journal, store }: { db: Database, journal: Journal, store: TurnStore }) {
  // Rows of other areas, read with limits on their size: damaged rows must not keep the service from starting, nor an endless one fill its
  // memory.
  const steps = db.sqlite.prepare<[string], { position: number, body: string }>(
    `select position, case when octet_length(body) <= ${rowBytes} then body else '' end as body from messages where stream_id = ? and role = 'assistant' order by position desc limit ${mostSteps}`)
  const results = db.sqlite.prepare<[string, number], string>(
    `select case when octet_length(body) <= ${rowBytes} and json_valid(body) then body ->> '$.tool_call_id' else '' end from messages where stream_id = ? and role = 'tool' and position > ?`).pluck()

  /**
   * Reads the frames after the last folded one: text and reasoning of the step that was running, up to the limits of an answer, and the
   * calls that had begun, with their previews by their ids. Unreadable frames are ignored.
   */
  function unfolded ({ streamId, settledSeq }: Pick<OpenStream, 'streamId' | 'settledSeq'>): Heard & { announced: Map<string, string> } {
    const heard = { text: '', reasoning: '' }
    const announced = new Map<string, string>()
    let after = settledSeq
    const next = () => journal.heard(streamId, after, pieceBytes, frameBytes)
    for (let frames = next(); frames.length > 0; frames = next()) {
      for (const { seq, event, data } of frames) {
        after = seq
        const payload = payloadOf(data)
        if (event === 'token') heard.text = wholeTo(heard.text + textIn(payload['text']), answerLimits.textChars)
        else if (event === 'reasoning') heard.reasoning = wholeTo(heard.reasoning + textIn(payload['text']), answerLimits.reasoningChars)
        else if (event === 'tool') announced.set(textIn(payload['id']), textIn(payload['preview']))
        else if (event === 'interim_assistant' && payload['already_streamed'] === false) {
          Object.assign(heard, { text: textIn(payload['text']), reasoning: '' })
        }
      }
    }
    const held = payloadOf(store.heldOf(streamId) ?? '{}')
    return {
      text: wholeTo(heard.text + textIn(held['text']), answerLimits.textChars),
      reasoning: wholeTo(heard.reasoning + textIn(held['reasoning']), answerLimits.reasoningChars),
      countedChars: typeof held['counted'] === 'number' ? held['counted'] : 0,
      announced
    }
  }

  /** Returns calls that have no tool row behind the row that made them; `position` is that of the last row of the assistant. */
  function openCalls (streamId: string): { position: number, calls: ToolCall[], madeAt: Array<[string, number]> } {
    const rows = steps.all(streamId)
    const madeAt: Array<[string, number]> = []
    const open = rows.toReversed().flatMap((row): ToolCall[] => {
      const { tool_calls: calls } = payloadOf(row.body)
      if (!Array.isArray(calls)) return []
      const answered = new Set(results.all(streamId, row.position))
      return calls.map(fieldsOf).filter(({ id }) => !answered.has(textIn(id))).map((call) => {
        const id = textIn(call.id)
        const { name, arguments: args } = fieldsOf(call.function)
        madeAt.push([id, row.position])
        return { id, name: textIn(name), args: payloadOf(textIn(args)) }
      })
    })
    return { position: rows[0]?.position ?? -1, calls: open, madeAt }
  }

  return { unfolded, openCalls }
}

export type UnfinishedSteps = ReturnType<typeof createUnfinishedSteps>
