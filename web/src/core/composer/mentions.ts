import { type Api, type Wire } from '../service/api.js'
import { rankOf } from './commands.js'
import { pathThere } from '../machines/location.js'

export type Entry = Wire<'Entry'>

const longestQuery = 500

/** A path behind an `@` that is being typed: from `start` to `end` of the text, with the sign. */
export interface Mention { start: number, end: number, path: string }

// Behind a letter it is an address or a name; a path with blanks stands in quotes.
const mention = /(?:^|[\s([{,;])(@(?:"([^"\n]*)|([^\s@"]*)))$/u

/** The mention that the caret stands in; null when it stands in none. */
export function mentionAt (text: string, caret: number): Mention | null {
  const [, written, quoted, plain = ''] = mention.exec(text.slice(Math.max(0, caret - 2_000), caret)) ?? []
  return written === undefined ? null : { start: caret - written.length, end: caret, path: quoted ?? plain }
}

/** How a file is named in a message: the agent finds it by its path in the workspace. A folder is left open to be gone into. */
export function mentionOf (path: string, isFolder: boolean): string {
  const needsQuotes = /[\s@"]/.test(path)
  if (isFolder) return needsQuotes ? `@"${path}/` : `@${path}/`
  return needsQuotes ? `@"${path}" ` : `@${path} `
}

/** The folder that is looked into, `.` being the workspace, and what was typed of a name in it. */
export function splitPath (path: string): { folder: string, name: string } {
  const at = path.lastIndexOf('/')
  const folder = path.slice(0, Math.max(at, 0)).replace(/^(?:\.?\/)+/, '')
  return { folder: folder === '' ? '.' : folder, name: path.slice(at + 1) }
}

/** Entries that answer to what was typed of a name, the best first. Hidden ones have to be asked for with their dot. */
export function matchEntries (entries: readonly Entry[], name: string): Entry[] {
  const ranked = entries.flatMap((entry) => {
    if (entry.target_outside_workspace === true || (entry.name.startsWith('.') && !name.startsWith('.'))) return []
    const rank = rankOf(entry.name, name)
    return rank === null ? [] : [{ entry, rank: rank * 2 + (entry.is_dir ? 0 : 1) }]
  })
  return ranked.sort((one, other) => one.rank - other.rank || one.entry.name.localeCompare(other.entry.name)).map(({ entry }) => entry)
}

/** Whether all signs of what was typed are in a path, in their order. */
function mayMean (path: string, typed: string): boolean {
  const lower = path.toLowerCase()
  let at = -1
  return [...typed.toLowerCase()].every((sign) => sign === ' ' || (at = lower.indexOf(sign, at + 1)) !== -1)
}

/**
 * What a folder has under a name, and what was found below it and elsewhere: what begins as it was typed first, then as it was
 * found, then the rest of the folder.
 */
export function mergeEntries (matching: readonly Entry[], found: readonly Entry[], name: string): Entry[] {
  const begins = (entry: Entry): boolean => entry.name.toLowerCase().startsWith(name.toLowerCase())
  const all = [...matching.filter(begins), ...found, ...matching]
  return [...new Map(all.map((entry) => [entry.path, entry])).values()]
}

/** The folders of a workspace as they were read; read anew when the next mention begins. */
export class MentionedFolders {
  readonly #read = new Map<string, Promise<readonly Entry[]>>()
  #workspace: string | null = null
  #found: readonly Entry[] = []
  #searching = new AbortController()

  constructor (readonly options: { api: Api, sessionId: () => Promise<string> }) {}

  /** What is in a folder; nothing when there is no such folder, or it cannot be read. */
  async list (folder: string): Promise<readonly Entry[]> {
    const known = this.#read.get(folder)
    if (known !== undefined) return await known
    const reading = this.#list(folder)
    this.#read.set(folder, reading)
    return await reading
  }

  /** Absolute path of an entry on the machine where it is, as attachments have it; null before a folder was read. */
  absolute (path: string): string | null {
    return this.#workspace === null ? null : `${this.#workspace.replace(/\/$/, '')}/${path}`
  }

  /** What of the last search may still be meant, while the next one is on its way. */
  stillFound (typed: string): readonly Entry[] {
    return this.#found.filter(({ path }) => mayMean(path, typed))
  }

  /**
   * Files and folders anywhere in the workspace by what is typed of their path. A later search ends
   * this one; nothing when it cannot be done.
   */
  async search (typed: string): Promise<readonly Entry[]> {
    this.giveUp()
    const { signal } = this.#searching
    try {
      const { entries, workspace } = await this.options.api.get('/api/file/search', {
        session_id: await this.options.sessionId(), q: typed.slice(0, longestQuery)
      }, signal)
      if (signal.aborted) return []
      this.#workspace = pathThere(workspace)
      // What cannot stand in a text is no help.
      this.#found = entries.filter(({ path }) => !/["\n]/.test(path))
      return this.#found
    } catch {
      return []
    }
  }

  /** Nobody waits for what is being looked for any more. */
  giveUp (): void {
    this.#searching.abort()
    this.#searching = new AbortController()
  }

  forget (): void {
    this.giveUp()
    this.#read.clear()
    this.#found = []
  }

  async #list (folder: string): Promise<readonly Entry[]> {
    try {
      const { entries, workspace } = await this.options.api.get('/api/list', {
        session_id: await this.options.sessionId(), ...(folder === '.' ? {} : { path: folder })
      })
      this.#workspace = pathThere(workspace)
      return entries
    } catch {
      this.#read.delete(folder)
      return []
    }
  }
}
