import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import { createTwoFilesPatch } from 'diff'
import { createQueue } from '../../ground/concurrency/queue.js'
import { entriesIn } from '../../ground/files/folder-entries.js'
import { Conflict, Invalid, NotFound, refuseWrite } from '../../ground/errors.js'
import { acceptedPlugins, pluginName, pluginsFolder, type AcceptedPlugin } from '../../ground/home/accepted-plugins.js'
import { visible } from '../../ground/text/visible.js'
import { type Profiles } from '../profiles/index.js'
import { readSkillFile } from '../skills/index.js'
import { accept, giveUp } from './accepting.js'
import { broughtBy, manifestOf, type Brings, type PluginManifest } from './brings.js'
import { NoPlugin, PluginContents, type Contents, type PluginFile } from './contents.js'

export interface ChangedFile extends PluginFile {
  /** The change of the file since the plugin was switched on; null if there is none, or the plugin is off. */
  change: 'added' | 'changed' | 'removed' | null
}

/**
 * A plugin of a profile, with the present contents of its folder. While it is on, what is used are its contents at the time it was switched
 * on.
 */
export interface Plugin extends PluginManifest, Brings {
  name: string
  isEnabled: boolean
  /** Whether it is on and its folder has changed since: the change is used once a person has switched it on again. */
  isChanged: boolean
  /** Why it cannot be switched on, as a sentence; null if it can. */
  problem: string | null
  /** The seal of its files; empty if there are none. */
  seal: string
  files: ChangedFile[]
  sizeBytes: number
}

/** A file of a plugin for a reader: invisible characters are made visible. */
export interface PluginText {
  /** null if the file no longer exists. */
  content: string | null
  /**
   * A unified diff from what is in use to what is there now; null if they are the same, the plugin is off, or they differ in too many
   * places.
   */
  diff: string | null
}

const mostPlugins = 100
const mostEdits = 1_000
const nothing: Contents = { files: [], sizeBytes: 0, seal: '' }
const nothingBrought = { description: '', version: null, author: null, commands: [], skills: [], servers: [], unused: [] }
const linkProblem = 'Its folder is a symbolic link, which may lead anywhere: put the folder itself in its place.'
const nameProblem = 'The name of its folder must be of letters, digits, "_" and "-", 32 at most, and not "mcp".'

/**
 * Plugins of profiles: folders in `<home>/plugins`, with the same layout as those for Claude Code. The commands, skills and MCP servers of
 * a plugin take effect once a person who has seen its contents switches it on, and in the state of that time.
 */
export class Plugins {
  readonly #contents = new PluginContents()
  readonly #inTurn = createQueue()

  constructor (private readonly profiles: Pick<Profiles, 'existing' | 'reread'>) {}

