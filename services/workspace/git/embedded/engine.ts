import { type Workers } from '../../../ground/workers/index.js'
import { type GitEngine } from '../engine.js'
import { gitVariables } from '../environment.js'
import { unlessNoRepository } from '../errors.js'
import { needsGit } from './limits.js'
import { type Operation, type OperationInput, type OperationResult } from './task.js'

export interface EmbeddedGitOptions {
  workers: Pick<Workers, 'run'>
  /** Folder of the user's own settings, from which the author of commits is read. */
  home: () => string | null
  /** Paths in a folder that are never shown or changed. Absolute, free of symlinks. */
  closed?: (folder: string) => readonly string[]
}

const limitMs = 60_000

/**
 * Works without an installed git: runs isomorphic-git in a worker thread, on plain repositories. It reads, stages and commits. Everything
 * that it would get wrong (remotes, checkouts, stashes, linked work trees, filters …) is refused with `missing_git`.
 */
export function createEmbeddedGit ({ workers, home, closed = () => [] }: EmbeddedGitOptions): GitEngine {
  async function run<Name extends Operation> (
    operation: Name, folder: string, ...rest: OperationInput<Name>
  ): Promise<OperationResult<Name>> {
    return await workers.run('embeddedGit', {
      folder, closed: closed(folder), operation, rest
    }, { timeoutMs: limitMs }) as OperationResult<Name>
  }

  /** Returns an operation that always throws: Unavailable (`missing_git`) in a repository, Invalid (`not_a_repo`) elsewhere. */
  const beyond = (what: string) => async (folder: string): Promise<never> => {
    await run('stashes', folder)
    throw needsGit(what)
  }

  return {
    name: 'isomorphic-git',
    status: async (folder) => await unlessNoRepository(run('status', folder)),
    info: async (folder) => await unlessNoRepository(run('info', folder)),
    branches: async (folder) => await run('branches', folder),
    diff: async (folder, path, kind) => await run('diff', folder, path, kind),
    stored: async (folder, path, storedIn) => {
      // A buffer arrives from another thread as a plain Uint8Array.
      const bytes = await run('stored', folder, path, storedIn)
      return bytes === null ? null : Buffer.from(bytes)
    },
    log: async (folder, options) => await run('log', folder, options),
    show: async (folder, ref) => await run('show', folder, ref),
    stashes: async (folder) => await run('stashes', folder),
    changesToDescribe: async (folder, paths) => await run('changesToDescribe', folder, paths),
    stage: async (folder, paths) => { await run('stage', folder, paths) },
    unstage: async (folder, paths) => { await run('unstage', folder, paths) },
    commit: async (folder, message) => {
      const { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email } = gitVariables()
      return await run('commit', folder, message, { home: home(), name, email })
    },
    discard: beyond('discarding changes'),
    commitSelected: beyond('commits of chosen files'),
    fetch: beyond('remotes'),
    pull: beyond('remotes'),
    push: beyond('remotes'),
    checkout: beyond('checking out branches'),
    stashCheckout: beyond('stashes'),
    remotes: beyond('remotes'),
    branchToDescribe: beyond('remotes')
  }
}

/** Version of isomorphic-git. It is a constant because only the worker thread loads the library. */
export const embeddedGitVersion = '1.44.17'
