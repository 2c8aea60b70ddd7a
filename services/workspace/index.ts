export { createWorkspaces, type WorkspaceRecord, type Workspaces } from './workspaces.js'
export { removeAttachments } from './attachments.js'
export { ensureWorkspace, workspaceFolder } from './folder.js'
export { createWorktree, removeWorktree, worktreeStatus, type NewWorktree, type Removal, type Worktree, type WorktreeStatus } from './worktrees.js'
