import { randomBytes } from 'node:crypto'
import { epochSeconds } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { atSpot, type Territory } from '../place/place.js'
import { deletable, removeForGood } from './deleting.js'
import { entriesOf, inTrash, putInto } from './trash-folder.js'
import { TrashPurge, type TrashPurgeOptions } from './trash-purge.js'
import { restoreFrom } from './trash-restore.js'
import { createTrashRows, type TrashRow } from './trash-rows.js'
import { type UnfinishedFolders } from './unfinished.js'

export interface TrashItem {
  id: string
  /** Where it was, relative to the workspace. */
  path: string
  isFolder: boolean
  /** Null for folders. */
  sizeBytes: number | null
  deletedAtS: number
}

export interface TrashOptions extends Omit<TrashPurgeOptions, 'rows'> {
  db: Database
  unfinished: UnfinishedFolders
}

/**
 * The trash of workspaces. Deleted files are moved to a hidden folder of the same workspace, because only there a deletion is a single
 * rename, and are kept for 30 days. A row is written before its file is moved, and removed after the file is gone, so that a crash in
 * between loses nothing that a person deleted.
 */
export function createTrash ({ db, clock, workers, inTurn, unfinished, log }: TrashOptions) {
  const rows = createTrashRows(db)
  const purging = new TrashPurge({ rows, clock, workers, inTurn, log })

  function rowOf (root: string, id: string): TrashRow {
    const row = rows.get(root, id)
    if (row === undefined) throw new NotFound('This is not in the trash')
    return row
  }

  /** Returns the ids of everything in the trash of a workspace, after each has got a row; null if it has no trash. */
  async function idsIn (territory: Territory): Promise<string[] | null> {
    return await inTrash(territory, { make: false }, async (trash) => {
      await purging.reconcile(territory, trash)
      return (await entriesOf(trash)).ids
    })
  }

  return {
    /**
     * Moves a file, a symlink (not its target) or, with `recursive`, a folder to the trash. Throws NotFound, Conflict, Forbidden,
     * Invalid (`other_disk`: it can only be deleted permanently).
     */
    async put (territory: Territory, path: string, { recursive }: { recursive: boolean }): Promise<{ path: string, id: string }> {
      return await atSpot(territory, path, async (spot) => {
        const stats = await deletable(territory, spot, { recursive })
        const id = randomBytes(10).toString('hex')
        const isFolder = stats.isDirectory()
        await inTrash(territory, { make: true }, async (trash) => {
          await rows.add({
            id, workspace: territory.root, path: spot.path, isFolder, sizeBytes: isFolder ? null : stats.size,
            deletedAt: epochSeconds(clock)
          })
          await purging.whileFilling(id, async () => await putInto(trash, id, spot)).catch((error: unknown) => {
            rows.remove([id])
            throw error
          })
        })
        return { path: spot.path, id }
      })
    },

    /** Deletes something permanently, without the trash. Throws NotFound, Invalid, Forbidden, Conflict (`not_removed`). */
    async bypass (territory: Territory, path: string, { recursive }: { recursive: boolean }): Promise<{ path: string }> {
      return await atSpot(territory, path, async (spot) => {
        await removeForGood(territory, spot, { recursive }, { workers, inTurn, unfinished })
        return { path: spot.path }
      })
    },

    /** Returns what can be restored, newest first; at most the newest 1,000. */
    async list (territory: Territory): Promise<TrashItem[]> {
      const there = new Set(await idsIn(territory))
      return rows.newest(territory.root).filter(({ id }) => there.has(id))
        .map(({ id, path, isFolder, sizeBytes, deletedAt }) => ({ id, path, isFolder, sizeBytes, deletedAtS: deletedAt }))
    },

    /**
     * Restores something to its former path, creating the folders above it, or into another existing folder. If the name is taken, it gets
     * another one. Returns its new path. Throws NotFound, Conflict.
     */
    async restore (territory: Territory, id: string, { folder = null }: { folder?: string | null } = {}): Promise<{ path: string }> {
      const { path } = rowOf(territory.root, id)
      const restored = await inTrash(territory, { make: false }, async (trash) => await restoreFrom(trash, territory, { id, path, folder }))
      if (restored === null) throw new NotFound('This is no longer in the trash')
      rows.remove([id])
      return { path: restored }
    },

    /** Removes one entry permanently. Throws NotFound. */
    async remove (territory: Territory, id: string): Promise<{ removed: number }> {
      rowOf(territory.root, id)
      await purging.purge(territory, [id])
      return { removed: 1 }
    },

    /** Removes everything in the trash of a workspace permanently. */
    async empty (territory: Territory): Promise<{ removed: number }> {
      const ids = await idsIn(territory) ?? []
      await purging.purge(territory, ids)
      return { removed: ids.length }
    },

    /** Removes what has been in the trash for 30 days, and finishes interrupted removals. It handles a limited amount each time. */
    sweep: async (): Promise<void> => await purging.sweep(),

    /** Resolves when everything that was removed permanently so far is deleted from the disk, or has failed to be. */
    settled: async (): Promise<void> => await purging.settled()
  }
}
