import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'
import { realPath, within } from '../../ground/files/containment.js'
import { TooLarge } from '../../ground/errors.js'
import { tried } from '../../ground/tried.js'
import { trashFolder } from './listing-task.js'
import { folderAt, isClosed, type Territory } from '../place/place.js'
import { isTemporary } from '../../ground/files/temporary.js'

declare module '../../ground/workers/index.js' {
  interface Tasks { walkFolder: typeof walkFolder }
}

export interface WalkLimits { bytes: number, files: number }

/** The contents of a folder, one line per entry, because passing fifty thousand objects between threads takes too long. */
export interface Walk {
  /** Path of the folder relative to the workspace. */
  path: string
  /** Absolute path of the folder. */
  real: string
  /** Entries as lines of JSON. */
  entries: Uint8Array
  /** Paths that are not UTF-8, and folders that cannot be read. */
  leftOut: string[]
}

/** Path relative to the walked folder, permission bits, modification time in ms since the epoch; a folder has no size. */
export type WalkEntry = [path: string, mode: number, modifiedMs: number, sizeBytes: number | null]

/** Replaces bytes of a name that are not UTF-8. */
const replacement = '\ufffd'
const configure = 'These limits are fixed: download the folders inside one by one, or ask the agent for an archive of what you need'

/**
 * Lists all files and folders below a folder. A symlink to a file inside the territory stands for that file; other symlinks, closed places
 * and the trash are left out. Runs in a worker thread. Throws TooLarge as soon as a limit is exceeded, and what openFolder throws.
 */
export async function walkFolder ({ territory, path, limits }: { territory: Territory, path: string, limits: WalkLimits }): Promise<Walk> {
  const { real: top, path: shown } = await folderAt(territory, path)
  const account = countWithin(limits)
  const lines: string[] = []
  const leftOut: string[] = []
  const pending = ['']
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const found = inFolder(join(top, folder))
    if (found === null) leftOut.push(folder)
    for (const [name, stats] of found ?? []) {
      const relative = folder === '' ? name : `${folder}/${name}`
      const real = join(top, relative)
      if (isHidden(territory, real, name)) continue
      const entry = stats?.isSymbolicLink() === true ? fileInside(territory, real) : stats
      if (stats === null || name.includes(replacement)) leftOut.push(relative)
      else if (entry?.isDirectory() === true || entry?.isFile() === true) {
        account(entry)
        lines.push(JSON.stringify([relative, entry.mode & 0o777, entry.mtimeMs, entry.isFile() ? entry.size : null] satisfies WalkEntry))
        if (entry.isDirectory()) pending.push(relative)
      }
    }
  }
  return { path: shown, real: top, entries: Buffer.from(lines.join('\n')), leftOut }
}

/** Returns a function that counts entries and throws TooLarge above the limits. */
function countWithin (limits: WalkLimits): (entry: Stats) => void {
  let files = 0
  let folders = 0
  let sizeBytes = 0
  return (entry) => {
    if (entry.isDirectory() ? ++folders > limits.files : ++files > limits.files) {
      throw new TooLarge(entry.isDirectory() ? 'too many folders' : 'too many files', undefined, { limit: limits.files, configure })
    }
    if (entry.isFile() && (sizeBytes += entry.size) > limits.bytes) {
      throw new TooLarge('folder too large', undefined, { limit_bytes: limits.bytes, configure })
    }
  }
}

function isHidden (territory: Territory, real: string, name: string): boolean {
  return (name === trashFolder && real === join(territory.root, trashFolder)) || isTemporary(name) || isClosed(territory, real)
}

/**
 * Returns the entries of a folder. Names that are not UTF-8 have no stats, because they cannot be accessed by text. Returns null
 * if the folder is gone, cannot be read, or its path leads elsewhere now.
 */
function inFolder (real: string): Array<[name: string, stats: Stats | null]> | null {
  let descriptor: number | undefined
  try {
    descriptor = openSync(real, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW)
    const viaDescriptor = `/proc/self/fd/${descriptor}`
    const opened = tried(() => readlinkSync(viaDescriptor), null)
    if ((opened ?? realpathSync(real)) !== real) return null
    const base = opened === null ? real : viaDescriptor
    return readdirSync(base).flatMap((name): Array<[string, Stats | null]> => {
      const stats = lstatSync(`${base}/${name}`, { throwIfNoEntry: false })
      if (stats === undefined) return name.includes(replacement) ? [[name, null]] : []
      return [[name, stats]]
    })
  } catch {
    return null
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

function fileInside (territory: Territory, link: string): Stats | null {
  return tried(() => {
    const real = realPath(link)
    const stats = within(territory.root, real) && !isClosed(territory, real) ? statSync(real) : null
    return stats?.isFile() === true ? stats : null
  }, null)
}
