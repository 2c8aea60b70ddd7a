import { type Dirent } from 'node:fs'
import { opendir, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { within } from '../ground/files/containment.js'
import { remoteFolder, remoteName, type RemoteFolder } from '../ground/remote-folder.js'
import { isSystemFolder } from './place/folder.js'

export interface SuggestOptions {
  /** Folders that are offered for an empty prefix. */
  known: string[]
  userHome: string
  /** Folders of the service, which are never offered. */
  reserved: string[]
}

const maxSuggestions = 50
/** How many entries of a folder are read at most. */
const maxEntries = 20_000

/**
 * Completes a typed path: returns the folders whose name begins with its last part, ignoring case, and hidden ones only
 * if a dot was typed. `~` is the user's home, and stays `~` in the results. Returns nothing for a folder that cannot be read.
 */
export async function suggestFolders (prefix: string, { known, userHome, reserved }: SuggestOptions): Promise<string[]> {
  if (prefix.trim() === '') return [...new Set([...known, userHome])]
  if (prefix === '~') return ['~/']
  if (prefix.includes('\0') || !(isAbsolute(prefix) || prefix.startsWith('~/'))) return []
  const slash = prefix.lastIndexOf('/')
  const typedFolder = prefix.slice(0, slash + 1)
  const begun = prefix.slice(slash + 1).toLowerCase()
  const real = await realpath(expandHome(typedFolder, userHome)).catch(() => null)
  if (real === null || isOffLimits(real, reserved)) return []
  const names = await folderNames(real, (name) => name.toLowerCase().startsWith(begun) && (begun.startsWith('.') || !name.startsWith('.')))
  return names.filter((name) => !isOffLimits(join(real, name), reserved)).slice(0, maxSuggestions).map((name) => typedFolder + name)
}

/** The name of a machine, or the beginning of one. */
const begunMachine = /^[a-z0-9][a-z0-9-]*:?$/

/**
 * The same for other machines: completes their names, then folders of the machine. Returns null if the prefix does not name
 * a machine, and nothing for a machine that does not answer.
 */
export async function suggestRemote (
  prefix: string, { machines, suggest }: { machines: () => string[], suggest: (folder: RemoteFolder) => Promise<string[]> }
): Promise<string[] | null> {
  const folder = remoteFolder(prefix)
  if (folder === null) {
    return begunMachine.test(prefix) ? machines().map((machine) => `${machine}:/`).filter((name) => name.startsWith(prefix)).sort() : null
  }
  const { machine } = folder
  if (!machines().includes(machine)) return []
  const paths = await suggest(folder).catch(() => [])
  return paths.slice(0, maxSuggestions).map((path) => remoteName({ machine, path }))
}

/** Replaces a leading `~` by the user's home. */
export function expandHome (path: string, userHome: string): string {
  return path === '~' || path.startsWith('~/') ? join(userHome, path.slice(1)) : path
}

const isOffLimits = (real: string, reserved: string[]): boolean => isSystemFolder(real) || reserved.some((folder) => within(folder, real))

async function folderNames (folder: string, fits: (name: string) => boolean): Promise<string[]> {
  const names: string[] = []
  let looked = 0
  try {
    for await (const entry of await opendir(folder)) {
      if (++looked > maxEntries) break
      if (fits(entry.name) && await isFolder(folder, entry)) names.push(entry.name)
    }
  } catch {} // missing or unreadable: nothing to offer
  return names.sort((one, other) => one.toLowerCase() < other.toLowerCase() ? -1 : 1)
}

/** Whether an entry is a folder or a symlink to one. */
async function isFolder (folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  return await opendir(join(folder, entry.name)).then(async (opened) => {
    await opened.close()
    return true
  }, () => false)
}
