import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { within } from '../../ground/containment.js'
import { Conflict, Forbidden, Invalid } from '../../ground/errors.js'
import { type Territory } from '../place/place.js'
import { type Territories } from '../place/territories.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { createStatusCache } from './cache.js'
import { type EngineChoice } from './choice.js'
import { type Branches, type CheckedOut, type CheckoutTarget, type CommitDetail, type Commit, type Diff, type DiffKind, type GitInfo, type GitStatus, type Stash, type StashedCheckout } from './engine.js'
import { type CommitMessage, type CommitMessages } from './messages.js'
import { watchTree } from './watch.js'

export interface GitOptions {
  choice: EngineChoice
  territories: Pick<Territories, 'reading'>
  messages: CommitMessages
  /** Whether the session may be changed at all. */
  isReadOnly: (sessionId: string) => boolean
  isLive: (sessionId: string) => boolean
  /** The operator allows nothing that changes a repository. */
  readonly: boolean
  log: (message: string, details: Record<string, unknown>) => void
}

/** Where a folder stands, with the name of what is checked out: a branch, or the short sha of a commit. */
export interface Standing { status: GitStatus, label: string }

/** What is left after an operation; null when it could not be told, which does not undo the operation. */
export interface After { standing: Standing | null }

/** `message` is a line for the person who asked. */
export type Talked = { message: string } & After

const nonBlank = /\S/

/**
 * Git for sessions, in their folders. What changes a repository needs an ordinary session without a live turn, when it is
 * asked for and when it begins; of the operations of one work tree one runs at a time, those with a remote beside the
 * others. The agent's own git is kept apart by git's locks.
 */
