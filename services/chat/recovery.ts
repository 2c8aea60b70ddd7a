import { epochSeconds } from '../clock.js'
import { type Database } from '../database/index.js'
import { type Journal } from '../events/index.js'
import { TurnRecorder, type RecorderOptions } from './turn-recorder.js'
import { type OpenStream } from './turn-store.js'

export type RecoveryOptions = RecorderOptions & { journal: Journal }

/**
 * Closes, once and honestly, the streams that a crash has left open: what the journal holds beyond the last message row
 * becomes a partial message, open tool calls get a result that says so, and the journal gets its terminal frame.
 * Returns how many there were.
 */
export function recoverStreams (options: RecoveryOptions): number {
  const { db, store } = options
  const open = store.openStreams()
  for (const stream of open) recoverStream(options, stream)
  db.sqlite.prepare("update prompts set state = 'cancelled', closed_at = ? where state in ('open', 'answering')").run(epochSeconds(options.clock))
  db.flush()
  return open.length
}

/** Closes one stream that no run owns any more. */
export function recoverStream (options: RecoveryOptions, stream: OpenStream): void {
  const recorder = new TurnRecorder(stream, stream.generation, options)
  if (stream.state === 'cancelling') return recorder.cancelled()
  if (stream.state === 'settling') return recorder.end()
  recorder.restore(unfolded(options.journal, stream), openCalls(options.db, stream.streamId))
  recorder.failed({
    type: 'interrupted',
    message: 'The service stopped unexpectedly in the middle of this turn.',
    hint: 'What was written so far is kept. Send the message again to retry.'
  }, { terminalState: 'interrupted-by-crash' })
}

/** Text and reasoning of the step that was running: the frames after the last folded one. */
function unfolded (journal: Journal, { streamId, settledSeq }: OpenStream): { text: string, reasoning: string } {
  let text = ''
  let reasoning = ''
  for (const { event, data } of journal.read(streamId, settledSeq, Infinity)) {
    if (event === 'token') text += (JSON.parse(data) as { text: string }).text
    else if (event === 'reasoning') reasoning += (JSON.parse(data) as { text: string }).text
    else if (event === 'interim_assistant' && !(JSON.parse(data) as { already_streamed: boolean }).already_streamed) {
      text = ''
      reasoning = ''
    }
  }
  return { text, reasoning }
}

/** Calls of the last assistant row that have no tool row. */
function openCalls (db: Database, streamId: string) {
  const row = db.sqlite.prepare<[string], { position: number, body: string }>(
    "select position, body from messages where stream_id = ? and role = 'assistant' order by position desc limit 1").get(streamId)
  if (row === undefined) return { position: -1, calls: [] }
  const { tool_calls: calls = [] } = JSON.parse(row.body) as { tool_calls?: Array<{ id: string, function: { name: string, arguments: string } }> }
  const answered = new Set(db.sqlite.prepare<[string, number], { body: string }>("select body from messages where stream_id = ? and role = 'tool' and position > ?").all(streamId, row.position)
    .map((tool) => (JSON.parse(tool.body) as { tool_call_id: string }).tool_call_id))
  return {
    position: row.position,
    calls: calls.filter((call) => !answered.has(call.id)).map((call) => ({ id: call.id, name: call.function.name, args: JSON.parse(call.function.arguments) as Record<string, unknown> }))
  }
}
