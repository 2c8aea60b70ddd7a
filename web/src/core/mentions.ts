import { type Api, type Wire } from './api.js'
import { rankOf } from './commands.js'

export type Entry = Wire<'Entry'>

/** A path behind an `@` that is being typed: from `start` to `end` of the text, with the sign. */
export interface Mention { start: number, end: number, path: string }

// Behind a letter it is an address or a name; a path with blanks stands in quotes.
const mention = /(?:^|[\s([{,;])(@(?:"([^"\n]*)|([^\s@"]*)))$/u

/** The mention that the caret stands in; null when it stands in none. */
export function mentionAt (text: string, caret: number): Mention | null {
  const found = mention.exec(text.slice(Math.max(0, caret - 2_000), caret))
  if (found === null) return null
  return { start: caret - found[1]!.length, end: caret, path: found[2] ?? found[3]! }
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

/** The folders of a workspace as they were read; read anew when the next mention begins. */
export class MentionedFolders {
  readonly #read = new Map<string, Promise<readonly Entry[]>>()
  #workspace: string | null = null

  constructor (readonly options: { api: Api, sessionId: () => Promise<string> }) {}

  /** What is in a folder; nothing when there is no such folder, or it cannot be read. */
  async list (folder: string): Promise<readonly Entry[]> {
    const known = this.#read.get(folder)
    if (known !== undefined) return await known
    const reading = this.#list(folder)
    this.#read.set(folder, reading)
    return await reading
  }

  /** Absolute path of an entry, as attachments have it; null before a folder was read. */
  absolute (path: string): string | null {
    return this.#workspace === null ? null : `${this.#workspace.replace(/\/$/, '')}/${path}`
  }

  forget (): void { this.#read.clear() }

  async #list (folder: string): Promise<readonly Entry[]> {
    try {
      const { entries, workspace } = await this.options.api.get('/api/list', { session_id: await this.options.sessionId(), ...(folder === '.' ? {} : { path: folder }) })
      this.#workspace = workspace
      return entries
    } catch {
      this.#read.delete(folder)
      return []
    }
  }
}
