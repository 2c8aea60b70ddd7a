import { randomBytes } from 'node:crypto'
import { epochSeconds } from '../../ground/clock.js'
import { type Database } from '../../ground/database/index.js'
import { NotFound } from '../../ground/errors.js'
import { atSpot, type Territory } from '../place/place.js'
import { deletable, removeForGood } from './deleting.js'
import { entriesOf, inTrash, putInto } from './trash-folder.js'
import { TrashPurge, type TrashPurgeOptions } from './trash-purge.js'
import { restoreFrom } from './trash-restore.js'
import { createTrashRows, type TrashRow } from './trash-rows.js'
import { type Unfinished } from './unfinished.js'

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
  unfinished: Unfinished
}

/**
 * What was deleted from workspaces. It lies in a hidden folder of the workspace itself, as only there a delete is one
 * rename, and stays for 30 days. The row is written before the file is moved and removed after it is gone, so that
 * whatever happens in between, nothing a person deleted is forgotten.
 */
export function createTrash ({ db, clock, workers, inTurn, unfinished, log }: TrashOptions) {
  const rows = createTrashRows(db)
  const purging = new TrashPurge({ rows, clock, workers, inTurn, log })

  function rowOf (root: string, id: string): TrashRow {
    const row = rows.get(root, id)
    if (row === undefined) throw new NotFound('This is not in the trash')
    return row
  }

  /** What is in the trash of a workspace, each with a row; null when it has none. */
  async function idsIn (territory: Territory): Promise<string[] | null> {
    return await inTrash(territory, { make: false }, async (trash) => {
      await purging.reconcile(territory, trash)
      return (await entriesOf(trash)).ids
    })
  }

  return {
    /**
     * Deletes a file, a symlink (not what it leads to) or, with `recursive`, a folder. Throws NotFound, Conflict, Forbidden,
     * Invalid (`other_disk`: what cannot be put into the trash can be removed for good).
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
          await putInto(trash, id, spot).catch((error: unknown) => {
            rows.remove([id])
            throw error
          })
        })
        return { path: spot.path, id }
      })
    },

    /** Deletes something without putting it into the trash. Throws NotFound, Invalid, Forbidden, Conflict (`not_removed`). */
    async bypass (territory: Territory, path: string, { recursive }: { recursive: boolean }): Promise<{ path: string }> {
      return await atSpot(territory, path, async (spot) => {
        await removeForGood(territory, spot, { recursive }, { workers, inTurn, unfinished })
        return { path: spot.path }
      })
    },

    /** What can be restored, newest first; at most the newest 1,000. */
    async list (territory: Territory): Promise<TrashItem[]> {
      const there = new Set(await idsIn(territory))
      return rows.newest(territory.root).filter(({ id }) => there.has(id))
        .map(({ id, path, isFolder, sizeBytes, deletedAt }) => ({ id, path, isFolder, sizeBytes, deletedAtS: deletedAt }))
    },

    /**
     * Brings something back to where it was, making the folders above it, or into another folder that is there; under
     * another name where that place is taken. Answers the path it has now. Throws NotFound, Conflict.
     */
    async restore (territory: Territory, id: string, { folder = null }: { folder?: string | null } = {}): Promise<{ path: string }> {
      const { path } = rowOf(territory.root, id)
      const restored = await inTrash(territory, { make: false }, async (trash) => await restoreFrom(trash, territory, { id, path, folder }))
      if (restored === null) throw new NotFound('This is no longer in the trash')
      rows.remove([id])
      return { path: restored }
    },

    /** Removes one thing for good. Throws NotFound. */
    async remove (territory: Territory, id: string): Promise<{ removed: number }> {
      rowOf(territory.root, id)
      await purging.purge(territory, [id])
      return { removed: 1 }
    },

    /** Removes everything in the trash of a workspace for good. */
    async empty (territory: Territory): Promise<{ removed: number }> {
      const ids = await idsIn(territory) ?? []
      await purging.purge(territory, ids)
      return { removed: ids.length }
    },

    /** Removes what has been in the trash for 30 days, and finishes what was interrupted. A bounded part of it at a time. */
    sweep: async (): Promise<void> => await purging.sweep(),

    /** Resolves when everything that was deleted for good so far is off the disk, or has failed to go. */
    settled: async (): Promise<void> => await purging.settled()
  }
}
