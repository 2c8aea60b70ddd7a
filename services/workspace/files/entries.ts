import { constants } from 'node:fs'
import { type FileHandle, link, lstat, mkdir, open, readdir, rename, rmdir, unlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { LinkLoop, pathOfOpened, realPath, within } from '../../ground/files/containment.js'
import { codeOf, Conflict, Forbidden, ignoring, Invalid, lacksHardLinks, NotFound } from '../../ground/errors.js'
import { explain, nameTaken } from './failures.js'
import { trashFolder } from './listing-task.js'
import { isOwnName } from '../place/names.js'
import { entryName, isClosed, openFolder, type Spot, type Territory } from '../place/place.js'
import { isTemporary } from '../../ground/files/temporary.js'

/** A name in an open folder. */
export type Entry = Pick<Spot, 'at' | 'base' | 'name'>

const mostMade = 64

/** Throws Forbidden for entries of a workspace that belong to the service: the trash, and unfinished files. */
export function refuseOwn (path: string): void {
  const [first = '', ...rest] = path.split('/')
  if (first !== trashFolder && ![first, ...rest].some(isTemporary)) return
  throw new Forbidden(first === trashFolder
    ? 'This is the trash: what lies in it can be restored or removed for good'
    : 'The service reserves this name')
}

/**
 * Throws Forbidden where nothing may be created: in closed places, and under names that the service reserves. These are reserved in every
 * folder, because each may be a workspace too.
 */
export function refusePlace (territory: Territory, { real, path }: Pick<Spot, 'real' | 'path'>): void {
  refuseOwn(path)
  if (isClosed(territory, real)) throw new Forbidden('This belongs to the service itself')
  if (path.split('/').some(isOwnName)) throw new Forbidden('The service reserves this name')
}

/** Whether an entry has the trash's name but is not a folder, for example one from a repository. A person may move or delete it. */
export async function isForeignTrash ({ at, path }: Pick<Spot, 'at' | 'path'>): Promise<boolean> {
  return path === trashFolder && await lstat(at).then((stats) => !stats.isDirectory(), () => false)
}

/** Opens a folder by its name in an open folder, without following a symlink. Rejects with the system's error. */
export async function openChild (base: string, name: string, real: string): Promise<{ handle: FileHandle, base: string }> {
  const handle = await open(`${base}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    return { handle, base: await pathOfOpened(handle, real) }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Creates a folder and those above it, as far as they are missing. `name` is the entry that will be created in it. Creates nothing and
 * throws Forbidden if one of them is not allowed. Throws Conflict if something that is not a folder is in the way, Invalid if too many are
 * missing, and what openFolder throws.
 */
export async function ensureFolder (territory: Territory, path: string, name: string): Promise<void> {
  const { present, absent } = await firstPresent(territory, path)
  const folder = await openFolder(territory, present)
  let { handle, base, real }: { handle: FileHandle, base: string, real: string } = folder
  try {
    refuseOwn(folder.path)
    if (absent.length > 0) refusePlace(territory, { real: join(real, ...absent, entryName(name)), path: [...absent, name].join('/') })
    for (const name of absent) {
      real = join(real, name)
      await mkdir(`${base}/${name}`).catch(ignoring('EEXIST'))
      await handle.sync().catch(() => {})
      const child = await openChild(base, name, real).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOTDIR' || error.code === 'ELOOP') throw inTheWay(name)
        throw error
      })
      await handle.close()
      handle = child.handle
      base = child.base
    }
  } catch (error) {
    return explain('Folder not found')(error)
  } finally {
    await handle.close()
  }
}

const inTheWay = (name: string) => new Conflict(`${name} is in the way: it is not a folder`, 'exists')

/** Returns the deepest existing folder of a path, and the missing names below it. It may change before the folder is opened. */
async function firstPresent ({ root }: Territory, path: string): Promise<{ present: string, absent: string[] }> {
  const absent: string[] = []
  let present: string
  try {
    present = realPath(join(root, path))
  } catch (error) {
    if (error instanceof LinkLoop) throw new NotFound('Folder not found')
    throw error
  }
  for (;;) {
    const stats = await lstat(present).catch(() => null)
    if (stats?.isDirectory() === true || present === root || !within(root, present)) return { present, absent }
    if (stats !== null) throw inTheWay(basename(present))
    if (absent.unshift(entryName(basename(present))) > mostMade) throw new Invalid(`At most ${mostMade} folders can be created at once`)
    present = dirname(present)
  }
}

/**
 * Moves the entry `from` to `to`, and never replaces anything: rename(2) would do so silently. A symlink is moved itself. Throws Conflict
 * (`exists`), Invalid (`other_disk`), NotFound.
 */
export async function moveEntry (from: Entry, to: Entry): Promise<void> {
  const stats = await lstat(from.at).catch(explain('File not found'))
  try {
    if (await isRespelling(from, to, stats)) await rename(from.at, to.at)
    else if (stats.isDirectory()) await moveFolder(from.at, to.at)
    else await moveFile(from.at, to.at)
  } catch (error) {
    if (codeOf(error) === 'EINVAL') throw new Invalid('A folder cannot be moved into itself')
    if (codeOf(error) === 'EEXIST') throw nameTaken(to.name)
    explain('File not found')(error)
  }
}

/** Moves a folder. It first creates an empty folder to claim the name, because rename(2) replaces only an empty folder. */
async function moveFolder (from: string, to: string): Promise<void> {
  await mkdir(to)
  try {
    await rename(from, to)
  } catch (error) {
    await rmdir(to).catch(() => {})
    throw error
  }
}

/** Moves a file. For a moment it has both names, so that a crash loses nothing. */
async function moveFile (from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!lacksHardLinks(error)) throw error
    return await moveOntoClaim(from, to)
  }
  const [old, now] = await Promise.all([lstat(from, { bigint: true }).catch(() => null), lstat(to, { bigint: true })])
  // If another program has saved a new file under the old name meanwhile, that file stays.
  if (old !== null && old.ino === now.ino && old.dev === now.dev) await unlink(from)
}

/** Moves a file onto an empty one that claims the name: for file systems without hard links, and files that we may not link. */
async function moveOntoClaim (from: string, to: string): Promise<void> {
  await (await open(to, 'wx')).close()
  try {
    await rename(from, to)
  } catch (error) {
    await unlink(to).catch(() => {})
    throw error
  }
}

/** Whether only the spelling of a name changes, on a file system that treats `a` and `A` as the same name. */
async function isRespelling (from: Entry, to: Entry, stats: { ino: number, dev: number }): Promise<boolean> {
  if (from.name === to.name || from.name.normalize().toLowerCase() !== to.name.normalize().toLowerCase()) return false
  const there = await lstat(to.at).catch(() => null)
  if (there === null || there.ino !== stats.ino || there.dev !== stats.dev) return false
  return !(await readdir(to.base)).includes(to.name)
}
