import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync, readdirSync, renameSync, rmdirSync, unlinkSync } from 'node:fs'
import { openFolder, type Territory } from './place.js'
import { temporaryName } from './temporary.js'

/** Deeper folders are brought up before they are emptied, so that depth costs no open files. */
const maxDepth = 64

export interface RemovalInput {
  territory: Territory
  /** The folder they lie in, relative to the territory. A symlink in its place is not followed. */
  folder: string
  names: string[]
}

/**
 * Removes files and whole folders by name; what is not there counts as removed. Symlinks are removed, not followed, also
 * when somebody puts one in the place of a folder meanwhile. Runs in a worker thread. Throws as openFolder.
 */
export async function removeTrees ({ territory, folder, names }: RemovalInput): Promise<{ removed: number }> {
  const opened = await openFolder(territory, folder)
  try {
    // Opened by what the path leads to: only what it says itself is meant.
    if (opened.path !== folder) return { removed: 0 }
    return { removed: names.filter((name) => removeTree(opened.base, name)).length }
  } finally {
    await opened.handle.close()
  }
}

/** Removes one entry of an open folder. False when something of it could not be removed. */
export function removeTree (base: string, name: string): boolean {
  const found = lstatSync(`${base}/${name}`, { throwIfNoEntry: false })
  if (found === undefined) return true
  try {
    if (!found.isDirectory()) unlinkSync(`${base}/${name}`)
    else {
      const deep: string[] = []
      emptyFolder(base, name, { top: base, dev: found.dev, depth: 0, deep })
      rmdirSync(`${base}/${name}`)
      for (const brought of deep) if (!removeTree(base, brought)) return false
    }
    return true
  } catch {
    return false
  }
}

interface Descent { top: string, dev: number, depth: number, deep: string[] }

function emptyFolder (base: string, name: string, descent: Descent): void {
  const fd = openSync(`${base}/${name}`, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
  try {
    // A disk that is mounted here is not part of what was deleted.
    if (fstatSync(fd).dev !== descent.dev) throw new Error('another disk')
    const inside = insideOf(fd, `${base}/${name}`)
    for (const entry of readdirSync(inside, { withFileTypes: true })) {
      if (!entry.isDirectory()) unlinkSync(`${inside}/${entry.name}`)
      else if (descent.depth < maxDepth) {
        emptyFolder(inside, entry.name, { ...descent, depth: descent.depth + 1 })
        rmdirSync(`${inside}/${entry.name}`)
      } else {
        const brought = temporaryName()
        renameSync(`${inside}/${entry.name}`, `${descent.top}/${brought}`)
        descent.deep.push(brought)
      }
    }
  } finally {
    closeSync(fd)
  }
}

/** A path that means the opened folder, whatever is swapped meanwhile; where the system has none, the plain one. */
export function insideOf (fd: number, path: string): string {
  const viaDescriptor = `/proc/self/fd/${fd}`
  return existsSync(`${viaDescriptor}/.`) ? viaDescriptor : path
}
