import { lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { acceptedToChange } from '../../ground/home/accepted-plugins.js'
import { unfinishedOf } from '../../ground/home/home-file.js'
import { tried } from '../../ground/tried.js'

interface Place {
  /** Below the home; `*` stands for each folder there, but for no hidden one and no link. */
  path: string
  mayBeLeft: (name: string, stats: Stats, folder: string) => boolean
}

/** A file that was replaced as a whole: the text next to it has not got its name. */
const unfinished = (name: string, stats: Stats): boolean => stats.isFile() && unfinishedOf(name) !== null
/** A skill that was deleted: hidden at once, and then removed file by file. */
const deletedSkill = (name: string, stats: Stats): boolean => stats.isDirectory() && /^\.deleted-[0-9a-f]{12}$/.test(name)

const places: Place[] = [
  ...[
    '.', 'memories', 'skills', 'skills/*', 'skills/*/*', 'skills/.imports/*', 'webui_state',
    ...['agents', 'mcp', 'mcp/view-pages', 'mcp/views/*', 'plugins'].map((name) => `webui_state/${name}`)
  ].map((path) => ({ path, mayBeLeft: unfinished })),
  ...['skills', 'skills/*'].map((path) => ({ path, mayBeLeft: deletedSkill })),
  {
    // An archive that was not unpacked to the end: nothing can be imported from it.
    path: 'skills/.imports',
    mayBeLeft: (name, stats, folder) => stats.isDirectory() && /^[0-9a-f]{24}$/.test(name) &&
      lstatSync(join(folder, name, 'import.json'), { throwIfNoEntry: false }) === undefined
  },
  // A result of a job that has not got its name.
  { path: 'cron/output/*', mayBeLeft: (name, stats) => stats.isFile() && /^\.[0-9a-f]{12}\.part$/.test(name) }
]

/** Something that a kill may have left; it is, unless this process has made it. */
export interface MaybeLeft { path: string, stats: Stats }

/** Returns what kills may have left in the home of a profile: half-written files, and folders that were being filled or removed. */
export async function leftInHome (home: string): Promise<MaybeLeft[]> {
  const found: MaybeLeft[] = []
  for (const { path, mayBeLeft } of [...places, ...pluginCopies(home)]) {
    for (const folder of await foldersAt(home, path.split('/'))) {
      for (const name of await namesIn(folder)) {
        const stats = tried(() => lstatSync(join(folder, name)), null)
        if (stats !== null && tried(() => mayBeLeft(name, stats, folder), false)) found.push({ path: join(folder, name), stats })
      }
    }
  }
  return found
}

/** Copies of plugins that nobody uses: half a copy, or one whose plugin is not on. None while the list of plugins cannot be read. */
function pluginCopies (home: string): Place[] {
  const used = tried(() => new Set(acceptedToChange(home).map(({ folder }) => folder)), null)
  if (used === null) return []
  return [{
    path: 'webui_state/plugins',
    mayBeLeft: (name, stats, folder) => stats.isDirectory() && !used.has(join(folder, name)) &&
      (unfinishedOf(name) !== null || /^[\w-]+-[0-9a-f]{16}$/.test(name))
  }]
}

async function foldersAt (folder: string, [first, ...rest]: string[]): Promise<string[]> {
  if (first === undefined) return [folder]
  if (first !== '*') return await foldersAt(join(folder, first), rest)
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => join(folder, name))
  return (await Promise.all(below.map(async (each) => await foldersAt(each, rest)))).flat()
}

/** Returns the names that anything left behind may have; other files are not looked at. */
const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('.') || /[0-9a-f]{16}$/.test(name))