  /**
   * Returns the plugins sorted by name, including those that are on and whose folder is gone. Throws NotFound for an unknown profile, and
   * Unavailable (`no_handles`) if the folder cannot be read now.
   */
  async list (profile: string): Promise<Plugin[]> {
    const { home } = this.profiles.existing(profile)
    const entries = await entriesIn(pluginsFolder(home))
    const folders = entries.filter((entry) => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()))
      .map(({ name }) => name)
    const names = [...new Set([...folders, ...acceptedPlugins(home).map(({ name }) => name)])].sort().slice(0, mostPlugins)
    return await Promise.all(names.map(async (name) => await this.#look(home, name)))
  }

  /**
   * Switches a plugin on, on again with its present contents, or off. Resolves when that is on disk.
   * @param seal seal of the files that the person has seen; null for the present ones
   * @throws NotFound; Invalid for what cannot be a plugin; Conflict (`plugin_changed`) if the files have changed since; Unavailable
   * (`disk_full`)
   */
  async set (profile: string, name: string, isEnabled: boolean, seal: string | null): Promise<Plugin> {
    const { home } = this.profiles.existing(profile)
    return await this.#inTurn(home, async () => {
      const plugin = await this.#find(profile, name)
      if (!isEnabled) await giveUp(home, name)
      else if (plugin.problem !== null) throw new Invalid(plugin.problem)
      else if ((seal !== null && seal !== plugin.seal) || !await this.#accepted(home, plugin)) {
        throw new Conflict(
          'The files of this plugin have changed since you saw them. Look at them again', 'plugin_changed'
        )
      }
      // The plugins of a profile are a part of its settings.
      this.profiles.reread(profile)
      return await this.#look(home, name)
    }).catch(refuseWrite)
  }

  /**
   * Returns the present content of a file, and how it differs from what is in use. Throws NotFound; Invalid for a file that is not text.
   */
  async file (profile: string, name: string, path: string): Promise<PluginText> {
    const { home } = this.profiles.existing(profile)
    await this.#find(profile, name)
    const copy = acceptedPlugins(home).find((plugin) => plugin.name === name)
    const folder = join(pluginsFolder(home), name)
    const [content, accepted] = await Promise.all([
      await isLink(folder) ? null : textIn(folder, path), copy === undefined ? null : textIn(copy.folder, path)
    ])
    if (content === null && accepted === null) throw new NotFound('File not found')
    return {
      content: content === null ? null : visible(content),
      diff: copy === undefined || content === accepted ? null : difference(path, accepted ?? '', content ?? '')
    }
  }

  async #find (profile: string, name: string): Promise<Plugin> {
    const found = (await this.list(profile)).find((plugin) => plugin.name === name)
    if (found === undefined) throw new NotFound('Plugin not found')
    return found
  }

  async #accepted (home: string, { name, seal, files, sizeBytes }: Plugin): Promise<boolean> {
    if (acceptedPlugins(home).some((plugin) => plugin.name === name && plugin.seal === seal)) return true
    return await accept(home, name, join(pluginsFolder(home), name), {
      files: files.filter(({ change }) => change !== 'removed'), sizeBytes, seal
    })
  }

  async #look (home: string, name: string): Promise<Plugin> {
    const folder = join(pluginsFolder(home), name)
    const copy = acceptedPlugins(home).find((plugin) => plugin.name === name)
    const leadsAway = await isLink(folder)
    const found = !pluginName.test(name) ? nameProblem : leadsAway ? linkProblem : await this.#held(folder)
    const { files, sizeBytes, seal } = typeof found === 'string' ? nothing : found
    return {
      name,
      ...leadsAway ? nothingBrought : { ...manifestOf(folder), ...await broughtBy(name, folder) },
      isEnabled: copy !== undefined,
      isChanged: copy !== undefined && copy.seal !== seal,
      problem: typeof found === 'string' ? found : null,
      seal,
      files: copy === undefined || copy.seal === seal
        ? files.map((file) => ({ ...file, change: null }))
        : await this.#compared(files, copy),
      sizeBytes
    }
  }

  /** Returns the contents of a folder, or why it cannot be a plugin. */
  async #held (folder: string): Promise<Contents | string> {
    try {
      const contents = await this.#contents.of(folder)
      return contents.files.length > 0 ? contents : 'Its folder is empty.'
    } catch (error) {
      return error instanceof NoPlugin ? error.message : 'Its files cannot be read.'
    }
  }

  async #compared (files: readonly PluginFile[], { folder }: AcceptedPlugin): Promise<ChangedFile[]> {
    const { files: before } = await this.#contents.of(folder).catch(() => nothing)
    const known = new Map(before.map((file) => [file.path, file]))
    const there = new Set(files.map(({ path }) => path))
    const now = files.map((file): ChangedFile => {
      const old = known.get(file.path)
      return {
        ...file, change: old === undefined ? 'added' : old.hash === file.hash && old.isExecutable === file.isExecutable ? null : 'changed'
      }
    })
    return [...now, ...before.filter(({ path }) => !there.has(path)).map((file): ChangedFile => ({ ...file, change: 'removed' }))]
  }
}

const isLink = async (path: string): Promise<boolean> => await lstat(path).then((found) => found.isSymbolicLink(), () => false)

function difference (path: string, before: string, after: string): string | null {
  return createTwoFilesPatch(`a/${path}`, `b/${path}`, visible(before), visible(after), undefined, undefined, {
    context: 3, maxEditLength: mostEdits
  }) ?? null
}

async function textIn (folder: string, path: string): Promise<string | null> {
  try {
    return (await readSkillFile(folder, path)).text
  } catch (error) {
    if (error instanceof NotFound) return null
    throw error
  }
}
