export { attachmentFolder, copyAttachments, hasAttachment, isAttachment, removeAttachments } from './place/attachments.js'
export { createWorkspace, type Workspace } from './workspace.js'
export { type WorkspaceRecord } from './workspaces.js'
export { createWorktree, removeWorktree, worktreeStatus, type NewWorktree, type Removal, type Worktree, type WorktreeStatus } from './worktrees/worktrees.js'
