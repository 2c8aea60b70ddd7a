import { join } from 'node:path'
import { fieldsOf } from '../fields.js'
import { fileVersion, isPassing, readHomeFile, type HomeFile } from './home-file.js'

/** A plugin of a profile that a person has enabled: a copy of its files as they were then. */
export interface AcceptedPlugin {
  name: string
  /** Identifies the content of the copied files. */
  seal: string
  /** The folder of the copy. */
  folder: string
}

/**
 * The prefix of the names of its commands and servers. `mcp` is excluded, because commands that begin with `mcp:` are prompts of servers.
 */
export const pluginName = /^(?!mcp$)[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/i
const pluginSeal = /^[0-9a-f]{64}$/
const cacheLimit = 256
const cache = new Map<string, { version: string, plugins: readonly AcceptedPlugin[] }>()

/** Returns the folder in which a person puts plugins, each in a folder of its own. */
export const pluginsFolder = (home: string): string => join(home, 'plugins')
/** Returns the folder of the copies. Only the service writes there. */
export const acceptedFolder = (home: string): string => join(home, 'webui_state', 'plugins')
/** Returns the path of the list of enabled copies. */
export const acceptedFile = (home: string): string => join(acceptedFolder(home), 'accepted.json')
export const copyFolder = (home: string, name: string, seal: string): string => join(acceptedFolder(home), `${name}-${seal.slice(0, 16)}`)

/**
 * Returns the enabled plugins, sorted by name. Never throws: an invalid list counts as empty, and if it cannot be read at the moment, the
 * previous list is used. Cached until the list changes.
 */
export function acceptedPlugins (home: string): readonly AcceptedPlugin[] {
  const version = fileVersion(acceptedFile(home))
  const cached = cache.get(home)
  if (cached?.version === version) return cached.plugins
  const found = readHomeFile(acceptedFile(home))
  if (isPassing(found)) return cached?.plugins ?? []
  const plugins = listed(home, found)
  cache.delete(home)
  cache.set(home, { version, plugins })
  for (const oldest of cache.keys()) {
    if (cache.size <= cacheLimit) break
    cache.delete(oldest)
  }
  return plugins
}

/** Returns the enabled plugins for a caller that will write a new list. Throws Unavailable while the list cannot be read. */
export function acceptedToChange (home: string): readonly AcceptedPlugin[] {
  const found = readHomeFile(acceptedFile(home))
  if (found !== undefined && 'problem' in found && found.passing !== undefined) throw found.passing
  return listed(home, found)
}

function listed (home: string, found: HomeFile | undefined): AcceptedPlugin[] {
  if (found === undefined || !('text' in found)) return []
  try {
    const { plugins } = fieldsOf(JSON.parse(found.text))
    if (typeof plugins !== 'object' || plugins === null) return []
    return Object.entries(plugins)
      .filter((entry): entry is [string, string] => pluginName.test(entry[0]) && typeof entry[1] === 'string' && pluginSeal.test(entry[1]))
      .map(([name, seal]) => ({ name, seal, folder: copyFolder(home, name, seal) }))
      .sort((one, other) => one.name < other.name ? -1 : 1)
  } catch {
    return []
  }
}

/** Returns the content of the list of enabled copies. */
export function acceptedText (plugins: ReadonlyArray<Pick<AcceptedPlugin, 'name' | 'seal'>>): string {
  return `${JSON.stringify({ plugins: Object.fromEntries(plugins.map(({ name, seal }) => [name, seal])) }, null, 2)}\n`
}
