import { Invalid, NotFound } from '../../ground/errors.js'
import { refuseClosed, type TreeAccess } from './access.js'
import { type EngineChoice } from './choice.js'
import {
  type BranchToDescribe, type Branches, type Commit, type CommitDetail, type Diff, type DiffKind, type GitInfo, type Remote, type Stash,
  type StoredIn
} from './engine.js'
import { type CommitMessage, type CommitMessages } from './messages.js'
import { type Standing, type Standings } from './standing.js'

export interface GitReadingOptions {
  choice: EngineChoice
  access: TreeAccess
  standings: Standings
  messages: CommitMessages
}

/** Operations that change nothing. Every session may use them at any time, also during a turn. All throw NotFound. */
export function createGitReading ({ choice, access, standings, messages }: GitReadingOptions) {
  return {
    /** Returns counts for a badge; null outside of repositories. */
    async info (sessionId: string): Promise<GitInfo | null> {
      return await standings.info((await access.reading(sessionId)).root)
    },

    /** Returns null outside of repositories. */
    async status (sessionId: string): Promise<Standing | null> {
      return await standings.of((await access.reading(sessionId)).root)
    },

    async branches (sessionId: string): Promise<Branches> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.branches(root))
    },

    async diff (sessionId: string, path: string, kind: DiffKind): Promise<Diff> {
      const territory = await access.reading(sessionId)
      refuseClosed(territory, [path])
      return await choice.use(async (engine) => await engine.diff(territory.root, path, kind))
    },

    /** Returns a file as git stores it. Throws NotFound if git does not have it, TooLarge above 20 MiB. */
    async stored (sessionId: string, path: string, storedIn: StoredIn): Promise<Buffer> {
      const territory = await access.reading(sessionId)
      refuseClosed(territory, [path])
      const bytes = await choice.use(async (engine) => await engine.stored(territory.root, path, storedIn))
      if (bytes === null) throw new NotFound('Git has no such file')
      return bytes
    },

    async log (
      sessionId: string, page: { ref?: string, limit: number, offset: number }
    ): Promise<{ commits: Commit[], next: number | null }> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.log(root, page))
    },

    async show (sessionId: string, ref: string): Promise<CommitDetail> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.show(root, ref))
    },

    async stashes (sessionId: string): Promise<Stash[]> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.stashes(root))
    },

    async remotes (sessionId: string): Promise<Remote[]> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.remotes(root))
    },

    async branchToDescribe (sessionId: string, base: { remote: string, branch: string }): Promise<BranchToDescribe> {
      const { root } = await access.reading(sessionId)
      return await choice.use(async (engine) => await engine.branchToDescribe(root, base))
    },

    /** Writes a message for what is staged, or with `paths` for everything changed there. Throws Invalid (`nothing_to_commit`). */
    async commitMessage (sessionId: string, paths: string[] | null): Promise<CommitMessage> {
      const territory = await access.reading(sessionId)
      if (paths !== null) refuseClosed(territory, paths)
      const changes = await choice.use(async (engine) => await engine.changesToDescribe(territory.root, paths))
      if (changes.files.length === 0) {
        throw new Invalid(paths === null
          ? 'Nothing is staged that a message could be about'
          : 'Nothing has changed there that a message could be about', 'nothing_to_commit')
      }
      return await messages.write(sessionId, changes)
    }
  }
}
