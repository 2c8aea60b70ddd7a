import { Invalid, NotFound } from '../../ground/errors.js'
import { refuseClosed, type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import {
  type BranchToDescribe, type Branches, type Commit, type CommitDetail, type Diff, type DiffKind, type GitEngine, type GitInfo, type Remote,
  type Stash, type StoredIn
} from './engine.js'
import { type CommitMessage, type CommitMessages } from './messages.js'
import { type LabelledStatus, type Statuses } from './statuses.js'

export interface GitReadingOptions {
  choice: EngineChoice
  access: TreeAccess
  statuses: Statuses
  messages: CommitMessages
}

/** Operations that change nothing. Every session may use them at any time, also during a turn. All throw NotFound. */
export function createGitReading ({ choice, access, statuses, messages }: GitReadingOptions) {
  /** Reads in the folder of a session. Throws what refuseClosed throws for `paths`. */
  async function read<T> (sessionId: string, paths: string[], work: (engine: GitEngine, root: string) => Promise<T>): Promise<T> {
    const territory = await access.reading(sessionId)
    refuseClosed(territory, paths)
    return await choice.use((engine) => work(engine, territory.root))
  }

  return {
    /** Returns counts for a badge; null outside of repositories. */
    async info (sessionId: string): Promise<GitInfo | null> {
      return await statuses.info((await access.reading(sessionId)).root)
    },

    /** Returns null outside of repositories. */
    async status (sessionId: string): Promise<LabelledStatus | null> {
      return await statuses.of((await access.reading(sessionId)).root)
    },

    branches: (sessionId: string): Promise<Branches> => read(sessionId, [], (engine, root) => engine.branches(root)),

    diff: (sessionId: string, path: string, kind: DiffKind): Promise<Diff> =>
      read(sessionId, [path], (engine, root) => engine.diff(root, path, kind)),

    /** Returns a file as git stores it. Throws NotFound if git does not have it, TooLarge above 20 MiB. */
    async stored (sessionId: string, path: string, storedIn: StoredIn): Promise<Buffer> {
      const bytes = await read(sessionId, [path], (engine, root) => engine.stored(root, path, storedIn))
      if (bytes === null) throw new NotFound('Git has no such file')
      return bytes
    },

    log: (
      sessionId: string, page: { ref?: string, limit: number, offset: number }
    ): Promise<{ commits: Commit[], next: number | null }> => read(sessionId, [], (engine, root) => engine.log(root, page)),

    show: (sessionId: string, ref: string): Promise<CommitDetail> => read(sessionId, [], (engine, root) => engine.show(root, ref)),

    stashes: (sessionId: string): Promise<Stash[]> => read(sessionId, [], (engine, root) => engine.stashes(root)),

    remotes: (sessionId: string): Promise<Remote[]> => read(sessionId, [], (engine, root) => engine.remotes(root)),

    branchToDescribe: (sessionId: string, base: { remote: string, branch: string }): Promise<BranchToDescribe> =>
      read(sessionId, [], (engine, root) => engine.branchToDescribe(root, base)),

    /** Writes a message for what is staged, or with `paths` for everything changed there. Throws Invalid (`nothing_to_commit`). */
    async commitMessage (sessionId: string, paths: string[] | null): Promise<CommitMessage> {
      const changes = await read(sessionId, paths ?? [], (engine, root) => engine.changesToDescribe(root, paths))
      if (changes.files.length === 0) {
        throw new Invalid(paths === null
          ? 'Nothing is staged that a message could be about'
          : 'Nothing has changed there that a message could be about', 'nothing_to_commit')
      }
      return await messages.write(sessionId, changes)
    }
  }
}
