import { type chatFrames } from '../../../schemas/chat.js'
import { epochSeconds } from '../../ground/clock.js'
import { isDiskTrouble } from '../../ground/database/index.js'
import { framesOf, type Journal } from '../../ground/events/index.js'
import { remoteFolder } from '../../ground/location.js'
import { type Remains } from './parked.js'
import { TurnRecorder, type RecorderOptions } from './turn-recorder.js'
import { type OpenStream } from './rows.js'
import { outliving } from './turn-plan.js'

const frame = framesOf<typeof chatFrames>()

export type RecoveryOptions = Omit<RecorderOptions, 'onRefused'> & { journal: Journal, remains: Remains, log: (message: string, details: Record<string, unknown>) => void }

const interrupted = {
  type: 'interrupted',
  message: 'The service stopped unexpectedly in the middle of this turn.',
  hint: 'What was written so far is kept. Send the message again to retry.'
}
const terminalState = 'interrupted-by-crash'

/**
 * Closes, once and honestly, the streams that a stop has left open: what the journal holds beyond the last message row
 * becomes a partial message, open tool calls get a result that says so, and the journal gets its terminal frame.
 * Streams that only wait for a person are handed to `goOn` instead, and those whose run is on another machine to `adopt`. Returns those that were closed. One stream that cannot
 * be looked at or closed as usual is closed without its remains, and keeps neither the others nor the service from going on.
 */
export function recoverStreams (options: RecoveryOptions, { goOn, adopt }: { goOn: (stream: OpenStream) => void, adopt: (stream: OpenStream) => boolean }): OpenStream[] {
  const { db, store, prompts, remains } = options
  db.catchUp()
  db.soonest(() => prompts.dropUnreadable())
  const isParked = (stream: OpenStream): boolean => attempt(options, stream, () => remains.parked(stream) !== null) ?? false
  const isAdopted = (stream: OpenStream): boolean => attempt(options, stream, () => {
    // An answer that was on its way may not have arrived; one that has is told of by the run.
    db.soonest(() => prompts.reopen(stream.streamId))
    return adopt(stream)
  }) ?? false
  const open = store.openStreams()
  const adopted = open.filter((stream) => mayGoOnElsewhere(stream) && isAdopted(stream))
  const waiting = open.filter((stream) => !mayGoOnElsewhere(stream) && isParked(stream))
  const lost = open.filter((stream) => !waiting.includes(stream) && !adopted.includes(stream))
  for (const stream of lost) recoverStream(options, stream)
  // On a full disk all of this waits until there is room; nothing of it is asked for before.
  db.soonest(() => prompts.dropOrphans())
  for (const stream of waiting) goOn(stream)
  return lost
}

/** Whether its run is on another machine, where it has outlived the stop, and nothing that went with the service is needed to go on. */
const mayGoOnElsewhere = ({ state, workspace, kind }: OpenStream): boolean => state === 'active' && outliving.includes(kind) && remoteFolder(workspace) !== null

/**
 * Closes one stream that no run owns any more. What the disk refuses waits until it takes it; readers get what is stored
 * meanwhile, and the end once that is.
 */
export function recoverStream (options: RecoveryOptions, stream: OpenStream): void {
  const { db } = options
  let isRefused = false
  let isWaiting = false
  const onRefused = (error: Error): void => {
    isRefused = true
    tellRefused(options, stream, error)
    // The batch that it was refused in is still being told how it went.
    if (isWaiting) setImmediate(() => closeBare(options, stream))
  }
  const isClosed = attempt(options, stream, () => {
    close({ ...options, onRefused }, stream)
    db.catchUp()
    return !isRefused
  })
  if (isClosed === true) isWaiting = true
  else closeBare(options, stream)
}

function close (options: RecorderOptions & { remains: Remains }, stream: OpenStream): void {
  const { streamId, sessionId, profile } = stream
  const jobId = options.store.jobOf(streamId)
  const account = { profile, turn: streamId, session: sessionId, ...(jobId === undefined ? {} : { job: { id: jobId } }) }
  const recorder = new TurnRecorder({ ...stream, promptsIn: sessionId, account }, stream.generation, options)
  if (stream.state === 'cancelling') return recorder.cancelled()
  if (stream.state === 'settling') return recorder.end()
  recorder.restore(options.remains.unfolded(stream), options.remains.openCalls(stream.streamId))
  recorder.failed(interrupted, { terminalState })
}

/** Without a row and without the session in its last frame: what is left when storing those is refused. */
function closeBare (options: RecoveryOptions, { streamId, sessionId, generation }: OpenStream): void {
  const { db, events, journal, store, clock } = options
  db.soonest(() => journal.recount(streamId))
  const { type, message } = interrupted
  const last = frame('apperror', { error: message, message, type, recovery_control: true, stream_id: streamId, session_id: sessionId, session: null, terminal_state: terminalState })
  events.commit(streamId, generation, () => {
    store.setState(streamId, generation, 'closed', terminalState, epochSeconds(clock))
    return [last]
  }, (error) => tellRefused(options, { streamId }, error))
  db.catchUp()
}

/** Undefined when it went wrong, which the log then has. A disk that does not take writes is nobody stream's fault. */
function attempt<T> (options: RecoveryOptions, stream: Pick<OpenStream, 'streamId'>, work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (isDiskTrouble(error)) throw error
    tellRefused(options, stream, error as Error)
    return undefined
  }
}

function tellRefused ({ log }: RecoveryOptions, { streamId }: Pick<OpenStream, 'streamId'>, error: Error): void {
  log('what an interrupted turn has left could not be stored as usual', { streamId, reason: error.message })
}
