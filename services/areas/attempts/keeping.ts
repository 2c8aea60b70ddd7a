import { epochSeconds } from '../../ground/time/clock.js'
import { unprotect } from '../../workspace/states/index.js'
import { type Context } from './context.js'
import { type AttemptRow, type AttemptsRow } from './rows.js'
import { refsOf } from './taking.js'

/** Keeps the worktrees of attempts until a person removes them, or their retention time is over. */
export function createKeeping ({ db, clock, audit, sessions, chat, rows, changed, log }: Context) {
  const isGone = (sessionId: string): boolean => !sessions.has(sessionId) || sessions.get(sessionId).worktreePath === null

  /** Removes worktrees, except those that are in use. Returns the sessions of the removed ones. */
  async function removeWorktrees (row: AttemptsRow, members: readonly AttemptRow[]): Promise<string[]> {
    const removed: string[] = []
    try {
      for (const { sessionId } of members) {
        if (isGone(sessionId) || chat.isLive(sessionId)) continue
        await sessions.worktrees.remove(sessionId, true)
        removed.push(sessionId)
      }
    } finally {
      if (removed.length > 0) {
        await db.durably(() => {
          audit.record('attempts.removed', { attempts: row.id, sessions: removed.length })
          changed(row.id)
        })
      }
    }
    return removed
  }

  async function sweepOne (row: AttemptsRow): Promise<void> {
    const members = rows.members(row.id)
    await removeWorktrees(row, members)
    if (members.some(({ sessionId }) => chat.isLive(sessionId))) return
    await unprotect(row.workspace, refsOf(row.id)).catch(() => {})
    await db.durably(() => rows.set(row.id, { keptUntil: null }))
  }

  return {
    /** Removes the worktrees of these attempts. Returns their sessions. */
    async remove (row: AttemptsRow, members: readonly AttemptRow[]): Promise<string[]> {
      const removed = await removeWorktrees(row, members)
      // Nothing is left to take or to undo.
      if (row.keptUntil === null && rows.members(row.id).every(({ sessionId }) => isGone(sessionId))) {
        await unprotect(row.workspace, refsOf(row.id)).catch(() => {})
      }
      return removed
    },

    /**
     * Removes the worktrees whose retention time is over. One that cannot be removed is tried again later, and the others are removed
     * anyway.
     */
    async sweep (): Promise<void> {
      for (const row of rows.due(epochSeconds(clock))) {
        await sweepOne(row).catch((error: unknown) =>
          log('worktrees of attempts could not be removed', { attempts: row.id, reason: String(error) }))
      }
    }
  }
}
