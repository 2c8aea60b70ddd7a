import { lstatSync, readdirSync, type Dirent, type Stats } from 'node:fs'
import { join } from 'node:path'
import { keepNewest } from '../../ground/keep-newest.js'
import { isInstruction } from '../instructions.js'

/** What of a folder's entries matters: names of folders and links in it, and of files that git or an agent obeys. */
export interface Entries {
  folders: readonly string[]
  links: readonly string[]
  /** What is called `.git`, in any spelling. */
  git: readonly string[]
  /** Of `HEAD`, `objects`, `refs` and `commondir` those that are there. */
  gitParts: readonly string[]
  instructions: readonly string[]
  sockets: readonly string[]
  /** It cannot be listed, or a name in it is not text, so that something may be hidden below it. */
  unreadable: boolean
  /** Folders in it have paths too long to be worked with. */
  tooDeep?: true
}

export interface Folder { path: string, entries: Entries, inGit: boolean }

interface Remembered { device: number, inode: number, changedMs: number, entries: Entries }

/** More folders than this are not looked through. */
export const mostFolders = 20_000
const mostTrees = 8
/** A longer path, in bytes, is not gone down: the system takes no path of 4,096, and names below have to be looked at as well. */
const mostPathBytes = 3_500
/** A folder that has changed so lately may change again without a sign: its clock ticks only every few milliseconds. */
const settlesAfterMs = 50
/** How long the walk may hold up the process at a time. */
const sliceMs = 4

const gitParts = new Set(['HEAD', 'objects', 'refs', 'commondir'])

/**
 * Walks trees again and again, for the price of one lstat per folder: what a folder holds is remembered together with the
 * time of its last change (ctime), which no process can set. Symbolic links are not followed.
 */
export function createWalker () {
  const trees = new Map<string, Map<string, Remembered>>()
  const keep = (root: string, tree: Map<string, Remembered>): void => {
    trees.delete(root)
    trees.set(root, tree)
    keepNewest(trees, mostTrees)
  }

  /**
   * Every folder from `root` down, `closed` ones left out, in no particular order; null when there are too many. Lets other
   * work of this process go on in between.
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
        // The next look stops here again, for the price of one lstat per folder as well.
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

/** Whether git could take it for a repository: it does so by these names, whatever the folder itself is called. */
export function isGitFolder (path: string, { gitParts: parts }: Pick<Entries, 'gitParts'>): boolean {
  if (/\/\.git$/i.test(path)) return true
  return parts.includes('HEAD') && (parts.includes('commondir') || (parts.includes('objects') && parts.includes('refs')))
}

/** Null for what is no folder any more. */
function look (path: string, known: Remembered | undefined, remember: Map<string, Remembered>): Entries | null {
  let stats: Stats | undefined
  try {
    stats = lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return unreadable // the folder it lies in is closed
  }
  if (stats === undefined || !stats.isDirectory()) return null
  const { dev: device, ino: inode, ctimeMs: changedMs } = stats
  if (known !== undefined && known.device === device && known.inode === inode && known.changedMs === changedMs) {
    remember.set(path, known)
    return known.entries
  }
  // The clock of the file system is meant, so it is the real one.
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
