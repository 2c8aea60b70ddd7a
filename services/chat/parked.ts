import { type ResumedAsk, type RunSpec, type ToolCall } from '../agent/protocol.js'
import { type Database } from '../database/index.js'
import { type Journal } from '../events/index.js'
import { type OpenStream, type TurnStore } from './turn-store.js'

/** A turn that does nothing but wait for a person: what its run needs to go on in another process. */
export interface ParkedTurn { resume: NonNullable<RunSpec['resume']>, position: number, steps: number }

interface OpenPrompt { askId: string, callId: string | null, beside: number, state: string, expiresAt: number | null, body: string }

/** Looks what a stop of the service has left of turns. */
export function createRemains ({ db, journal, store }: { db: Database, journal: Journal, store: TurnStore }) {
  const lastStep = db.sqlite.prepare<[string], { position: number, body: string }>(
    "select position, body from messages where stream_id = ? and role = 'assistant' order by position desc limit 1")
  const results = db.sqlite.prepare<[string, number], { body: string }>("select body from messages where stream_id = ? and role = 'tool' and position > ?")
  const prompts = db.sqlite.prepare<[string], OpenPrompt>(
    "select id as askId, call_id as callId, beside, state, expires_at as expiresAt, body from prompts where stream_id = ? and state in ('open', 'answering')")

  /** What the frames after the last folded one tell: text and reasoning of the step that was running, and the calls that were begun. */
  function unfolded ({ streamId, settledSeq }: Pick<OpenStream, 'streamId' | 'settledSeq'>): { text: string, reasoning: string, announced: Set<string> } {
    let text = ''
    let reasoning = ''
    const announced = new Set<string>()
    for (const { event, data } of journal.read(streamId, settledSeq, Infinity)) {
      if (event === 'token') text += (JSON.parse(data) as { text: string }).text
      else if (event === 'reasoning') reasoning += (JSON.parse(data) as { text: string }).text
      else if (event === 'tool') announced.add((JSON.parse(data) as { id: string }).id)
      else if (event === 'interim_assistant' && !(JSON.parse(data) as { already_streamed: boolean }).already_streamed) {
        text = ''
        reasoning = ''
      }
    }
    return { text, reasoning, announced }
  }

  /** Calls of the last assistant row that have no tool row. */
  function openCalls (streamId: string): { position: number, calls: ToolCall[] } {
    const row = lastStep.get(streamId)
    if (row === undefined) return { position: -1, calls: [] }
    const { tool_calls: calls = [] } = JSON.parse(row.body) as { tool_calls?: Array<{ id: string, function: { name: string, arguments: string } }> }
    const answered = new Set(results.all(streamId, row.position).map((tool) => (JSON.parse(tool.body) as { tool_call_id: string }).tool_call_id))
    return {
      position: row.position,
      calls: calls.filter((call) => !answered.has(call.id)).map((call) => ({ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) as Record<string, unknown> }))
    }
  }

  /**
   * The turn of a stream if all it does is wait for a person, else null. Then nothing was under way that could have had an
   * effect: every call without a result either waits for its own answer or had not begun, as an earlier one held it up.
   */
  function parked (stream: OpenStream): ParkedTurn | null {
    if (stream.state !== 'active' || (stream.kind !== 'chat' && stream.kind !== 'goal')) return null
    const open = prompts.all(stream.streamId)
    if (open.length === 0 || open.some((prompt) => prompt.state !== 'open' || prompt.callId === null)) return null
    const { position, calls } = openCalls(stream.streamId)
    let held = false
    for (const call of calls) {
      const prompt = open.find((candidate) => candidate.callId === call.id)
      if (prompt === undefined && !held) return null
      held ||= prompt?.beside === 0
    }
    const { text, reasoning, announced } = unfolded(stream)
    if (calls.length === 0 || text !== '' || reasoning !== '') return null
    return {
      position,
      steps: store.stepsOf(stream.streamId),
      resume: {
        calls: calls.map((call) => ({ ...call, announced: announced.has(call.id) })),
        asks: open.map(({ askId, callId, expiresAt, body }) => ({ body: JSON.parse(body) as ResumedAsk['body'], askId, callId: callId!, expiresAtMs: expiresAt === null ? null : expiresAt * 1000 })),
        steers: store.pendingSteers(stream.streamId)
      }
    }
  }

  return { unfolded, openCalls, parked }
}

export type Remains = ReturnType<typeof createRemains>
