import { constants, type BigIntStats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isOpenedWithin, LinkLoop, pathOfOpened, realPath, within } from '../../ground/files/containment.js'
import { codeOf, Forbidden, Invalid, NotFound, systemFailure } from '../../ground/errors.js'

/** A folder that no access may leave. */
export interface Territory {
  /** Absolute and free of symlinks. */
  root: string
  /** Files and folders inside that are closed nevertheless: the service's own state and secrets. Absolute, free of symlinks. */
  closed: readonly string[]
}

export interface OpenedFile {
  handle: FileHandle
  stats: BigIntStats
  /** Absolute path of what was opened. It must not be shown where the workspace's own path is not. */
  real: string
  /** Path relative to the root, for clients. */
  path: string
}

export interface OpenedFolder extends OpenedFile {
  /** Prefix for the names inside. It always leads to this folder, even if it is renamed or replaced meanwhile. */
  base: string
}

/** A place where something is created, changed or removed: a name in an open folder. */
export interface Spot {
  /** Path for system calls. Never follow it: the entry may be a symlink. */
  at: string
  name: string
  /** See OpenedFolder. */
  base: string
  /** The open folder, for syncing its entries to the disk. */
  folder: FileHandle
  real: string
  path: string
}

const maxNameBytes = 255
/** A path that can only lead to a folder. */
const namesFolder = /(?:^|\/)\.{0,2}$/

/**
 * Opens a regular file for reading, following symlinks that stay inside. The opened file is checked, because the path may
 * have changed a moment before. The caller closes the handle. Throws NotFound for everything but a regular file inside,
 * Forbidden for what is closed or may not be read, Invalid for a malformed path.
 */
export async function openFile (territory: Territory, path: string): Promise<OpenedFile> {
  if (namesFolder.test(path)) throw new NotFound('File not found')
  const real = resolve(territory, path)
  // Without O_NONBLOCK a FIFO would block the open for ever.
  const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(refuse('File not found'))
  return await checked(handle, async () => {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile() || !await isInside(territory, handle, real)) throw new NotFound('File not found')
    return { handle, stats, real, path: shown(territory, real) }
  })
}

/** Opens a folder, like openFile; an empty path means the root. Throws NotFound('Folder not found') for everything that is not a folder. */
export async function openFolder (territory: Territory, path: string): Promise<OpenedFolder> {
  const real = resolve(territory, path)
  const handle = await open(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(refuse('Folder not found'))
  return await checked(handle, async () => {
    const stats = await handle.stat({ bigint: true })
    if (!await isInside(territory, handle, real)) throw new NotFound('Folder not found')
    return { handle, stats, real, path: shown(territory, real), base: await pathOfOpened(handle, real) }
  })
}

/** Finds a folder like openFolder, and does not keep it open. */
export async function folderAt (territory: Territory, path: string): Promise<Pick<OpenedFolder, 'stats' | 'real' | 'path'>> {
  const { handle, stats, real, path: shown } = await openFolder(territory, path)
  await handle.close()
  return { stats, real, path: shown }
}

/**
 * Runs `work` on a spot inside, whether or not an entry exists there. Its folder must exist, and a symlink at its last part is not
 * followed. Throws Invalid for an impossible name and for the root itself, and what openFolder throws.
 */
export async function atSpot<T> (territory: Territory, path: string, work: (spot: Spot) => Promise<T>): Promise<T> {
  // `..` is kept: its meaning depends on the folder before it, which may be a symlink.
  const wanted = absolute(territory, path).replace(/(?<=.)(?:\/\.?)+$/, '')
  if (wanted === territory.root) throw new Invalid('The workspace itself cannot be changed here')
  const name = basename(wanted)
  refuseName(name)
  const folder = await openFolder(territory, dirname(wanted))
  try {
    const real = join(folder.real, name)
    refuseClosed(territory, real)
    return await work({ at: `${folder.base}/${name}`, name, base: folder.base, folder: folder.handle, real, path: shown(territory, real) })
  } finally {
    await folder.handle.close()
  }
}

/** Returns a name for a new file or folder unchanged. Throws Invalid if it is not allowed. */
export function entryName (name: string): string {
  refuseName(name)
  // eslint-disable-next-line no-control-regex -- control characters must be found
  if (/[\u0000-\u001f\u007f]/.test(name)) throw new Invalid('A name must not contain control characters')
  return name
}

function refuseName (name: string): void {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new Invalid('This is not a valid name for a file or folder')
  if (Buffer.byteLength(name) > maxNameBytes) throw new Invalid('The name is too long')
}

function absolute ({ root }: Territory, path: string): string {
  if (path.includes('\0')) throw new Invalid('The path contains a null character')
  return isAbsolute(path) ? path : `${root}/${path}`
}

function resolve (territory: Territory, path: string): string {
  let real: string
  try {
    // A root that has since been replaced by a symlink is no longer the root.
    if (realPath(territory.root) !== territory.root) throw new NotFound('The workspace no longer exists', 'workspace_missing')
    real = realPath(absolute(territory, path))
  } catch (error) {
    if (error instanceof LinkLoop) throw new NotFound('The path leads through a loop of symbolic links')
    throw error
  }
  if (!within(territory.root, real)) throw new NotFound('The path is not in the workspace')
  refuseClosed(territory, real)
  return real
}

/** Whether a real path inside is in a closed place. */
export function isClosed ({ closed }: Territory, real: string): boolean {
  return closed.some((place) => within(place, real))
}

/** Whether a closed place is below a real path inside. Moving that path would move the closed place too. */
export function holdsClosed ({ closed }: Territory, real: string): boolean {
  return closed.some((place) => within(real, place))
}

function refuseClosed (territory: Territory, real: string): void {
  if (isClosed(territory, real)) throw new Forbidden('This belongs to the service itself')
}

async function isInside (territory: Territory, handle: FileHandle, real: string): Promise<boolean> {
  if (!await isOpenedWithin(territory.root, handle, real).catch(() => false)) return false
  for (const place of territory.closed) if (await isOpenedWithin(place, handle, real).catch(() => true)) return false
  return true
}

async function checked<T> (handle: FileHandle, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Converts a real path inside to the path for clients. */
function shown ({ root }: Territory, real: string): string {
  if (real === root) return '.'
  return real.slice(root === '/' ? 1 : root.length + 1)
}

/** Returns a `catch` handler that converts a system error into an error of the interface. */
export function refuse (missing: string): (error: unknown) => never {
  return (error) => {
    switch (codeOf(error)) {
      case 'ENOENT': case 'ENOTDIR': case 'EISDIR': case 'ELOOP': case 'ENXIO': case 'ENODEV': throw new NotFound(missing)
      case 'EINVAL': case 'EILSEQ': throw new Invalid('The file system does not allow this name')
      default: throw systemFailure(error) ?? error
    }
  }
}
