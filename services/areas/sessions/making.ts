import { createPace } from '../../ground/concurrency/pace.js'
import { tried } from '../../ground/tried.js'
import { createClearing, type ClearingOptions } from './clearing.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'
import { type Transcript } from './transcript.js'

/** Files that were uploaded to sessions. */
export interface SessionAttachments {
  has (id: string): Promise<boolean>
  copy (fromId: string, toId: string): Promise<void>
  remove (id: string): Promise<void>
}

export interface MakingOptions extends ClearingOptions {
  rows: SessionRows
  transcript: Transcript
  get: (id: string) => SessionRow
  insert: (input: NewSession) => SessionRow
  changed: (reason: string, sessionId?: string) => void
}

/** The search index merges segments of this number at least, and each piece adds one. */
const piecesPerMerge = 4
/**
 * Writes some rows of a session inside a transaction. `ahead` does slow work before it, so that the transaction stays short. A large piece
 * has a transaction of its own.
 */
export interface Piece { write: (id: string) => void, ahead?: () => Promise<void>, isLarge?: boolean }
const pause = createPace(0)

/** Writes long transcripts a few rows at a time, while the session is hidden. */
export function createMaking (options: MakingOptions) {
  const { db, rows, transcript, get, insert, changed } = options
  const clearing = createClearing(options)

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
      await clearing.discard(id)
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

  return {
    ...clearing,
    make,

    /** Finishes what a stop of the service has interrupted: removals of messages, and merges of the search index. */
    async finishInterrupted (): Promise<void> {
      await clearing.finishInterrupted()
      if (writing === 0) db.transaction(() => transcript.mergeWhileAdding(true))
    }
  }
}

export type Making = ReturnType<typeof createMaking>
