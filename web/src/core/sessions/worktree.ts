import { ApiError, type Api, type Wire } from '../service/api.js'

export type WorktreeStatus = Wire<'WorktreeStatus'>

/** Why a worktree was not removed: what would be lost with it, or `other`. */
export type Refused = 'changes' | 'commits' | 'other'

export type Removed = { isRemoved: true, isBranchDeleted: boolean } | { isRemoved: false, refused: Refused, message: string }

/** Reads the state of a session's worktree. Throws ApiError. */
export async function readWorktree (api: Api, sessionId: string): Promise<WorktreeStatus> {
  return await api.get('/api/session/worktree/status', { session_id: sessionId })
}

/**
 * Removes the worktree; the chat continues in the repository. `force`: even if uncommitted changes are lost. Commits are never lost: their
 * branch stays. Returns why it was refused; throws ApiError for failures.
 */
export async function removeWorktree (api: Api, sessionId: string, { force }: { force: boolean }): Promise<Removed> {
  try {
    const { branch_deleted: isBranchDeleted } = await api.post('/api/session/worktree/remove', { session_id: sessionId, force })
    return { isRemoved: true, isBranchDeleted }
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    return {
      isRemoved: false, refused: error.code === 'dirty_worktree' ? 'changes' : error.code === 'unmerged_commits' ? 'commits' : 'other',
      message: error.message
    }
  }
}
