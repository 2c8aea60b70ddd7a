import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { journalToWire, terminalStateOf } from '../sessions/index.js'
import { type TurnStore } from './rows.js'

/** The state of turns, as their rows have it. */
export function createTurnStates ({ db, store }: { db: Pick<Database, 'catchUp'>, store: TurnStore }) {
  return {
    /** Returns the state of a stream. Throws NotFound for an unknown one. */
    streamStatus (streamId: string) {
      db.catchUp()
      return statusOf(store, streamId)
    },

    /**
     * Returns the session of a stream; undefined for an unknown one. Pending writes are not committed first: the row was stored before
     * anyone learned the id, and turns that start together would no longer share a commit.
     */
    sessionOfStream: (streamId: string): string | undefined => store.sessionOf(streamId),

    /** Returns the live stream of a session. */
    activeStream: store.activeStream,
    isLive: (sessionId: string): boolean => store.activeStream(sessionId) !== undefined,
    /** Returns the turn that began last in a session. */
    lastTurn: store.lastTurn,
    /** Returns the streams of the turns that began last. */
    latestStreams: store.latestStreams,
    /** Returns the turn that ended last. */
    lastEnded: store.lastEnded,
    /** Returns the turn of a kind that began with this same message, as it was sent or as it is shown. */
    begunWith: store.begunWith
  }
}

function statusOf (store: TurnStore, streamId: string) {
  const row = store.stream(streamId)
  if (row === undefined) throw new NotFound('stream not found')
  const columns = { ...row, isParked: store.parked(streamId)?.isResuming === false }
  return {
    sessionId: row.sessionId,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    active: row.state !== 'closed',
    replayAvailable: row.pruned === 0,
    lastSeq: row.lastSeq,
    lastEvent: row.lastEvent,
    terminalState: terminalStateOf(columns),
    journal: journalToWire(streamId, row.sessionId, columns)
  }
}
