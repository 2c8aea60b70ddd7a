import { type chatFrames } from '../../../../schemas/chat.js'
import { epochSeconds } from '../../../ground/time/clock.js'
import { framesOf, type Journal } from '../../../ground/events/index.js'
import { type OpenStream } from '../rows.js'
import { type TurnPlan } from '../turn-plan.js'
import { TurnRecorder, type RecorderOptions } from '../turn-recorder.js'
import { type Guard, type Report } from './guard.js'
import { type UnfinishedSteps } from './unfinished.js'

const frame = framesOf<typeof chatFrames>()

export type ClosingOptions = Omit<RecorderOptions, 'onRefused'> & { journal: Journal, unfinished: UnfinishedSteps }

const interrupted = {
  type: 'interrupted',
  message: 'The service stopped unexpectedly in the middle of this turn.',
  hint: 'The partial answer is kept. Send the message again to retry.'
}
const terminalState = 'interrupted-by-crash'

/**
 * Closes streams that no run owns any more, exactly once. Journal content beyond the last message row becomes a partial message, open tool
 * calls get a result that says so, and the journal gets its terminal frame. If that fails, the stream is closed without its remains. While
 * the disk refuses writes, closing waits: readers get what is stored, and the end once it is.
 */
export function createClosing (options: ClosingOptions, { guard, report }: { guard: Guard, report: Report }) {
  const { db, events, journal, store, clock, unfinished } = options

  function close (stream: OpenStream): void {
    let isRefused = false
    let isWaiting = false
    const onRefused = (error: Error): void => {
      isRefused = true
      report(stream, error)
      // The batch in which it was refused is still reporting its outcome.
      if (isWaiting) setImmediate(() => closeBare(stream))
    }
    const isClosed = guard(stream, () => {
      record(stream, onRefused)
      db.catchUp()
      return !isRefused
    })
    if (isClosed === true) isWaiting = true
    else closeBare(stream)
  }

  function record (stream: OpenStream, onRefused: (error: Error) => void): void {
    const { streamId } = stream
    const recorder = recorderOf(stream, store.budgetOf(streamId), onRefused)
    if (stream.state === 'cancelling') return recorder.cancelled()
    if (stream.state === 'settling') return recorder.end()
    recorder.restore(unfinished.unfolded(stream), unfinished.openCalls(streamId))
    recorder.failed(interrupted, { terminalState })
  }

  function recorderOf (stream: OpenStream, budget: TurnPlan['budget'], onRefused: (error: Error) => void): TurnRecorder {
    const { streamId, sessionId, profile } = stream
    const account = { profile, turn: streamId, session: sessionId, ...(budget && { [budget.scope]: budget }) }
    return new TurnRecorder({ ...stream, promptsIn: sessionId, account }, stream.generation, { ...options, onRefused })
  }

  /**
   * Closes without a row and without the session in the last frame, for a stream whose remains cannot be stored. Texts that it has not read
   * are returned, unless they are what cannot be stored.
   */
  function closeBare (stream: OpenStream): void {
    const { streamId, sessionId, generation, state } = stream
    db.soonest(() => journal.recount(streamId))
    recorderOf(stream, undefined, (error) => report(stream, error)).returnSteers()
    const { type, message } = interrupted
    const last = frame('apperror', {
      error: message, message, type, recovery_control: true, stream_id: streamId, session_id: sessionId, session: null,
      terminal_state: terminalState
    })
    events.commit(streamId, generation, () => {
      // What a person has stopped stays stopped, and so does its queue.
      store.setState(streamId, generation, 'closed', state === 'cancelling' ? null : terminalState, epochSeconds(clock))
      return [last]
    }, (error) => report({ streamId }, error))
    db.catchUp()
  }

  return close
}
