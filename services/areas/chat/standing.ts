import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { type TurnStore } from './rows.js'

/** How turns stand, as their rows say it. */
export function createStanding ({ db, store }: { db: Pick<Database, 'catchUp'>, store: TurnStore }) {
  return {
    /** Where a stream stands. Throws NotFound for one that is unknown. */
    streamStatus (streamId: string) {
      db.catchUp()
      return statusOf(store, streamId)
    },

    /** The stream that is live in a session. */
    activeStream: store.activeStream,
    isLive: (sessionId: string): boolean => store.activeStream(sessionId) !== undefined,
    /** The turn that began last in a session. */
    lastTurn: store.lastTurn,
    /** The streams of its turns that began last. */
    latestStreams: store.latestStreams,
    /** The turn that had its last frame last. */
    lastEnded: store.lastEnded,
    /** The turn of a kind that was begun with this very message, as it is or as it is shown. */
    begunWith: store.begunWith
  }
}

function statusOf (store: TurnStore, streamId: string) {
  const row = store.stream(streamId)
  if (row === undefined) throw new NotFound('stream not found')
  return {
    sessionId: row.sessionId,
    startedAt: row.startedAt,
    finishedAt: row.finishedAt,
    active: row.state !== 'closed',
    replayAvailable: row.pruned === 0,
    lastSeq: row.lastSeq,
    lastEvent: row.lastEvent,
    terminal: row.state === 'closed',
    terminalState: row.terminalState ?? (row.lastSeq === 0 ? 'unknown' : store.parked(streamId)?.isResuming === false ? 'parked' : 'running')
  }
}
