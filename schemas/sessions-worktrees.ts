import { Type } from '@sinclair/typebox'
import { Closed, Count, Id, Nullable } from './common.js'

export const WorktreeStatus = Closed({
  ok: Type.Boolean(),
  session_id: Type.String(),
  has_worktree: Type.Boolean(),
  exists: Type.Boolean(),
  path: Nullable(Type.String()),
  branch: Nullable(Type.String()),
  dirty_files: Count(),
  untracked_files: Count(),
  ahead: Type.Integer({ description: 'how many commits no other branch has' }),
  merged: Type.Boolean(),
  locked: Type.Boolean()
}, { title: 'WorktreeStatus' })
export const RemoveWorktreeBody = Type.Object({
  session_id: Id('session'), force: Type.Optional(Type.Boolean({ description: 'remove it even with uncommitted work; its commits stay on their branch' }))
})
export const WorktreeRemoved = Closed({
  ok: Type.Boolean(), removed: Type.Boolean(), branch_deleted: Type.Boolean()
}, { title: 'WorktreeRemoved' })
