import { createPace } from '../../ground/concurrency/pace.js'
import { createDependents, type Database } from '../../ground/database/index.js'
import { type Retention } from '../../ground/events/index.js'
import { type Log } from '../../ground/log.js'
import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type SessionRows } from './session-rows.js'
import { type Transcript } from './transcript.js'

export interface ClearingOptions {
  db: Database
  clock: Clock
  rows: Pick<SessionRows, 'remove'>
  transcript: Pick<Transcript, 'trim' | 'reclaim' | 'cuts'>
  /** Files that were uploaded to sessions. */
  attachments: { remove (id: string): Promise<void> }
  retention: Pick<Retention, 'emptySession'>
  log: Log
}

/** How many rows are removed at once; each also leaves the search index. */
const rowsAtOnce = 50
const pause = createPace(0)

/** Removes what nobody sees any more, a few rows at a time: sessions, and messages that were cut off. */
export function createClearing ({ db, clock, rows, transcript, attachments, retention, log }: ClearingOptions) {
  /**
   * Removes rows in portions, and their entries in the search index in smaller ones after each: the sooner those go, the smaller the index
   * stays.
   */
  async function takeAway (portion: () => boolean): Promise<void> {
    while (db.transaction(portion)) {
      await pause()
      while (db.transaction(() => transcript.reclaim())) await pause()
    }
  }

  const removeDependents = createDependents(db, 'sessions')
  const clearing = new Set<string>()

  /**
   * Removes the rows that were cut off a session, in the background: they are hidden already. If it fails, the next start of the service
   * continues.
   */
  async function clearAway (id: string): Promise<void> {
    if (clearing.has(id)) return
    clearing.add(id)
    try {
      await takeAway(() => transcript.cuts.trim(id))
    } catch (error) {
      log('the messages that were cut off a session could not be removed', { session: id, reason: String(error) })
    } finally {
      clearing.delete(id)
    }
  }

  return {
    /** Removes a hidden session with its files, messages and frames. */
    async discard (id: string): Promise<void> {
      await attachments.remove(id)
      await takeAway(() => transcript.trim(id, rowsAtOnce))
      await retention.emptySession(id, epochSeconds(clock))
      await removeDependents(id)
      db.transaction(() => rows.remove(id))
    },

    clearAway,

    /** Removes the messages that a stop of the service has left. */
    async finishInterrupted (): Promise<void> { for (const id of transcript.cuts.open()) await clearAway(id) }
  }
}
