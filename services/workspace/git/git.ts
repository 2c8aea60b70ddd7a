import { createTreeAccess, type TreeAccessOptions } from './access.js'
import { createGitChanges } from './changing.js'
import { type EngineChoice } from './choice.js'
import { type CommitMessages } from './messages.js'
import { createGitReading } from './reading.js'
import { createStandings } from './standing.js'
import { createGitTalking } from './talking.js'

export interface GitOptions extends TreeAccessOptions {
  choice: EngineChoice
  messages: CommitMessages
  log: (message: string, details: Record<string, unknown>) => void
}

/**
 * Git for sessions, in their folders: what only reads, what changes something, what talks to remotes. The agent's own git
 * is kept apart by git's locks.
 */
export function createGit ({ choice, messages, log, ...may }: GitOptions) {
  const access = createTreeAccess(may)
  const standings = createStandings({ choice, log })
  return {
    /** For what changes nothing in the folder, but something beyond it. Throws NotFound, Forbidden (`destructive_git_disabled`). */
    refuseReadOnly: access.refuseReadOnly,

    ...createGitReading({ choice, access, standings, messages }),
    ...createGitChanges({ choice, access, standings }),
    ...createGitTalking({ choice, access, standings }),

    async engine (): Promise<{ engine: string, version: string }> {
      const { engine, version } = await choice.current()
      return { engine: engine.name, version }
    },
    /** Operations under way and waiting, by work tree, and folders that something is kept of. */
    size: () => ({ queued: access.size(), folders: standings.size() }),
    close: () => standings.close()
  }
}

export type Git = ReturnType<typeof createGit>
