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

/** The parts of a folder that git would run or agents would follow. */
export interface View extends GitView {
  instructions: Record<string, string>
  rules: string | null
  /** Folders below which not everything was inspected. */
  unseen: readonly string[]
  sockets: readonly string[]
}

export interface ViewsOptions {
  /** Folders that commands cannot write, wherever they are: they are not inspected. */
  closed: readonly string[]
  /** The user's home; its hidden entries are not inspected either. */
  userHome?: string
  mostFolders?: number
}

/** Inspects folders; files that have not changed are not read again. */
export class Views {
  readonly #walk = createWalker()
  readonly #texts = new TextCache()
  readonly #closed: ReadonlySet<string>

  constructor (private readonly options: ViewsOptions) {
    this.#closed = new Set(options.closed)
  }

  /** Never rejects: a folder that cannot be inspected is a finding too. */
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

  /** Returns the seal of each file that agents follow as instructions; for a link, the seal of its target's path. */
  #seals (paths: readonly string[]): Record<string, string> {
    return Object.fromEntries(paths.map((path) => [path, sealOfFile(path, this.#texts)]))
  }

  /** Returns whether a file exists that a person may run as a slash command. */
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

/** Returns the rules and slash commands of a workspace itself, which are inspected even if the rest cannot be. */
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

/** Returns the seal of a file that agents follow as instructions; for a link, the seal of its target's path. */
export function sealOfFile (path: string, texts: TextCache): string {
  return sealOf(texts.read(path)?.text ?? linkedTo(path))
}

const entriesOf = (folder: string): Dirent[] => tried(() => readdirSync(folder, { withFileTypes: true }), [])

const linkedTo = (path: string): string => tried(() => readlinkSync(path, 'latin1'), '')
