import { setImmediate as nextTurn } from 'node:timers/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
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
  log: (message: string, details: Record<string, unknown>) => void
  /** Where the sessions lie; default: below `home`, where each front end has them. */
  roots?: Partial<Record<ForeignRow['source'], string>>
  /** No more files than this are read of each front end, the newest. */
  maxFiles?: number
  /** Hears of every read of a session's file. */
  onRead?: (bytes: number) => void
  /** Lets other work run between two stretches of reading; default: a turn of the event loop. */
  pause?: () => Promise<unknown>
}

/** Conversations that other front ends of this machine keep in files: found, listed and read, never changed. */
export function createForeignIndex ({ db, clock, home, log, roots = {}, maxFiles = 500, onRead, pause = nextTurn }: ForeignIndexOptions) {
  const rows = createForeignRows(db)
  const stores = Object.fromEntries(Object.values(makers).map(({ source, root, store }) =>
    [source, store(roots[source] ?? join(home, root), maxFiles)])) as Stores
  const transcripts = createTranscripts({ stores, onRead, pause })
  const scan = new ForeignScan({ db, clock, rows, stores, onRead, pause, log })

  return {
    /**
     * Reads what has been written since the last time; true when the list is another one now. Only one runs at a time: who
     * calls meanwhile gets the outcome of that one. Throws when the folders or the database cannot be used.
     */
    refresh: (): Promise<boolean> => scan.run(),

    /** The conversations that were found, the newest first. */
    list: rows.shown,

    get: rows.get,

    /** What was said, as our own messages. Throws NotFound, TooLarge, or Unavailable when the file is gone. */
    async transcript (id: string): Promise<ForeignTranscript> {
      const row = rows.get(id)
      if (row === undefined) throw new NotFound('Session not found')
      return await transcripts.of(row)
    },

    /** Ends a refresh that is under way, and resolves when it has ended; nothing is read or written afterwards. */
    async stop (): Promise<void> {
      await scan.stop()
      for (const store of Object.values(stores)) store.close?.()
    },

    stores
  }
}

export type ForeignIndex = ReturnType<typeof createForeignIndex>
