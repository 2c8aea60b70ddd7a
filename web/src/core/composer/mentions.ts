import { type Api, type Wire } from '../service/api.js'
import { rankOf } from './commands.js'
import { pathThere } from '../machines/location.js'

export type Entry = Wire<'Entry'>

const longestQuery = 500

/** A path after an `@` that is being typed: from `start` to `end` of the text, with the `@`. */
export interface Mention { start: number, end: number, path: string }

// After a letter, an @ is part of an address or a name. A path with blanks is quoted.
const mention = /(?:^|[\s([{,;])(@(?:"([^"\n]*)|([^\s@"]*)))$/u

/** Returns the mention at the caret; null if there is none. */
export function mentionAt (text: string, caret: number): Mention | null {
  const [, written, quoted, plain = ''] = mention.exec(text.slice(Math.max(0, caret - 2_000), caret)) ?? []
  return written === undefined ? null : { start: caret - written.length, end: caret, path: quoted ?? plain }
}

/**
 * Returns how a message mentions a file: by its path in the workspace. The mention of a folder stays open, so that its contents can follow.
 */
export function mentionOf (path: string, isFolder: boolean): string {
  const needsQuotes = /[\s@"]/.test(path)
  if (isFolder) return needsQuotes ? `@"${path}/` : `@${path}/`
  return needsQuotes ? `@"${path}" ` : `@${path} `
}

/** Splits a path into its folder, `.` being the workspace, and the typed part of a name. */
export function splitPath (path: string): { folder: string, name: string } {
  const at = path.lastIndexOf('/')
  const folder = path.slice(0, Math.max(at, 0)).replace(/^(?:\.?\/)+/, '')
  return { folder: folder === '' ? '.' : folder, name: path.slice(at + 1) }
}

/** Returns entries that match the typed part of a name, the best first. Hidden ones need their dot. */
export function matchEntries (entries: readonly Entry[], name: string): Entry[] {
  const ranked = entries.flatMap((entry) => {
    if (entry.target_outside_workspace === true || (entry.name.startsWith('.') && !name.startsWith('.'))) return []
    const rank = rankOf(entry.name, name)
    return rank === null ? [] : [{ entry, rank: rank * 2 + (entry.is_dir ? 0 : 1) }]
  })
  return ranked.sort((one, other) => one.rank - other.rank || one.entry.name.localeCompare(other.entry.name)).map(({ entry }) => entry)
}

/** Whether a path contains all typed characters, in order. */
function mayMean (path: string, typed: string): boolean {
  const lower = path.toLowerCase()
  let at = -1
  return [...typed.toLowerCase()].every((sign) => sign === ' ' || (at = lower.indexOf(sign, at + 1)) !== -1)
}

/**
 * Merges the entries of a folder with those found elsewhere: first those that begin as typed, then those found, then the rest of the
 * folder.
 */
export function mergeEntries (matching: readonly Entry[], found: readonly Entry[], name: string): Entry[] {
  const begins = (entry: Entry): boolean => entry.name.toLowerCase().startsWith(name.toLowerCase())
  const all = [...matching.filter(begins), ...found, ...matching]
  return [...new Map(all.map((entry) => [entry.path, entry])).values()]
}

/** The folders of a workspace, read again each time a mention begins. */
export class MentionedFolders {
  readonly #read = new Map<string, Promise<readonly Entry[]>>()
  #workspace: string | null = null
  #found: readonly Entry[] = []
  #searching = new AbortController()

  constructor (readonly options: { api: Api, sessionId: () => Promise<string> }) {}

  /** Returns the entries of a folder; none if it does not exist or cannot be read. */
  async list (folder: string): Promise<readonly Entry[]> {
    const known = this.#read.get(folder)
    if (known !== undefined) return await known
    const reading = this.#list(folder)
    this.#read.set(folder, reading)
    return await reading
  }

  /** Returns the absolute path of an entry on its machine, as attachments have it; null until a folder has been read. */
  absolute (path: string): string | null {
    return this.#workspace === null ? null : `${this.#workspace.replace(/\/$/, '')}/${path}`
  }

  /** Returns the results of the last search that may still match, while the next one runs. */
  stillFound (typed: string): readonly Entry[] {
    return this.#found.filter(({ path }) => mayMean(path, typed))
  }

  /** Searches the whole workspace for files and folders by path. A later search aborts this one. Returns nothing on failure. */
  async search (typed: string): Promise<readonly Entry[]> {
    this.giveUp()
    const { signal } = this.#searching
    try {
      const { entries, workspace } = await this.options.api.get('/api/file/search', {
        session_id: await this.options.sessionId(), q: typed.slice(0, longestQuery)
      }, signal)
      if (signal.aborted) return []
      this.#workspace = pathThere(workspace)
      // A name that cannot be typed is not suggested.
      this.#found = entries.filter(({ path }) => !/["\n]/.test(path))
      return this.#found
    } catch {
      return []
    }
  }

  /** Stops the running search. */
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
