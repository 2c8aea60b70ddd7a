import { createPace } from '../../ground/concurrency/pace.js'
import { Conflict, Invalid } from '../../ground/errors.js'
import { sessionId as newSessionId } from '../../ground/ids.js'
import { type Making, type Piece, type SessionAttachments } from './making.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'
import { type Transcript } from './transcript.js'

export interface CopiesOptions {
  rows: SessionRows
  transcript: Transcript
  get: (id: string) => SessionRow
  make: Making['make']
  attachments: SessionAttachments
}

export interface BranchOptions { keep?: number, title?: string, versionIndex?: number }

/** Makes sessions from the messages of another session: branches and copies. */
export function createCopies ({ rows, transcript, get, make, attachments }: CopiesOptions) {
  /**
   * Returns a check that throws Conflict if the session has changed. Positions have no gaps and ids are never reused, so the same last
   * message means the same messages.
   */
  function unchanged (id: string, total: number): () => void {
    const expected = transcript.idAt(id, total - 1)
    return () => {
      if (transcript.idAt(id, total - 1) !== expected) throw new Conflict('The session changed while it was being copied; nothing was made')
    }
  }

  /** Makes a session that begins with the rows of another one, and has its own copies of the files that were uploaded to that one. */
  async function copy (from: string, input: NewSession, reason: string, total: number, finish: (id: string) => void): Promise<SessionRow> {
    const id = newSessionId()
    const messages = await piecesOf(from, total)
    // A large piece comes after the row: if the service is killed, its next start finds the row and removes the files with it.
    const files: Piece = { isLarge: true, ahead: () => attachments.copy(from, id), write: () => {} }
    return await make({ ...input, id }, reason, await attachments.has(from) ? [files, ...messages] : messages, finish)
  }

  async function piecesOf (from: string, total: number): Promise<Piece[]> {
    const pace = createPace()
    const pieces: Piece[] = []
    for (let next = 0; next < total; await pace()) {
      const start = next
      const end = Math.max(start + 1, transcript.portionEnd(from, start, total))
      pieces.push({
        write: (made) => transcript.copy(from, made, start, end), ahead: async () => await transcript.rangeAhead(from, start, end, 'masked')
      })
      next = end
    }
    return pieces
  }

  return {
    /**
     * Makes a session that begins like another one. It may continue while the other's turn runs. `versionIndex`: the message that is about
     * to be replaced in the other one, whose present version the branch keeps. Throws NotFound, and Invalid if the branch has no such
     * message of a person.
     */
    async branch (id: string, { keep, title, versionIndex }: BranchOptions): Promise<SessionRow> {
      const row = get(id)
      const total = Math.min(keep ?? row.messageCount, row.messageCount)
      if (versionIndex !== undefined && (versionIndex >= total || transcript.typedAt(id, versionIndex) === null)) {
        throw new Invalid('The branch has no message of yours at version_index')
      }
      const input = { ...inherited(row), title: forkTitle(title, row.title), source: 'fork' as const, parentSessionId: id }
      const check = unchanged(id, total)
      return await copy(id, input, 'session_branch', total, (made) => {
        check()
        const isSummarised = row.compressedBefore !== null && row.compressedBefore <= total
        rows.set(made, {
          personality: row.personality,
          mode: row.mode,
          versionIndex,
          ...(isSummarised ? { compressionSummary: row.compressionSummary, compressedBefore: row.compressedBefore } : {})
        })
      })
    },

    /**
     * Copies a session with its counters and settings, without a link to the original. Throws NotFound, and Invalid for a sub-agent's
     * session.
     */
    async duplicate (id: string): Promise<SessionRow> {
      const row = get(id)
      if (row.source === 'subagent') throw new Invalid('A sub-agent\'s session cannot be duplicated')
      const input = { ...inherited(row), title: `${row.title} (copy)` }
      const check = unchanged(id, row.messageCount)
      return await copy(id, input, 'session_duplicate', row.messageCount, (made) => {
        check()
        rows.set(made, {
          personality: row.personality, mode: row.mode, inputTokens: row.inputTokens, outputTokens: row.outputTokens,
          cacheReadTokens: row.cacheReadTokens, cacheWriteTokens: row.cacheWriteTokens, estimatedCost: row.estimatedCost,
          contextLength: row.contextLength, thresholdTokens: row.thresholdTokens,
          lastPromptTokens: row.lastPromptTokens, todos: row.todos, compressionSummary: row.compressionSummary,
          compressedBefore: row.compressedBefore
        })
      })
    }
  }
}

/** The settings that a copy takes from the original. */
function inherited (row: SessionRow): NewSession {
  return {
    profile: row.profile,
    workspace: row.workspace,
    model: row.model ?? undefined,
    modelProvider: row.modelProvider ?? undefined,
    projectId: row.projectId ?? undefined
  }
}

/** Returns the title of a branch. */
export const forkTitle = (wanted: string | undefined, parent: string): string =>
  wanted === undefined || wanted.trim() === '' ? `${parent} (fork)` : wanted
