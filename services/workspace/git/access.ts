import { lstat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { createQueue } from '../../ground/concurrency/queue.js'
import { within } from '../../ground/files/containment.js'
import { Conflict, Forbidden } from '../../ground/errors.js'
import { type Territory } from '../place/place.js'
import { type Territories } from '../place/territories.js'

export interface TreeAccessOptions {
  territories: Pick<Territories, 'reading'>
  /** Whether the session is read-only, so that its repository cannot be changed. */
  isReadOnly: (sessionId: string) => boolean
  isLive: (sessionId: string) => boolean
  /** Whether the operator forbids everything that changes a repository. */
  readonly: boolean
}

/**
 * Controls access to work trees. An operation that changes a repository needs an ordinary session without a live turn, both when it is
 * requested and when it begins. Each work tree runs one change at a time, and in parallel one command that talks to its remotes.
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

    /** Returns the folder of an operation that only reads. Throws NotFound. */
    reading: territories.reading,

    /** Returns the folder of an operation that changes something. Throws what refuseChanges throws. */
    async changing (sessionId: string): Promise<Territory> {
      const territory = await territories.reading(sessionId)
      refuseChanges(sessionId)
      return territory
    },

    /** Runs `work` as the only change of its work tree. Checks again for a live turn, which may have begun while `work` waited. */
    async inTree<T> (sessionId: string, folder: string, work: () => Promise<T>): Promise<T> {
      return await inTurn(`tree ${await workTreeKey(folder)}`, async () => {
        refuseChanges(sessionId)
        return await work()
      })
    },

    /** Runs `work` as the only command that talks to the remotes of its work tree. Changes of the tree may run at the same time. */
    async withRemotes<T> (folder: string, work: () => Promise<T>): Promise<T> {
      return await inTurn(`remote ${await workTreeKey(folder)}`, work)
    },

    /** Returns the number of queues that have running or waiting operations. */
    size: inTurn.size
  }
}

export type TreeAccess = ReturnType<typeof createTreeAccess>

/** Throws Forbidden for the service's own files and for folders that contain them: they are never shown, committed or discarded. */
export function refuseClosed ({ root, closed }: Territory, paths: string[]): void {
  for (const path of paths) {
    const place = resolve(root, path)
    if (closed.some((own) => within(own, place) || within(place, own))) throw new Forbidden('This belongs to the service itself')
  }
}

/** Returns the same key for all folders of one work tree. */
async function workTreeKey (folder: string): Promise<string> {
  for (let place = folder; ; place = dirname(place)) {
    if (await lstat(join(place, '.git')).then(() => true, () => false)) return place
    if (place === dirname(place)) return folder
  }
}
