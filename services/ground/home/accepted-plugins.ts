import { join } from 'node:path'
import { fieldsOf } from '../fields.js'
import { fileVersion, isPassing, readHomeFile, type HomeFile } from './home-file.js'

/** A plugin of a profile that a person has switched on: a copy of its files as they were then. */
export interface AcceptedPlugin {
  name: string
  /** Tells the copy from one of other files. */
  seal: string
  /** Where the copy lies. */
  folder: string
}

/** What stands in front of the names of its commands and servers; commands that begin with `mcp:` are prompts of servers. */
export const pluginName = /^(?!mcp$)[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/i
const pluginSeal = /^[0-9a-f]{64}$/
const cacheLimit = 256
const cache = new Map<string, { version: string, plugins: readonly AcceptedPlugin[] }>()

/** Where a person puts plugins, one in each folder. */
export const pluginsFolder = (home: string): string => join(home, 'plugins')
/** Where the copies are. Nobody but the service writes there. */
export const acceptedFolder = (home: string): string => join(home, 'webui_state', 'plugins')
/** Says which copies count. */
export const acceptedFile = (home: string): string => join(acceptedFolder(home), 'accepted.json')
export const copyFolder = (home: string, name: string, seal: string): string => join(acceptedFolder(home), `${name}-${seal.slice(0, 16)}`)

/**
 * The plugins that are switched on, by their names. Never throws: a list that cannot be read has none, or those of before
 * for the moment. Cached until it changes.
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

/** The same for whoever writes a list in its place. Throws Unavailable while it cannot be read. */
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

/** The text of the file that says which copies count. */
export function acceptedText (plugins: ReadonlyArray<Pick<AcceptedPlugin, 'name' | 'seal'>>): string {
  return `${JSON.stringify({ plugins: Object.fromEntries(plugins.map(({ name, seal }) => [name, seal])) }, null, 2)}\n`
}
