import { createTreeAccess, type TreeAccessOptions } from './access.js'
import { createGitChanges } from './changing.js'
import { type EngineChoice } from './choice.js'
import { type CommitMessages } from './messages.js'
import { createGitReading } from './reading.js'
import { createGitRemotes } from './remotes.js'
import { createStatuses } from './statuses.js'
import { type Log } from '../../ground/log.js'

export interface GitOptions extends TreeAccessOptions {
  choice: EngineChoice
  messages: CommitMessages
  log: Log
}

/**
 * Git for sessions, in their folders: operations that read, that change something, and that talk to remotes. Only git's own locks
 * protect them from the git commands that the agent runs.
 */
export function createGit ({ choice, messages, log, ...may }: GitOptions) {
  const access = createTreeAccess(may)
  const statuses = createStatuses({ choice, log })
  return {
    /** For operations that change something outside of the folder only. Throws NotFound, Forbidden (`destructive_git_disabled`). */
    refuseReadOnly: access.refuseReadOnly,

    ...createGitReading({ choice, access, statuses, messages }),
    ...createGitChanges({ choice, access, statuses }),
    ...createGitRemotes({ choice, access, statuses }),

    async engine (): Promise<{ engine: string, version: string }> {
      const { engine, version } = await choice.current()
      return { engine: engine.name, version }
    },
    /** Returns the number of queues with running or waiting operations, and of folders with a cached status. */
    size: () => ({ queued: access.size(), folders: statuses.size() }),
    close: statuses.close
  }
}

export type Git = ReturnType<typeof createGit>
