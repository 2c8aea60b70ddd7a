import { randomUUID } from 'node:crypto'
import { readdirSync, readlinkSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { reason, type Reason } from '../../../reasons/index.js'
import { codeOf } from '../../ground/errors.js'
import { tried } from '../../ground/tried.js'
import { commandFile, commandFolders, mayHoldCommand, ruleFile, ruleFiles, ruleFolder } from '../instructions.js'
import { rulesOf } from '../project-context.js'
import { findingOf, GitInspection, here, ownSettings, type GitView } from './git-findings.js'
import { sealOf, statsOf, TextCache } from './texts.js'
import { createWalker, mostFolders, type Folder } from './walk.js'

/** What a folder holds that git would run or agents would follow. */
export interface View extends GitView {
  instructions: Record<string, string>
  rules: string | null
  /** Folders below which not everything was looked at. */
  unseen: readonly string[]
  sockets: readonly string[]
}

export interface ViewsOptions {
  /** Folders that commands cannot write, wherever they lie: they are not looked through. */
  closed: readonly string[]
  /** The user's home; its hidden entries are not looked through either. */
  userHome?: string
  mostFolders?: number
}

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
    const nothing = (said: Reason): View => ({
      findings: [{ ...findingOf(workspace, said, randomUUID()), uncertain: true }],
      repositories: [],
      present: new Set(),
      heads: new Map(),
      instructions: this.#seals(ownFiles(workspace)),
      rules,
      unseen: [workspace],
      sockets: []
    })
    try {
      const folders = await this.#walk(workspace, (path) => this.#isClosed(path), most)
      if (folders === null) return nothing(reason('git_too_large', here))
      const own = userHome === undefined ? [] : ownSettings(userHome, this.#texts)
      const { findings, repositories, present, heads } = new GitInspection(workspace, folders, this.#texts, userHome, own)
      const unseen = folders.filter(({ entries }) => entries.unreadable || entries.tooDeep === true).map(({ path }) => path)
      const sockets = folders.flatMap(({ path, entries }) => entries.sockets.map((name) => join(path, name)))
      return { findings, repositories, present, heads, instructions: this.#instructions(folders), rules, unseen, sockets }
    } catch (error) {
      return nothing(reason('git_unlooked', { ...here, error: codeOf(error) ?? 'unknown error' }))
    }
  }

  #instructions (folders: readonly Folder[]): Record<string, string> {
    return this.#seals(folders.flatMap(({ path, entries }) => entries.instructions.map((name) => join(path, name))))
  }

  /** What tells the content of each file that agents take for instructions; of a link, where it leads. */
  #seals (paths: readonly string[]): Record<string, string> {
    return Object.fromEntries(paths.map((path) => [path, sealOfFile(path, this.#texts)]))
  }

  /** Whether a file is there that a person may run as a command. */
  isCommand (path: string): boolean {
    const kind = mayHoldCommand(path)
    if (kind === 'no') return false
    const read = this.#texts.read(path)
    return read !== null && (kind === 'yes' || !read.isWhole || /^(?:\xef\xbb\xbf)?---/.test(read.text))
  }

  #isClosed (path: string): boolean {
    const { userHome } = this.options
    return this.#closed.has(path) ||
      (userHome !== undefined && path.startsWith(`${userHome}/.`) && !path.slice(userHome.length + 1).includes('/'))
  }
}

/** The rules and commands of a workspace itself, which are looked at also where the rest cannot be. */
export function ownFiles (workspace: string): string[] {
  const found = ruleFiles.map((name) => join(workspace, name)).filter((path) => statsOf(path) !== undefined)
  const look = (folder: string, wanted: RegExp): string[] => {
    const entries = entriesOf(folder)
    found.push(...entries.filter((entry) => !entry.isDirectory() && wanted.test(entry.name)).map(({ name }) => join(folder, name)))
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
  }
  look(join(workspace, ruleFolder), ruleFile)
  for (const { path } of commandFolders) for (const below of look(join(workspace, path), commandFile)) look(below, commandFile)
  return found
}

/** What tells the content of a file that agents take for instructions; of a link, where it leads. */
export function sealOfFile (path: string, texts: TextCache): string {
  return sealOf(texts.read(path)?.text ?? linkedTo(path))
}

const entriesOf = (folder: string): Dirent[] => tried(() => readdirSync(folder, { withFileTypes: true }), [])

const linkedTo = (path: string): string => tried(() => readlinkSync(path, 'latin1'), '')
