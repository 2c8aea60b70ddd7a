import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { join } from 'node:path'
import { keepNewest } from '../../ground/keep-newest.js'
import { isInstruction } from '../instructions.js'

/** The entries of a folder that matter: names of folders and links in it, and of files that git or an agent follows. */
export interface Entries {
  folders: readonly string[]
  links: readonly string[]
  /** Entries called `.git`, in any spelling. */
  git: readonly string[]
  /** Those of `HEAD`, `objects`, `refs` and `commondir` that exist. */
  gitParts: readonly string[]
  instructions: readonly string[]
  sockets: readonly string[]
  /** Whether it cannot be listed, or a name in it is not valid text, so that files may be hidden below it. */
  unreadable: boolean
  /** Set if paths of folders in it are too long to be used. */
  tooDeep?: true
}

export interface Folder { path: string, entries: Entries, inGit: boolean }

interface Remembered { device: number, inode: number, changedMs: number, entries: Entries }

/** How many folders are walked at most. */
export const mostFolders = 20_000
const mostTrees = 8
/** Folders below a longer path, in bytes, are not walked: the system accepts no path of 4,096, and names below need room too. */
const mostPathBytes = 3_500
/** A folder that has changed so recently may change again with the same time: the clock of the file system ticks every few milliseconds. */
const settlesAfterMs = 50
/** How long the walk may block the process at a time. */
const sliceMs = 4

const gitParts = new Set(['HEAD', 'objects', 'refs', 'commondir'])

/**
 * Walks trees repeatedly at the cost of one lstat per folder: entries are cached together with the folder's time of change (ctime), which
 * no process can set. Symbolic links are not followed.
 */
export function createWalker () {
  const trees = new Map<string, Map<string, Remembered>>()
  const keep = (root: string, tree: Map<string, Remembered>): void => {
    trees.delete(root)
    trees.set(root, tree)
    keepNewest(trees, mostTrees)
  }

  /**
   * Returns every folder from `root` down, except closed ones, in no particular order; null if there are too many. Other work of this
   * process continues in between.
   */
  return async function walk (root: string, isClosed: (path: string) => boolean, most = mostFolders): Promise<Folder[] | null> {
    const before = trees.get(root) ?? new Map<string, Remembered>()
    const now = new Map<string, Remembered>()
    const found: Folder[] = []
    const pending: Array<{ path: string, inGit: boolean }> = [{ path: root, inGit: false }]
    let sliceEndsMs = performance.now() + sliceMs
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { path } = next
      const folder = look(path, before.get(path), now)
      if (folder === null) continue
      const inGit = next.inGit || isGitFolder(path, folder)
      const isDeep = folder.folders.length > 0 && Buffer.byteLength(path) > mostPathBytes
      found.push({ path, entries: isDeep ? { ...folder, tooDeep: true } : folder, inGit })
      if (isDeep) continue
      if (found.length > most) {
        // The next walk stops here again, also at the cost of one lstat per folder.
        keep(root, now)
        return null
      }
      for (const name of folder.folders) {
        const below = join(path, name)
        if (!isClosed(below)) pending.push({ path: below, inGit })
      }
      if (performance.now() > sliceEndsMs) {
        await new Promise((resolve) => { setImmediate(resolve) })
        sliceEndsMs = performance.now() + sliceMs
      }
    }
    keep(root, now)
    return found
  }
}

/** Returns whether git could take a folder for a repository: it decides by these names, whatever the folder itself is called. */
export function isGitFolder (path: string, { gitParts: parts }: Pick<Entries, 'gitParts'>): boolean {
  if (/\/\.git$/i.test(path)) return true
  return parts.includes('HEAD') && (parts.includes('commondir') || (parts.includes('objects') && parts.includes('refs')))
}

/** Returns the entries of a folder; null if it is not a folder any more. */
function look (path: string, known: Remembered | undefined, remember: Map<string, Remembered>): Entries | null {
  let stats: Stats | undefined
  try {
    stats = lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return unreadable // the folder that contains it cannot be entered
  }
  if (stats === undefined || !stats.isDirectory()) return null
  const { dev: device, ino: inode, ctimeMs: changedMs } = stats
  if (known !== undefined && known.device === device && known.inode === inode && known.changedMs === changedMs) {
    remember.set(path, known)
    return known.entries
  }
  // Uses the real clock, because the file system does.
  const isSettled = Math.abs(Date.now() - changedMs) > settlesAfterMs
  const entries = readFolder(path)
  if (isSettled) remember.set(path, { device, inode, changedMs, entries })
  return entries
}

const unreadable: Entries = { folders: [], links: [], git: [], gitParts: [], instructions: [], sockets: [], unreadable: true }

function readFolder (path: string): Entries {
  let list: Dirent[]
  try {
    list = readdirSync(path, { withFileTypes: true })
  } catch {
    return unreadable
  }
  const names = (wanted: (entry: Dirent) => boolean): string[] => list.filter(wanted).map(({ name }) => name)
  return {
    folders: names((entry) => entry.isDirectory()),
    links: names((entry) => entry.isSymbolicLink()),
    git: names(({ name }) => name.length === 4 && name.toLowerCase() === '.git'),
    gitParts: names(({ name }) => gitParts.has(name)),
    instructions: names((entry) => !entry.isDirectory() && isInstruction(path, entry.name)),
    sockets: names((entry) => entry.isSocket()),
    unreadable: list.some((entry) => entry.name.includes('\ufffd') && entry.isDirectory())
  }
}
