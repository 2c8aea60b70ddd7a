import { setImmediate as nextTurn } from 'node:timers/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { makers, type Stores } from './makers.js'
import { createForeignRows } from './rows.js'
import { ForeignScan } from './scan.js'
import { type ForeignRow } from './tally.js'
import { type ForeignTranscript } from './transcript.js'
import { createTranscripts } from './transcripts.js'

export interface ForeignIndexOptions {
  db: Database
  clock: Clock
  /** The user's home folder. */
  home: string
  log: Log
  /** The folders with the sessions; default: the usual places of each front end, below `home`. */
  roots?: Partial<Record<ForeignRow['source'], string>>
  /** The most files that are read of each front end, newest first. */
  maxFiles?: number
  /** Called at every read of a session's file. */
  onRead?: (bytes: number) => void
  /** Lets other work run between two stretches of reading; default: a turn of the event loop. */
  pause?: () => Promise<unknown>
}

/** Conversations that other front ends on this machine keep in files: found, listed and read, never changed. */
export function createForeignIndex ({ db, clock, home, log, roots = {}, maxFiles = 500, onRead, pause = nextTurn }: ForeignIndexOptions) {
  const rows = createForeignRows(db)
  const stores = Object.fromEntries(Object.values(makers).map(({ source, root, store }) =>
    [source, store(roots[source] ?? join(home, root), maxFiles)])) as Stores
  const transcripts = createTranscripts({ stores, onRead, pause })
  const scan = new ForeignScan({ db, clock, rows, stores, onRead, pause, log })

  return {
    /**
     * Reads what was written since the last time; returns whether the list has changed. Only one refresh runs at a time: calls meanwhile
     * share its result. Throws if the folders or the database cannot be used.
     */
    refresh: (): Promise<boolean> => scan.run(),

    /** Returns the conversations that were found, newest first. */
    list: rows.shown,

    get: rows.get,

    /** Returns a conversation as messages of this service. Throws NotFound, TooLarge, and Unavailable if the file is gone. */
    async transcript (id: string): Promise<ForeignTranscript> {
      const row = rows.get(id)
      if (row === undefined) throw new NotFound('Session not found')
      return await transcripts.of(row)
    },

    /** Ends a running refresh, and resolves when it has ended; nothing is read or written afterwards. */
    async stop (): Promise<void> {
      await scan.stop()
      for (const store of Object.values(stores)) store.close?.()
    },

    stores
  }
}

export type ForeignIndex = ReturnType<typeof createForeignIndex>