export function createGit ({ choice, territories, messages, isReadOnly, isLive, readonly, log }: GitOptions) {
  const inTurn = createQueue()
  const cache = createStatusCache({
    read: {
      status: async (folder) => await choice.use(async (engine) => await engine.status(folder)),
      info: async (folder) => await choice.use(async (engine) => await engine.info(folder))
    },
    watch: async (folder) => (await choice.current()).engine.name === 'git' ? await watchTree(folder) : null
  })

  /** Throws NotFound, Forbidden (`destructive_git_disabled`), Conflict (`active_stream`). */
  function refuseChanges (sessionId: string): void {
    if (readonly) throw new Forbidden('This service is set up to change no git repository', 'destructive_git_disabled')
    if (isReadOnly(sessionId)) throw new Forbidden('This session is read-only, so its repository is not changed through it', 'destructive_git_disabled')
    if (isLive(sessionId)) throw new Conflict('A turn is running in this session. Wait for its end or cancel it first', 'active_stream')
  }

  /** The folder of an operation that changes something. Throws what refuseChanges throws. */
  async function changing (sessionId: string): Promise<Territory> {
    const territory = await territories.reading(sessionId)
    refuseChanges(sessionId)
    return territory
  }

  async function standingOf (folder: string): Promise<Standing | null> {
    const status = await cache.status(folder)
    if (status === null) return null
    return { status, label: status.branch ?? status.head?.slice(0, 7) ?? '' }
  }

  async function after (folder: string): Promise<After> {
    return {
      standing: await standingOf(folder).catch((error: unknown) => {
        log('the status after a git operation could not be read', { reason: String(error) })
        return null
      })
    }
  }

  /** Runs `work` as the only change of its work tree. A turn may have begun while it waited, and is asked about again. */
  async function inTree<T> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T> {
    return await inTurn(`tree ${await workTreeKey(folder)}`, async () => {
      refuseChanges(sessionId)
      return await work()
    })
  }

  async function alone<T extends object> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T & After> {
    return await inTree(sessionId, folder, async () => ({ ...await work(), ...await after(folder) }))
  }

  /** One command at a time talks to the remotes of a work tree, beside what changes the tree. */
  async function talked (folder: string, work: () => Promise<string>): Promise<Talked> {
    return await inTurn(`remote ${await workTreeKey(folder)}`, async () => ({ message: await work(), ...await after(folder) }))
  }

  async function moved<T extends CheckedOut> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T & After & { branches: Branches | null }> {
    return await alone(sessionId, folder, async () => ({
      ...await work(),
      branches: await choice.use(async (engine) => await engine.branches(folder)).catch(() => null)
    }))
  }

  return {
    /** Counts for a badge; null outside of repositories. Throws NotFound. */
    async info (sessionId: string): Promise<GitInfo | null> {
      return await cache.info((await territories.reading(sessionId)).root)
    },

    /** Null outside of repositories. Throws NotFound. */
    async status (sessionId: string): Promise<Standing | null> {
      return await standingOf((await territories.reading(sessionId)).root)
    },

    async branches (sessionId: string): Promise<Branches> {
      const { root } = await territories.reading(sessionId)
      return await choice.use(async (engine) => await engine.branches(root))
    },

    async diff (sessionId: string, path: string, kind: DiffKind): Promise<Diff> {
      const territory = await territories.reading(sessionId)
      refuseClosed(territory, [path])
      return await choice.use(async (engine) => await engine.diff(territory.root, path, kind))
    },

    async log (sessionId: string, page: { ref?: string, limit: number, offset: number }): Promise<{ commits: Commit[], next: number | null }> {
      const { root } = await territories.reading(sessionId)
      return await choice.use(async (engine) => await engine.log(root, page))
    },

    async show (sessionId: string, ref: string): Promise<CommitDetail> {
      const { root } = await territories.reading(sessionId)
      return await choice.use(async (engine) => await engine.show(root, ref))
    },

    async stashes (sessionId: string): Promise<Stash[]> {
      const { root } = await territories.reading(sessionId)
      return await choice.use(async (engine) => await engine.stashes(root))
    },

    async stage (sessionId: string, paths: string[]): Promise<After> {
      const territory = await changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () => {
        await choice.use(async (engine) => await engine.stage(territory.root, paths))
        return {}
      })
    },

    async unstage (sessionId: string, paths: string[]): Promise<After> {
      const { root } = await changing(sessionId)
      return await alone(sessionId, root, async () => {
        await choice.use(async (engine) => await engine.unstage(root, paths))
        return {}
      })
    },

    async discard (sessionId: string, paths: string[], options: { deleteUntracked: boolean }): Promise<After> {
      const territory = await changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () => {
        await choice.use(async (engine) => await engine.discard(territory.root, paths, options))
        return {}
      })
    },

    async commit (sessionId: string, message: string): Promise<{ commit: string } & After> {
      refuseBlank(message)
      const { root } = await changing(sessionId)
      return await alone(sessionId, root, async () => ({ commit: await choice.use(async (engine) => await engine.commit(root, message)) }))
    },

    async commitSelected (sessionId: string, message: string, paths: string[]): Promise<{ commit: string, paths: string[] } & After> {
      refuseBlank(message)
      const territory = await changing(sessionId)
      refuseClosed(territory, paths)
      return await alone(sessionId, territory.root, async () => await choice.use(async (engine) => await engine.commitSelected(territory.root, message, paths)))
    },

    /** Not a change of the work tree, so it is open to every session. */
    async fetch (sessionId: string): Promise<Talked> {
      const { root } = await territories.reading(sessionId)
      return await talked(root, async () => await choice.use(async (engine) => await engine.fetch(root)))
    },

    async pull (sessionId: string): Promise<Talked> {
      const { root } = await changing(sessionId)
      return await talked(root, async () => {
        refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.pull(root, async (forward) => await inTree(sessionId, root, forward)))
      })
    },

    async push (sessionId: string): Promise<Talked> {
      const { root } = await changing(sessionId)
      return await talked(root, async () => {
        refuseChanges(sessionId)
        return await choice.use(async (engine) => await engine.push(root))
      })
    },

    async checkout (sessionId: string, target: CheckoutTarget): Promise<CheckedOut & After & { branches: Branches | null }> {
      const { root } = await changing(sessionId)
      return await moved(sessionId, root, async () => await choice.use(async (engine) => await engine.checkout(root, target)))
    },

    async stashCheckout (sessionId: string, target: CheckoutTarget): Promise<StashedCheckout & After & { branches: Branches | null }> {
      const territory = await changing(sessionId)
      // A stash takes untracked files out of the folder.
      if (territory.closed.length > 0) throw new Forbidden("The service's own files lie in this folder, so nothing is stashed in it")
      return await moved(sessionId, territory.root, async () => await choice.use(async (engine) => await engine.stashCheckout(territory.root, target)))
    },

    /** A message for what is staged, or with `paths` for everything that has changed there. Throws Invalid (`nothing_to_commit`). */
    async commitMessage (sessionId: string, paths: string[] | null): Promise<CommitMessage> {
      const territory = await territories.reading(sessionId)
      if (paths !== null) refuseClosed(territory, paths)
      const changes = await choice.use(async (engine) => await engine.changesToDescribe(territory.root, paths))
      if (changes.files.length === 0) throw new Invalid(paths === null ? 'Nothing is staged that a message could be about' : 'Nothing has changed there that a message could be about', 'nothing_to_commit')
      return await messages.write(sessionId, changes)
    },

    async engine (): Promise<{ engine: string, version: string }> {
      const { engine, version } = await choice.current()
      return { engine: engine.name, version }
    },
    /** Operations under way and waiting, by work tree, and folders that something is kept of. */
    size: () => ({ queued: inTurn.size(), folders: cache.size() }),
    close: () => cache.close()
  }
}

export type Git = ReturnType<typeof createGit>

function refuseBlank (message: string): void {
  if (!nonBlank.test(message)) throw new Invalid('The commit needs a message')
}

/** The service's own files are neither shown nor committed, and not thrown away with a folder around them. */
function refuseClosed ({ root, closed }: Territory, paths: string[]): void {
  for (const path of paths) {
    const place = resolve(root, path)
    if (closed.some((own) => within(own, place) || within(place, own))) throw new Forbidden('This belongs to the service itself')
  }
}

/** The same for all folders of one work tree. */
async function workTreeKey (folder: string): Promise<string> {
  for (let place = folder; ; place = dirname(place)) {
    if (await lstat(join(place, '.git')).then(() => true, () => false)) return place
    if (place === dirname(place)) return folder
  }
}
