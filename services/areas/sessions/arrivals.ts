import { createPace } from '../../ground/concurrency/pace.js'
import { isLong, textsIn } from '../../ground/redaction/index.js'
import { type AuditPort } from '../audit/index.js'
import { forkTitle } from './copies.js'
import { pieceChars, pieceRows, type ImportPiece } from './import-task.js'
import { type Making, type Piece } from './making.js'
import { type NewSession, type SessionRow } from './rows.js'
import { prepareRows } from './rows-ahead.js'
import { type SessionRows } from './session-rows.js'
import { type Transcript } from './transcript.js'
import { type RawMessage } from './transcript-writes.js'

/** A conversation of another front end, as rows of this service. */
export interface ForeignConversation { title: string, workspace: string, profile: string, rows: RawMessage[] }

export interface ArrivalsOptions {
  audit: AuditPort
  rows: SessionRows
  transcript: Transcript
  make: Making['make']
}

/** Makes sessions from messages that come from elsewhere: conversations of other front ends, and imported files. */
export function createArrivals ({ audit, rows, transcript, make }: ArrivalsOptions) {
  async function piecesOf (messages: readonly RawMessage[]): Promise<Piece[]> {
    const pace = createPace()
    const pieces: Piece[] = []
    let from = 0
    let chars = 0
    for (const [position, { body, replay }] of messages.entries()) {
      await pace()
      chars += textsIn([body, replay]).reduce((sum, text) => sum + text.length, 0)
      if (position + 1 - from < pieceRows && chars < pieceChars && position + 1 < messages.length) continue
      const [start, read] = [from, messages.slice(from, position + 1)]
      pieces.push({
        isLarge: chars >= pieceChars, ahead: async () => await prepared(read), write: (made) => transcript.fill(made, read, start)
      })
      from = position + 1
      chars = 0
    }
    return pieces
  }

  return {
    /** Makes a session that begins like a conversation of another front end. */
    async adopt (
      parentId: string, { title, workspace, profile, rows: messages }: ForeignConversation, wanted: { keep?: number, title?: string }
    ): Promise<SessionRow> {
      const kept = messages.slice(0, wanted.keep ?? messages.length)
      const input = { profile, workspace, title: forkTitle(wanted.title, title), source: 'fork' as const, parentSessionId: parentId }
      return await make(input, 'session_branch', await piecesOf(kept))
    },

    /**
     * Makes a conversation of another front end a session of this service, under its own id. `finish` runs in the transaction that makes it
     * visible.
     */
    async takeOver (
      id: string, { rows: messages, ...conversation }: ForeignConversation, model: Pick<NewSession, 'model' | 'modelProvider'>,
      finish: (id: string) => void
    ): Promise<SessionRow> {
      return await make({ ...conversation, ...model, id }, 'session_import', await piecesOf(messages), finish)
    },

    /**
     * Makes a session from imported rows; without a title it is called "Imported session". `check` runs before a pinned one is made, and
     * again in the transaction that makes it visible.
     */
    async bringIn (
      { title = '', ...given }: NewSession & { pinned: boolean }, pieces: ImportPiece[], check: () => void
    ): Promise<SessionRow> {
      const input = { ...given, title: title.trim() === '' ? 'Imported session' : title }
      if (input.pinned) check()
      /** The rows of the piece that is being written. */
      let read: RawMessage[] = []
      const writes = pieces.map((piece): Piece => ({
        isLarge: isLong(piece.rows),
        ahead: async () => {
          read = JSON.parse(piece.rows) as RawMessage[]
          await prepared(read)
        },
        write: (made) => transcript.fill(made, read, piece.from)
      }))
      return await make(input, 'session_import', writes, (made) => {
        audit.record('session.imported', { session: made, profile: input.profile })
        if (!input.pinned) return
        check()
        rows.set(made, { pinned: true })
      })
    }
  }
}

const prepared = async (rows: readonly RawMessage[]): Promise<void> =>
  await prepareRows(rows.map(({ body, card }) => ({ body, card })), rows.map(({ replay }) => replay))
