import {
  closeSync, constants, type Dirent, existsSync, fstatSync, lstatSync, openSync, readdirSync, renameSync, rmdirSync, unlinkSync
} from 'node:fs'
import { openFolder, type Territory } from '../place/place.js'
import { temporaryName } from '../../ground/files/temporary.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { removeTrees: typeof removeTrees }
}

/** Deeper folders are moved to the top before they are emptied, so that a deep tree does not need many open files. */
const maxDepth = 64

export interface RemovalInput {
  territory: Territory
  /** The folder that contains them, relative to the territory. A symlink in its place is not followed. */
  folder: string
  names: string[]
}

/**
 * Removes files and whole folders by name; missing ones count as removed. Symlinks are removed, not followed, even if one
 * replaces a folder meanwhile. Runs in a worker thread. Throws what openFolder throws.
 */
export async function removeTrees ({ territory, folder, names }: RemovalInput): Promise<{ removed: number }> {
  const opened = await openFolder(territory, folder)
  try {
    // openFolder follows symlinks. Only the folder that the path itself names is meant.
    if (opened.path !== folder) return { removed: 0 }
    return { removed: names.filter((name) => removeTree(opened.base, name)).length }
  } finally {
    await opened.handle.close()
  }
}

/** Removes one entry of an open folder. Returns false if a part of it could not be removed. */
export function removeTree (base: string, name: string): boolean {
  const place = Buffer.from(`${base}/${name}`)
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found === undefined) return true
  try {
    if (found.isDirectory()) removeFolder(place, { dev: found.dev, depth: 0, deep: [] })
    else unlinkSync(place)
    return true
  } catch {
    return false
  }
}

interface Descent {
  dev: number
  depth: number
  /** The folder that is being removed; folders that are too deep are moved up into it. */
  top?: Buffer
  /** The names of the folders that were moved up. */
  deep: string[]
}

/** Removes a folder. Paths are bytes, because a name that is not UTF-8 can only be found by its bytes. */
function removeFolder (place: Buffer, descent: Descent): void {
  const fd = openSync(place, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    // A disk that is mounted here is not a part of the deleted folder.
    if (fstatSync(fd).dev !== descent.dev) throw new Error('another disk')
    const base = insideOf(fd, place)
    const { top = base, depth, deep } = descent
    for (const entry of readdirSync(base, { withFileTypes: true, encoding: 'buffer' }) as unknown as Array<Dirent<Buffer>>) {
      const inside = below(base, entry.name)
      if (!entry.isDirectory()) unlinkSync(inside)
      else if (depth < maxDepth) removeFolder(inside, { ...descent, top, depth: depth + 1 })
      else {
        const name = temporaryName()
        deep.push(name)
        renameSync(inside, below(top, name))
      }
    }
    // The list grows while it is processed.
    if (depth === 0) for (const brought of deep) removeFolder(below(base, brought), { ...descent, top, depth: 1 })
  } finally {
    closeSync(fd)
  }
  rmdirSync(place)
}

const below = (base: Buffer, name: string | Buffer): Buffer => Buffer.concat([base, Buffer.from('/'), Buffer.from(name)])

/** Returns a path that always leads to the opened folder, even if another one replaces it; the plain path on systems without such paths. */
export function insideOf<Path extends string | Buffer> (fd: number, path: Path): Path {
  const viaDescriptor = `/proc/self/fd/${fd}`
  if (!existsSync(`${viaDescriptor}/.`)) return path
  return (typeof path === 'string' ? viaDescriptor : Buffer.from(viaDescriptor)) as Path
}
