import { type chatFrames } from '../../../../schemas/chat.js'
import { epochSeconds } from '../../../ground/clock.js'
import { framesOf, type Journal } from '../../../ground/events/index.js'
import { type OpenStream } from '../rows.js'
import { TurnRecorder, type RecorderOptions } from '../turn-recorder.js'
import { type Attempt, type Report } from './attempts.js'
import { type Unfinished } from './unfinished.js'

const frame = framesOf<typeof chatFrames>()

export type ClosingOptions = Omit<RecorderOptions, 'onRefused'> & { journal: Journal, unfinished: Unfinished }

const interrupted = {
  type: 'interrupted',
  message: 'The service stopped unexpectedly in the middle of this turn.',
  hint: 'The partial answer is kept. Send the message again to retry.'
}
const terminalState = 'interrupted-by-crash'

/**
 * Closes streams that no run owns any more, once and honestly: what the journal holds beyond the last message row becomes
 * a partial message, open tool calls get a result that says so, and the journal gets its terminal frame. One that cannot
 * be closed like that is closed without its remains. What the disk refuses waits until it takes it; readers get what is
 * stored meanwhile, and the end once that is.
 */
export function createClosing (options: ClosingOptions, { attempt, report }: { attempt: Attempt, report: Report }) {
  const { db, events, journal, store, clock, unfinished } = options

  function close (stream: OpenStream): void {
    let isRefused = false
    let isWaiting = false
    const onRefused = (error: Error): void => {
      isRefused = true
      report(stream, error)
      // The batch that it was refused in is still being told how it went.
      if (isWaiting) setImmediate(() => closeBare(stream))
    }
    const isClosed = attempt(stream, () => {
      record(stream, onRefused)
      db.catchUp()
      return !isRefused
    })
    if (isClosed === true) isWaiting = true
    else closeBare(stream)
  }

  function record (stream: OpenStream, onRefused: (error: Error) => void): void {
    const { streamId, sessionId, profile } = stream
    const budget = store.budgetOf(streamId)
    const account = { profile, turn: streamId, session: sessionId, ...(budget && { [budget.scope]: budget }) }
    const recorder = new TurnRecorder({ ...stream, promptsIn: sessionId, account }, stream.generation, { ...options, onRefused })
    if (stream.state === 'cancelling') return recorder.cancelled()
    if (stream.state === 'settling') return recorder.end()
    recorder.restore(unfinished.unfolded(stream), unfinished.openCalls(streamId))
    recorder.failed(interrupted, { terminalState })
  }

  /** Without a row and without the session in its last frame: what is left when storing those is refused. */
  function closeBare ({ streamId, sessionId, generation }: OpenStream): void {
    db.soonest(() => journal.recount(streamId))
    const { type, message } = interrupted
    const last = frame('apperror', {
      error: message, message, type, recovery_control: true, stream_id: streamId, session_id: sessionId, session: null,
      terminal_state: terminalState
    })
    events.commit(streamId, generation, () => {
      store.setState(streamId, generation, 'closed', terminalState, epochSeconds(clock))
      return [last]
    }, (error) => report({ streamId }, error))
    db.catchUp()
  }

  return close
}
