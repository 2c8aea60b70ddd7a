import { lstat, mkdir } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { createQueue } from '../../ground/concurrency/queue.js'
import { Forbidden, Invalid } from '../../ground/errors.js'
import { atSpot, entryName, folderAt, holdsClosed, isClosed, refuse, type Spot, type Territory } from '../place/place.js'
import { isForeignTrash, moveEntry, refuseOwn, refusePlace } from './entries.js'
import { explain, nameTaken } from './failures.js'
import { ensureParent, refuseTaken } from './new-entries.js'
import { createTextFiles } from './text-files.js'

/**
 * Changes that a person makes to a workspace in the text editor and the file list. Nothing outside of the territory changes, even if others
 * rename or replace entries meanwhile. All throw the NotFound, Forbidden, Invalid and Conflict errors of place.ts, and Unavailable
 * (`disk_full`).
 */
export function createFileEdits ({ clock }: { clock: Clock }) {
  const inTurn = createQueue()

  return {
    ...createTextFiles({ clock, inTurn }),

    /** Creates a folder; with `parents` also those above it. Throws Invalid (`exists`) if the name is taken. */
    async createFolder (territory: Territory, path: string, { parents = false }: { parents?: boolean } = {}): Promise<{ path: string }> {
      if (parents) await ensureParent(territory, path)
      return await atSpot(territory, path, async (spot) => {
        refusePlace(territory, spot)
        entryName(spot.name)
        await mkdir(spot.at).catch((error: NodeJS.ErrnoException) =>
          error.code === 'EEXIST' ? refuseTaken(spot) : explain('Folder not found')(error))
        await spot.folder.sync().catch(() => {})
        return { path: spot.path }
      })
    },

    /** Renames a file, folder or symlink. Throws Conflict (`exists`). */
    async rename (territory: Territory, path: string, newName: string): Promise<{ oldPath: string, newPath: string }> {
      const name = entryName(newName)
      return await atSpot(territory, path, async (from) => {
        const folder = from.path.slice(0, from.path.length - from.name.length)
        const real = join(from.real, '..', name)
        // The target is in the same open folder, so another folder cannot replace it in between.
        const to: Spot = { ...from, at: `${from.base}/${name}`, name, real, path: `${folder}${name}` }
        if (isClosed(territory, real)) throw nameTaken(name)
        await lstat(from.at).catch(explain('File not found'))
        return await inTurn(from.real, () => relocate(territory, from, to))
      })
    },

    /** Moves a file, folder or symlink into another folder, under the same name. Throws Conflict (`exists`). */
    async move (territory: Territory, path: string, folder: string): Promise<{ oldPath: string, newPath: string }> {
      return await atSpot(territory, path, async (from) => {
        await lstat(from.at).catch(explain('File not found'))
        const { real } = await folderAt(territory, folder)
        return await atSpot(territory, `${real}/${from.name}`, async (to) =>
          await inTurn(from.real, () => relocate(territory, from, to)))
      })
    },

    /** Returns the absolute path of an existing entry; for a symlink, its own. */
    async absolutePath (territory: Territory, path: string): Promise<string> {
      if (resolve(territory.root, path) === territory.root) return (await folderAt(territory, '.')).real
      return await atSpot(territory, path, async (spot) => {
        await lstat(spot.at).catch(refuse('File not found'))
        return spot.real
      })
    }
  }
}

/** Moves an entry to another name or folder, after checking that neither place is reserved. */
async function relocate (territory: Territory, from: Spot, to: Spot): Promise<{ oldPath: string, newPath: string }> {
  if (!await isForeignTrash(from)) refuseOwn(from.path)
  if (from.real !== to.real) refusePlace(territory, to)
  if (holdsClosed(territory, from.real) || holdsClosed(territory, to.real)) {
    throw new Forbidden('This folder contains files of the service and cannot be moved')
  }
  if (from.real !== to.real) {
    if (to.real.startsWith(`${from.real}/`)) throw new Invalid('A folder cannot be moved into itself')
    await moveEntry(from, to)
    await Promise.all([from.folder.sync(), to.folder.sync()].map((synced) => synced.catch(() => {})))
  }
  return { oldPath: from.path, newPath: to.path }
}
