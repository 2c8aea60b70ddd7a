import { constants } from 'node:fs'
import { lstat, open, rmdir, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isOpenedWithin, pathOfOpened } from '../../../ground/files/containment.js'
import { codeOf, Conflict, Forbidden, Invalid } from '../../../ground/errors.js'
import { type Repository } from './repository.js'

/**
 * Removes files of the work tree permanently, and the folders that they leave empty. Skips files that are already gone. Throws
 * Invalid (`path_outside_workspace`) if a symlink has appeared in a path, Conflict (`conflict`) for a folder.
 */
export async function removeFiles (repository: Repository, files: readonly string[]): Promise<void> {
  if (files.some((file) => file.endsWith('/'))) {
    throw new Conflict('A separate repository among these files is not deleted', 'conflict')
  }
  const folders = new Set<string>()
  for (const file of files) {
    await inFolder(repository, dirname(file), async (base) => { await unlink(`${base}/${file.slice(file.lastIndexOf('/') + 1)}`) })
    if (file.includes('/')) folders.add(dirname(file))
  }
  // The deepest first, because the folders above may become empty.
  for (const folder of [...folders].sort((one, other) => other.length - one.length)) await removeEmpty(repository, folder)
}

async function removeEmpty (repository: Repository, folder: string): Promise<void> {
  for (let place = folder; place.length >= repository.prefix.length && place !== '.' && place !== ''; place = dirname(place)) {
    let isRemoved = false
    await inFolder(repository, dirname(place), async (base) => {
      isRemoved = await rmdir(`${base}/${place.slice(place.lastIndexOf('/') + 1)}`).then(() => true, () => false)
    }).catch(() => {})
    if (!isRemoved) return
  }
}

/** Runs `work` with a path `base` that leads to the opened folder itself, even if another one replaces it meanwhile. */
async function inFolder ({ top, folder }: Repository, place: string, work: (base: string) => Promise<void>): Promise<void> {
  const real = join(top, place)
  const handle = await open(
    real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  ).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw outside()
  })
  if (handle === null) return
  try {
    const here = await lstat(real).catch(() => null)
    const opened = await handle.stat()
    if (here?.ino !== opened.ino || !await isOpenedWithin(folder, handle, real).catch(() => false)) throw outside()
    await work(await pathOfOpened(handle, real))
  } catch (error) {
    switch (codeOf(error)) {
      case 'ENOENT': return
      case 'EISDIR': throw new Conflict('A file that was to be deleted is now a folder', 'conflict')
      case 'EACCES': case 'EPERM': case 'EROFS': throw new Forbidden('The file system does not permit this')
      default: throw error
    }
  } finally {
    await handle.close()
  }
}

function outside (): Invalid {
  return new Invalid('The path leads through a symbolic link', 'path_outside_workspace')
}
