import { localCommands } from '../services/areas/commands/index.js'
import { boundaryFolder, forgetAgentSession, projectContexts, workspaceRules } from '../services/agent/index.js'
import { LinkLoop, realPath, within } from '../services/ground/files/containment.js'
import { Invalid } from '../services/ground/errors.js'
import {
  createWorktree, makeWorkspaceFolder, removeAttachments, removeWorktree, sessionsWithAttachments, suggestFolders, workspaceFolder,
  worktreeStatus, type Worktree
} from '../services/workspace/index.js'
import { mainRootOf, workTreeOf } from '../services/workspace/git/index.js'
import { type CheckAnswers } from './checks.js'
import { type Answers } from './questions.js'
import { type ModelAnswers } from './models.js'
import { missingUploads } from './uploads.js'
import { type WatchAnswers } from './watches.js'

export interface AnswersOptions {
  /** The name of this machine. */
  name: string
  /** Folders that may contain workspaces; absolute. Everything else on this machine is closed. */
  workspaces: readonly string[]
  /** Folder for this program's own data. */
  stateDir: string
  /** Folders that may not contain workspaces; `stateDir` is one of them. */
  reserved: string[]
  /** Homes of its profiles, which contain sessions of third-party agents. */
  homes?: () => string[]
}

/** Answers the service's questions about the folders of this machine. */
export function createAnswers ({
  name, workspaces, stateDir, reserved, homes = () => []
}: AnswersOptions): Omit<Answers, keyof WatchAnswers | keyof ModelAnswers | keyof CheckAnswers> {
  const roots = (): string[] => workspaces.map(realPath)
  const isOpen = (path: string): boolean => roots().some((root) => within(root, path))
  const boundary = boundaryFolder(stateDir)
  const commands = localCommands(boundary)

  /** Returns the real path, even if nothing exists there any more. Throws Invalid if it is in none of the opened folders. */
  function opened (path: string): string {
    let real: string
    try {
      real = realPath(path)
    } catch (error) {
      if (error instanceof LinkLoop) throw new Invalid('The path of the workspace leads through a loop of symbolic links')
      throw error
    }
    if (!path.startsWith('/') || path.includes('\0') || !isOpen(real)) {
      throw new Invalid(`The machine ${name} only offers workspaces in ${workspaces.join(', ')}`)
    }
    return real
  }

  /** Returns the worktree unchanged. Throws Invalid if its repository is in none of the opened folders. */
  function ownWorktree (worktree: Worktree): Worktree {
    opened(worktree.repoRoot)
    return worktree
  }

  return {
    async folder ({ path, create = false }) {
      opened(path)
      return { path: create ? await makeWorkspaceFolder(path, reserved) : await workspaceFolder(path, reserved) }
    },
    async suggest ({ prefix }) {
      const begun = prefix.toLowerCase()
      const ways = workspaces.filter((root) => root.toLowerCase().startsWith(begun))
      const found = await suggestFolders(prefix, { known: [], userHome: '/', reserved })
      return [...new Set([...ways, ...found.filter((path) => isOpen(realPath(path)))])]
    },
    context: async ({ workspace }) => workspaceRules(boundary, opened(workspace)),
    rules: async ({ workspace }) => projectContexts(opened(workspace)),
    commands: async ({ workspace }) => await commands.list({ profile: '', workspace: opened(workspace) }),
    async command ({ workspace, name, args }) {
      const found = await commands.resolve({ profile: '', workspace: opened(workspace) }, name, args)
      return found === null ? null : { text: found.text, ...(found.unaccepted === undefined ? {} : { unaccepted: found.unaccepted }) }
    },
    async worktree_create (wanted) {
      const folder = opened(wanted.folder)
      // createWorktree reports a missing folder, or one without a repository.
      const repoRoot = await workTreeOf(folder).then(mainRootOf).catch(() => null)
      if (repoRoot !== null) opened(repoRoot)
      return await createWorktree({ ...wanted, folder })
    },
    worktree_status: async (worktree) => await worktreeStatus(ownWorktree(worktree)),
    worktree_remove: async ({ worktree, ...options }) => await removeWorktree(ownWorktree(worktree), options),
    missing_uploads: async ({ files }) => await missingUploads(stateDir, files),
    kept_sessions: async () => await sessionsWithAttachments(stateDir),
    async forget_sessions ({ sessions }) {
      for (const id of sessions) await removeAttachments(stateDir, id)
      for (const home of homes()) for (const id of sessions) forgetAgentSession(home, id)
      return null
    }
  }
}
