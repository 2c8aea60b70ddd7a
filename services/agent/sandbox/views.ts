import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { rulesOf } from '../project-context.js'
import { GitInspection, ownSettings, type GitView } from './git-findings.js'
import { TextCache } from './texts.js'
import { createWalker, mostFolders, type Folder } from './walk.js'

/** What a folder holds that git would run or agents would follow. */
export interface View extends GitView { instructions: Record<string, string>, rules: string | null }

export interface ViewsOptions {
  /** Folders that commands cannot write, wherever they lie: they are not looked through. */
  closed: readonly string[]
  /** The user's home; its hidden entries are not looked through either. */
  userHome?: string
  mostFolders?: number
}

const unnoticed = 'so what a command leaves there for git to run is not noticed'
const tooLarge = `is too large to be looked through, ${unnoticed}`

/** Looks at folders; what it has read and has not changed is not read again. */
export class Views {
  readonly #walk = createWalker()
  readonly #texts = new TextCache()
  readonly #closed: ReadonlySet<string>

  constructor (private readonly options: ViewsOptions) {
    this.#closed = new Set(options.closed)
  }

  /** Never rejects: what cannot be looked at is a finding as well. */
  async look (workspace: string): Promise<View> {
    const { userHome, mostFolders: most = mostFolders } = this.options
    const rules = rulesOf(workspace)
    const nothing = (what: string): View =>
      ({ findings: [{ path: workspace, what, seal: randomUUID(), uncertain: true }], repositories: [], present: new Set(), heads: new Map(), instructions: {}, rules })
    try {
      const folders = await this.#walk(workspace, (path) => this.#isClosed(path), most)
      if (folders === null) return nothing(tooLarge)
      const own = userHome === undefined ? [] : ownSettings(userHome, this.#texts)
      const { findings, repositories, present, heads } = new GitInspection(workspace, folders, this.#texts, userHome, own)
      return { findings, repositories, present, heads, instructions: this.#instructions(folders), rules }
    } catch (error) {
      return nothing(`cannot be looked through (${(error as NodeJS.ErrnoException).code ?? 'unknown error'}), ${unnoticed}`)
    }
  }

  /** What tells the content of each file that agents take for instructions. */
  #instructions (folders: readonly Folder[]): Record<string, string> {
    const instructions: Record<string, string> = {}
    for (const { path, entries } of folders) {
      for (const name of entries.instructions) instructions[join(path, name)] = createHash('sha256').update(this.#texts.read(join(path, name))?.text ?? '').digest('hex').slice(0, 32)
    }
    return instructions
  }

  #isClosed (path: string): boolean {
    const { userHome } = this.options
    return this.#closed.has(path) || (userHome !== undefined && path.startsWith(`${userHome}/.`) && !path.slice(userHome.length + 1).includes('/'))
  }
}
