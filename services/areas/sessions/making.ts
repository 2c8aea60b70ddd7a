import { createPace } from '../../ground/concurrency/pace.js'
import { type Database } from '../../ground/database/index.js'
import { tried } from '../../ground/tried.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'
import { type Transcript } from './transcript.js'

/** Files that were uploaded to sessions. */
export interface SessionAttachments {
  copy (fromId: string, toId: string): Promise<void>
  remove (id: string): Promise<void>
}

export interface MakingOptions {
  db: Database
  rows: SessionRows
  transcript: Transcript
  get: (id: string) => SessionRow
  insert: (input: NewSession) => SessionRow
  changed: (reason: string, sessionId?: string) => void
  attachments: Pick<SessionAttachments, 'remove'>
  log: (message: string, details: Record<string, unknown>) => void
}

/** How many rows are written at once; each also goes into the search index. */
const rowsAtOnce = 50
/** The search index merges segments of this number at least, and each piece adds one. */
const piecesPerMerge = 4
/**
 * Writes some rows of a session inside a transaction. `ahead` does slow work before it, so that the transaction stays short. A large piece
 * has a transaction of its own.
 */
export interface Piece { write: (id: string) => void, ahead?: () => Promise<void>, isLarge?: boolean }
const pause = createPace(0)

/** Writes and removes long transcripts a few rows at a time, while the session is hidden. */
export function createMaking ({ db, rows, transcript, get, insert, changed, attachments, log }: MakingOptions) {
  /**
   * Makes a session from pieces of a few rows each. They are written one by one, so that streaming turns do not wait for them, and the
   * session stays hidden until all are there, or for good if `input` says so. `finish` runs in the transaction that makes it visible.
   */
  async function make (input: NewSession, reason: string, pieces: Piece[], finish: (id: string) => void = () => {}): Promise<SessionRow> {
    const [first] = pieces
    const reveal = (id: string, questions: number | null = null): SessionRow => {
      transcript.count(id, questions)
      if (input.hidden !== true) {
        finish(id)
        rows.reveal(id)
        changed(reason, id)
      }
      return get(id)
    }
    if (pieces.length <= 1 && first?.isLarge !== true) {
      await first?.ahead?.()
      return await db.durably(() => {
        const { id } = insert({ ...input, hidden: true })
        first?.write(id)
        return reveal(id)
      })
    }
    const { id } = await db.durably(() => insert({ ...input, hidden: true }))
    try {
      await mergingLater(async () => {
        for (const [index, { ahead, write }] of pieces.entries()) {
          await ahead?.()
          db.transaction(() => write(id))
          await pause()
          if (index % piecesPerMerge === 0) await mergeIndex()
        }
        await mergeIndex()
      })
      const questions = await transcript.questions(id)
      return await db.durably(() => reveal(id, questions))
    } catch (error) {
      await discard(id)
      throw error
    }
  }

  let writing = 0
  /** Runs work that writes many rows and merges the search index itself, in small steps. */
  async function mergingLater (work: () => Promise<void>): Promise<void> {
    writing++
    try {
      db.transaction(() => transcript.mergeWhileAdding(false))
      await work()
    } finally {
      // If the disk refuses this, the next start does it.
      if (--writing === 0) tried(() => db.transaction(() => transcript.mergeWhileAdding(true)), undefined)
    }
  }

  async function mergeIndex (): Promise<void> {
    while (db.transaction(() => transcript.mergeIndex())) await pause()
  }

  /** Removes a session that was never visible. */
  async function discard (id: string): Promise<void> {
    await attachments.remove(id)
    await takeAway(() => transcript.trim(id, rowsAtOnce))
    db.transaction(() => rows.remove(id))
  }

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
      log('a half-made session could not be removed', { session: id, reason: String(error) })
    } finally {
      clearing.delete(id)
    }
  }

  return {
    make,
    discard,
    clearAway,

    /** Finishes what a stop of the service has interrupted: removals of messages, and merges of the search index. */
    async finishInterrupted (): Promise<void> {
      for (const id of transcript.cuts.open()) await clearAway(id)
      if (writing === 0) db.transaction(() => transcript.mergeWhileAdding(true))
    }
  }
}

export type Making = ReturnType<typeof createMaking>

/** Splits the writing of `total` rows into pieces. `ahead`: see Piece. */
export function inPieces (
  total: number, write: (id: string, start: number, end: number) => void,
  ahead: (start: number, end: number) => Promise<void> = async () => {}
): Piece[] {
  return Array.from({ length: Math.ceil(total / rowsAtOnce) }, (_, index) => {
    const [start, end] = [index * rowsAtOnce, Math.min((index + 1) * rowsAtOnce, total)]
    return { write: (id) => write(id, start, end), ahead: () => ahead(start, end) }
  })
}
