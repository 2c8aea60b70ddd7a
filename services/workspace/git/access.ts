import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { within } from '../../ground/containment.js'
import { Conflict, Forbidden } from '../../ground/errors.js'
import { type Territory } from '../place/place.js'
import { type Territories } from '../place/territories.js'

export interface TreeAccessOptions {
  territories: Pick<Territories, 'reading'>
  /** Whether the session may be changed at all. */
  isReadOnly: (sessionId: string) => boolean
  isLive: (sessionId: string) => boolean
  /** The operator allows nothing that changes a repository. */
  readonly: boolean
}

/**
 * Who may do what in which work tree, and when: what changes a repository needs an ordinary session without a live turn,
 * when it is asked for and when it begins; of the operations of one work tree one runs at a time, those with a remote
 * beside the others.
 */
export function createTreeAccess ({ territories, isReadOnly, isLive, readonly }: TreeAccessOptions) {
  const inTurn = createQueue()

  /** Throws NotFound, Forbidden (`destructive_git_disabled`). */
  function refuseReadOnly (sessionId: string): void {
    if (readonly) throw new Forbidden('Git is read-only in this service', 'destructive_git_disabled')
    if (isReadOnly(sessionId)) {
      throw new Forbidden('This session is read-only, so its repository cannot be changed here', 'destructive_git_disabled')
    }
  }

  /** Throws what refuseReadOnly throws, and Conflict (`active_stream`). */
  function refuseChanges (sessionId: string): void {
    refuseReadOnly(sessionId)
    if (isLive(sessionId)) throw new Conflict('A turn is running in this session. Wait until it ends, or cancel it', 'active_stream')
  }

  return {
    refuseReadOnly,
    refuseChanges,

    /** The folder of an operation that only reads. Throws NotFound. */
    reading: async (sessionId: string): Promise<Territory> => await territories.reading(sessionId),

    /** The folder of an operation that changes something. Throws what refuseChanges throws. */
    async changing (sessionId: string): Promise<Territory> {
      const territory = await territories.reading(sessionId)
      refuseChanges(sessionId)
      return territory
    },

    /** Runs `work` as the only change of its work tree. A turn may have begun while it waited, and is asked about again. */
    async inTree<T> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T> {
      return await inTurn(`tree ${await workTreeKey(folder)}`, async () => {
        refuseChanges(sessionId)
        return await work()
      })
    },

    /** Runs `work` as the only command that talks to the remotes of its work tree, beside what changes the tree. */
    async withRemotes<T> (folder: string, work: () => Promise<T>): Promise<T> {
      return await inTurn(`remote ${await workTreeKey(folder)}`, work)
    },

    /** Operations under way and waiting, by work tree. */
    size: () => inTurn.size()
  }
}

export type TreeAccess = ReturnType<typeof createTreeAccess>

/** The service's own files are neither shown nor committed, and not thrown away with a folder around them. Throws Forbidden. */
export function refuseClosed ({ root, closed }: Territory, paths: string[]): void {
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
