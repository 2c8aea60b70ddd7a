import { createStatusCache } from './cache.js'
import { type EngineChoice } from './choice.js'
import { type GitStatus } from './engine.js'
import { watchTree } from './watch.js'
import { type Log } from '../../ground/log.js'

/** The status of a folder. `label` is the name of what is checked out: a branch, or the short sha of a commit. */
export interface LabelledStatus { status: GitStatus, label: string }

/** The status after an operation; null if it could not be read, which does not undo the operation. */
export interface After { status: LabelledStatus | null }

export interface StatusesOptions {
  choice: EngineChoice
  log: Log
}

/** Returns the status of folders, cached while nothing changes there. All but `after` throw what engines throw. */
export function createStatuses ({ choice, log }: StatusesOptions) {
  const cache = createStatusCache({
    read: {
      status: (folder) => choice.use((engine) => engine.status(folder)),
      info: (folder) => choice.use((engine) => engine.info(folder))
    },
    watch: async (folder) => (await choice.current()).engine.name === 'git' ? await watchTree(folder) : null
  })

  async function of (folder: string): Promise<LabelledStatus | null> {
    const status = await cache.status(folder)
    if (status === null) return null
    return { status, label: status.branch ?? status.head?.slice(0, 7) ?? '' }
  }

  return {
    /** Returns null outside of repositories. */
    of,

    /** Returns counts for a badge; null outside of repositories. */
    info: cache.info,

    /** Reads the status at the end of an operation. Never rejects. */
    async after (folder: string): Promise<After> {
      return {
        status: await of(folder).catch((error: unknown) => {
          log('the status after a git operation could not be read', { reason: String(error) })
          return null
        })
      }
    },

    /** Returns the number of cached folders. */
    size: cache.size,
    close: cache.close
  }
}

export type Statuses = ReturnType<typeof createStatuses>
