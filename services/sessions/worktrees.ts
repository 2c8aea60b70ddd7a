import { epochSeconds, type Clock } from '../ground/clock.js'
import { type Database } from '../ground/database/index.js'
import { Conflict, Invalid } from '../ground/errors.js'
import { sessionId as newSessionId } from '../ground/ids.js'
import { redact } from '../ground/redaction/index.js'
import { createWorktree, removeWorktree, worktreeStatus, type Removal, type Worktree, type WorktreeStatus } from '../workspace/index.js'
import { type NewSession, type SessionRow } from './rows.js'
import { type SessionRows } from './session-rows.js'

export interface SessionWorktreesOptions {
  db: Database
  clock: Clock
  rows: SessionRows
  /** What is needed of the sessions themselves. */
  sessions: {
    get (id: string): SessionRow
    /** Throws Forbidden for a session that can only be read, and Conflict while a turn runs in it. */
    editable (id: string): SessionRow
    create (input: NewSession): Promise<SessionRow>
    /** The same inside the caller's transaction. */
    insert (input: NewSession): SessionRow
    changed (reason: string): void
  }
}

/** Sessions that work in a git worktree of their own. */
export function createSessionWorktrees ({ db, clock, rows, sessions }: SessionWorktreesOptions) {
  const inside = "(workspace = ? or substr(workspace, 1, length(?) + 1) = ? || '/')"
  // Joined with the streams: which of the sessions that share a folder has a turn is one question.
  const working = db.sqlite.prepare<[string, string, string], string>(`select streams.id from streams join sessions on sessions.id = session_id where state = 'active' and ${inside}`).pluck()

  function worktreeOf ({ worktreePath: path, worktreeBranch: branch, worktreeRepoRoot: repoRoot }: SessionRow): Worktree | null {
    return path === null || branch === null || repoRoot === null ? null : { path, branch, repoRoot }
  }

  return {
    /** Opens a session, with `worktree` in a branch and a folder of its own. Throws Invalid when its folder is in no repository. */
    async createSession (input: NewSession, { worktree }: { worktree: boolean }): Promise<SessionRow> {
      if (!worktree) return await sessions.create(input)
      const id = newSessionId()
      const made = await createWorktree({ folder: input.workspace, sessionId: id, ...(input.title === undefined ? {} : { title: redact(input.title) }) })
      try {
        return await db.durably(() => {
          sessions.insert({ ...input, id, workspace: made.workspace })
          return rows.set(id, { worktreePath: made.path, worktreeBranch: made.branch, worktreeRepoRoot: made.repoRoot, worktreeCreatedAt: epochSeconds(clock) })
        })
      } catch (error) {
        // Nothing was done in it yet.
        await removeWorktree(made, { force: true, deleteBranch: true }).catch(() => {})
        throw error
      }
    },

    /** Null for a session without one. Throws NotFound. */
    async status (id: string): Promise<WorktreeStatus | null> {
      const worktree = worktreeOf(sessions.get(id))
      return worktree === null ? null : await worktreeStatus(worktree)
    },

    /** The session goes on in the repository itself. Throws Invalid, and Conflict when work would be lost or a turn runs. */
    async remove (id: string, force: boolean): Promise<Removal> {
      const row = sessions.editable(id)
      const worktree = worktreeOf(row)
      if (worktree === null) throw new Invalid('This session has no worktree')
      const { path } = worktree
      if (working.get(path, path, path) !== undefined) throw new Conflict('A turn is at work in this worktree', 'active_stream')
      const removal = await removeWorktree(worktree, { force })
      if (!removal.removed) throw new Conflict('The worktree could not be removed')
      await db.durably(() => {
        rows.set(id, { worktreePath: null, worktreeBranch: null, worktreeRepoRoot: null, worktreeCreatedAt: null })
        // Branches and copies of the session may work there as well.
        rows.moveOut(path, worktree.repoRoot)
        sessions.changed('session_update')
      })
      return removal
    }
  }
}

export type SessionWorktrees = ReturnType<typeof createSessionWorktrees>
