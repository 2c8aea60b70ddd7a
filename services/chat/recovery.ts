import { epochSeconds } from '../clock.js'
import { type Remains } from './parked.js'
import { TurnRecorder, type RecorderOptions } from './turn-recorder.js'
import { type OpenStream } from './turn-store.js'

export type RecoveryOptions = RecorderOptions & { remains: Remains }

/**
 * Closes, once and honestly, the streams that a stop has left open: what the journal holds beyond the last message row
 * becomes a partial message, open tool calls get a result that says so, and the journal gets its terminal frame.
 * Streams that only wait for a person are handed to `goOn` instead. Returns those that were closed.
 */
export function recoverStreams (options: RecoveryOptions, goOn: (stream: OpenStream) => void): OpenStream[] {
  const { db, store, remains } = options
  db.flush()
  const waiting = store.openStreams().filter((stream) => remains.parked(stream) !== null)
  const kept = new Set(waiting.map((stream) => stream.streamId))
  const lost = store.openStreams().filter((stream) => !kept.has(stream.streamId))
  for (const stream of lost) recoverStream(options, stream)
  db.flush()
  db.sqlite.prepare(`update prompts set state = 'cancelled', closed_at = ? where state in ('open', 'answering')
    and stream_id not in (select id from streams where state = 'active')`).run(epochSeconds(options.clock))
  for (const stream of waiting) goOn(stream)
  return lost
}

/** Closes one stream that no run owns any more. */
export function recoverStream (options: RecoveryOptions, stream: OpenStream): void {
  const recorder = new TurnRecorder({ ...stream, promptsIn: stream.sessionId }, stream.generation, options)
  if (stream.state === 'cancelling') return recorder.cancelled()
  if (stream.state === 'settling') return recorder.end()
  recorder.restore(options.remains.unfolded(stream), options.remains.openCalls(stream.streamId))
  recorder.failed({
    type: 'interrupted',
    message: 'The service stopped unexpectedly in the middle of this turn.',
    hint: 'What was written so far is kept. Send the message again to retry.'
  }, { terminalState: 'interrupted-by-crash' })
}
