import { type Dirent } from 'node:fs'
import { opendir, realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { within } from '../ground/containment.js'
import { remoteFolder, remoteName, type RemoteFolder } from '../ground/location.js'
import { isSystemFolder } from './place/folder.js'

export interface SuggestOptions {
  /** Offered for an empty prefix. */
  known: string[]
  userHome: string
  /** Folders of the service, which are never offered. */
  reserved: string[]
}

const maxSuggestions = 50
/** A folder with more entries than this is looked through only in part. */
const maxEntries = 20_000

/**
 * Folders whose path begins as somebody has typed it, for completion: of the last part's folder those whose name
 * begins alike, hidden ones only when a dot was typed. `~` is the user's home, and stays `~` in what is offered.
 * Whatever cannot be read offers nothing.
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

/** The name of a machine, or its beginning. */
const begunHost = /^[a-z0-9][a-z0-9-]*:?$/

/**
 * The same of other machines: their names while one is being typed, then folders of that machine. Null when what was typed means
 * none. A machine that does not answer offers nothing.
 */
export async function suggestRemote (
  prefix: string, { hosts, suggest }: { hosts: () => string[], suggest: (folder: RemoteFolder) => Promise<string[]> }
): Promise<string[] | null> {
  const folder = remoteFolder(prefix)
  if (folder === null) {
    return begunHost.test(prefix) ? hosts().map((host) => `${host}:/`).filter((name) => name.startsWith(prefix)).sort() : null
  }
  const { host } = folder
  if (!hosts().includes(host)) return []
  const paths = await suggest(folder).catch(() => [])
  return paths.slice(0, maxSuggestions).map((path) => remoteName({ host, path }))
}

/** A path in which a leading `~` stands for the user's home. */
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

/** A symlink counts when it leads to a folder. */
async function isFolder (folder: string, entry: Dirent): Promise<boolean> {
  if (!entry.isSymbolicLink()) return entry.isDirectory()
  return await opendir(join(folder, entry.name)).then(async (opened) => {
    await opened.close()
    return true
  }, () => false)
}
