export {
  attachmentFolder, attachmentsOf, copyAttachments, hasAttachment, isAttachment, removeAttachments, sessionsWithAttachments
} from './place/attachments.js'
export { ensureWorkspace, makeWorkspaceFolder, workspaceFolder } from './place/folder.js'
export { suggestFolders } from './folder-suggestions.js'
export { createWorkspace, type Workspace } from './workspace.js'
export { type WorkspaceRecord } from './workspace-list.js'
export {
  createWorktree, removeWorktree, whileWorktreesStay, worktreeStatus, type NewWorktree, type Removal, type Worktree, type WorktreeStatus
} from './worktrees/worktrees.js'
