import { ApiError, type Api, type Wire } from '../service/api.js'

export type WorktreeStatus = Wire<'WorktreeStatus'>

/** What would be lost with a worktree, which is why it was not removed; `other`: something else is in the way. */
export type Refused = 'changes' | 'commits' | 'other'

export type Removed = { isRemoved: true, isBranchDeleted: boolean } | { isRemoved: false, refused: Refused, message: string }

/** Throws ApiError. */
export async function readWorktree (api: Api, sessionId: string): Promise<WorktreeStatus> {
  return await api.get('/api/session/worktree/status', { session_id: sessionId })
}

/**
 * The folder goes, and the chat goes on in the repository. With `force` also when that loses changes that are not committed; commits always
 * keep their branch. What is refused is told; throws ApiError for what failed.
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
