import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, readdir, rename, rmdir } from 'node:fs/promises'
import { codeOf, Conflict, ignoring, Invalid, NotFound } from '../../ground/errors.js'
import { moveEntry, openChild } from './entries.js'
import { explain } from './failures.js'
import { trashFolder } from './listing-task.js'
import { atSpot, type Spot, type Territory } from '../place/place.js'
import { isTemporary } from '../../ground/files/temporary.js'

/** The open trash of a workspace. Each deleted entry is in a folder of its own, named by its id. */
export interface OpenTrash {
  handle: FileHandle
  base: string
  real: string
}

const idPattern = /^[0-9a-f]{20}$/
const goneEnding = '.gone'

/**
 * Runs `work` on the trash of a workspace. With `make`, creates the trash if it does not exist; otherwise returns null then.
 * Throws Conflict (`trash_blocked`) if something else has its name, above all a symlink, which would lead out of the workspace.
 */
export async function inTrash<T> (
  territory: Territory, { make }: { make: boolean }, work: (trash: OpenTrash) => Promise<T>
): Promise<T | null> {
  return await atSpot(territory, trashFolder, async ({ at, base, real, folder }) => {
    if (make) {
      const isNew = await mkdir(at, 0o700).then(() => true, ignoring('EEXIST')).catch(explain('Folder not found'))
      if (isNew === true) await folder.sync().catch(() => {})
    }
    const opened = await openChild(base, trashFolder, real).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && !make) return null
      if (error.code === 'ENOTDIR' || error.code === 'ELOOP') {
        throw new Conflict(
          `${trashFolder} is not the trash of the service. Rename it, or delete it permanently, so that the trash can be used`,
          'trash_blocked'
        )
      }
      return explain('Folder not found')(error)
    })
    if (opened === null) return null
    try {
      if (make) await hideFromGit(opened.base)
      return await work({ ...opened, real })
    } finally {
      await opened.handle.close()
    }
  })
}

/** Writes a .gitignore. A failure is ignored, so that it never blocks a deletion. A file that a full disk left empty is written again. */
async function hideFromGit (base: string): Promise<void> {
  try {
    const path = `${base}/.gitignore`
    const there = await lstat(path).catch(() => null)
    if (there !== null && (!there.isFile() || there.size > 0 || there.nlink > 1)) return
    const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666)
    try {
      await handle.write('*\n', 0)
    } finally {
      await handle.close()
    }
  } catch {}
}

/**
 * Moves an entry of the workspace into the folder `id` of the trash. Throws Conflict (`mounted`),
 * Invalid (`other_disk`), NotFound, and what explain throws.
 */
export async function putInto (trash: OpenTrash, id: string, spot: Spot): Promise<void> {
  await mkdir(`${trash.base}/${id}`, 0o700).catch(explain('Folder not found'))
  try {
    const own = await openChild(trash.base, id, `${trash.real}/${id}`)
    try {
      await rename(spot.at, `${own.base}/${spot.name}`)
      await Promise.all([own.handle.sync(), spot.folder.sync(), trash.handle.sync()].map((synced) => synced.catch(() => {})))
    } finally {
      await own.handle.close()
    }
  } catch (error) {
    await rmdir(`${trash.base}/${id}`).catch(() => {})
    if (codeOf(error) === 'EXDEV') {
      throw new Invalid('The trash is on another disk. Delete this permanently instead', 'other_disk')
    }
    explain('File not found')(error)
  }
}

/** Moves the entry in the folder `id` to a free spot. Throws NotFound, Conflict (`exists`). */
export async function takeOut (trash: OpenTrash, id: string, spot: Spot): Promise<void> {
  const own = await openChild(trash.base, id, `${trash.real}/${id}`).catch(explain('This is no longer in the trash'))
  try {
    const [name] = await readdir(own.base).catch(() => [])
    if (name === undefined) throw new NotFound('This is no longer in the trash')
    await moveEntry({ at: `${own.base}/${name}`, base: own.base, name }, spot)
    await Promise.all([own.handle.sync(), spot.folder.sync()].map((synced) => synced.catch(() => {})))
  } finally {
    await own.handle.close()
  }
  await rmdir(`${trash.base}/${id}`).catch(() => {})
}

/** Returns the entry in the folder `id`; null if there is none. */
export async function contentOf (
  trash: OpenTrash, id: string
): Promise<{ name: string, isFolder: boolean, sizeBytes: number | null } | null> {
  const own = await openChild(trash.base, id, `${trash.real}/${id}`).catch(() => null)
  if (own === null) return null
  try {
    const [name] = await readdir(own.base)
    if (name === undefined) return null
    const stats = await lstat(`${own.base}/${name}`)
    return { name, isFolder: stats.isDirectory(), sizeBytes: stats.isDirectory() ? null : stats.size }
  } catch {
    return null
  } finally {
    await own.handle.close()
  }
}

/** Marks an entry as removed, so that it is no longer in the trash. Returns the name that it has until it is deleted; null on failure. */
export async function markGone (trash: OpenTrash, id: string): Promise<string | null> {
  const name = `${id}${goneEnding}`
  return await rename(`${trash.base}/${id}`, `${trash.base}/${name}`).then(() => name, () => null)
}

/** Returns the ids of everything in the trash, and the names of what is marked as removed but still on the disk. */
export async function entriesOf ({ base }: OpenTrash): Promise<{ ids: string[], gone: string[] }> {
  const names = await readdir(base).catch(() => [])
  return { ids: names.filter((name) => idPattern.test(name)), gone: names.filter((name) => name.endsWith(goneEnding) || isTemporary(name)) }
}
