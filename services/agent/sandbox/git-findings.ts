import { randomUUID } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { inEnglish, reason, type Reason } from '../../../reasons/index.js'
import { realPath } from '../../ground/files/containment.js'
import { tried } from '../../ground/tried.js'
import { within } from '../tools/containment.js'
import { type Setting } from './git-config.js'
import { mentionedPaths, potentSettings } from './git-settings.js'
import { sealOf, statsOf, type TextCache } from './texts.js'
import { isGitFolder, type Folder } from './walk.js'

/** Something in a workspace that makes git run a program, or work in another place than it seems to. */
export interface Finding {
  /** Absolute. */
  path: string
  /** A description that follows the path: "sets core.fsmonitor = ./x". */
  what: string
  /** The same as a reason without the path; absent in records of older versions. */
  said?: Reason
  /** Changes with the content. */
  seal: string
  /** Set if it is unknown whether it has changed, so that any command may have changed it. */
  uncertain?: true
}

/** What was found about git in a workspace. */
export interface GitView {
  findings: Finding[]
  /** Folders that git could take for repositories, and files called `.git`. */
  repositories: string[]
  /** Files in those folders that exist and could be restored or removed. `heads`: texts of HEAD, by repository. */
  present: Set<string>
  heads: Map<string, string>
}

/**
 * Identifies a finding, in records too. Its code identifies it, so that it stays the same if its English sentence changes. `what`
 * identifies findings in records of older versions, which have no code.
 */
export function findingId ({ path, what, said, seal }: Finding): string {
  const params = Object.entries(said?.params ?? {}).sort(([one], [other]) => one < other ? -1 : 1)
  return `${path}\0${said === undefined ? what : JSON.stringify([said.code, params])}\0${seal}`
}

const mostHooks = 500
const mostIncluded = 20
/** How many paths that settings may mean are checked in one look. */
const mostMentioned = 20_000
const mostValue = 4_000
/** Files that git itself writes in a repository, which a word in a setting rarely means. */
const gitState = /^(?:[A-Z_]*HEAD|config|index|description|packed-refs|(?:refs|logs|objects|hooks|info)(?:\/.*)?)$/
/** Matches the files with which a program begins, in a folder that a command line names. */
const entryPoint = /^(?:index|main|build|default)\.\w+$|^(?:package\.json|__main__\.py|__init__\.py|(?:gnu)?makefile|justfile|rakefile)$/i
/** Parameters of a reason whose path is filled in later. */
export const here = { path: '' }
const unread = reason('git_unread', here)
const validHead = /^(?:ref:\s*refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/

/** Finds what makes git run programs in the folders of a walk; it changes nothing. */
export class GitInspection implements GitView {
  readonly findings: Finding[] = []
  readonly repositories: string[] = []
  readonly present = new Set<string>()
  readonly heads = new Map<string, string>()
  readonly #included = new Set<string>()
  readonly #watched = new Set<string>()
  #mentioned = 0
  /** Folders with a file called `.git`: work trees of a repository that is elsewhere. */
  readonly #workTrees: readonly string[]

  /** `own`: the user's settings, which apply in every repository; only files that they name are inspected. */
  constructor (
    private readonly workspace: string, folders: readonly Folder[], private readonly texts: TextCache, private readonly home?: string,
    private readonly own: readonly Setting[] = []
  ) {
    const gitFolders = new Set(folders.filter(({ path, entries }) => isGitFolder(path, entries)).map(({ path }) => path))
    this.#workTrees = folders.filter(({ entries }) => entries.git.some((name) => !entries.folders.includes(name))).map(({ path }) => path)
    for (const { path, entries, inGit } of folders) {
      if (entries.unreadable) this.#closed(path)
      if (entries.tooDeep) this.#uncertain(path, reason('git_too_deep', here))
      if (inGit) for (const name of entries.links) this.#link(join(path, name))
      for (const name of entries.git) if (!entries.folders.includes(name)) this.#entry(join(path, name), gitFolders)
      if (gitFolders.has(path)) this.#repository(path, entries.gitParts, gitFolders)
    }
  }

  #found (path: string, said: Reason, content: string): void {
    this.findings.push(findingOf(path, said, sealOf(content)))
  }

  #uncertain (path: string, said: Reason): void {
    this.findings.push({ ...findingOf(path, said, randomUUID()), uncertain: true })
  }

  /** The owner of a folder can open it and close it again, which its time of change reveals. */
  #closed (path: string): void {
    const stats = statsOf(path)
    this.#found(path, reason('git_closed', here), stats !== undefined && stats.uid === process.getuid?.()
      ? String(stats.ctimeMs)
      : '')
  }

  /** Git reads and writes through links. */
  #link (path: string): void {
    try {
      const target = readlinkSync(path)
      this.#found(path, reason('git_link', { ...here, target: oneLine(target) }), `${target}\0${this.#content(realPath(path))}`)
    } catch {} // gone, or a loop, which leads nowhere
  }

  /** Returns the content of a file in the workspace, for a seal. */
  #content (path: string): string {
    return this.texts.read(path, this.workspace)?.text ?? ''
  }

  /** A file or a link called `.git` names a repository elsewhere. If that repository was inspected itself, nothing is found here. */
  #entry (path: string, known: ReadonlySet<string>): void {
    const stats = statsOf(path)
    if (stats === undefined) return
    this.repositories.push(path)
    if (stats.isSymbolicLink()) {
      if (!known.has(safeRealPath(path))) this.#link(path)
      return
    }
    const { text, isWhole } = this.texts.read(path) ?? { text: '', isWhole: true }
    if (!isWhole) return this.#found(path, unread, text)
    const line = withoutLineEnds(utf8(text))
    const target = line.startsWith('gitdir: ') ? line.slice('gitdir: '.length) : ''
    if (target !== '' && known.has(safeRealPath(resolve(dirname(path), target)))) return
    this.#found(path, reason('git_names_repository', { ...here, text: oneLine(utf8(text)) }), text)
  }

  #repository (path: string, parts: readonly string[], known: ReadonlySet<string>): void {
    this.repositories.push(path)
    // A linked worktree as git makes it, whose repository must have been inspected itself.
    const isWorktree = basename(dirname(path)) === 'worktrees' && known.has(dirname(dirname(path)))
    const isLinked = this.#note(join(path, 'commondir'), (text) =>
      isWorktree && withoutLineEnds(text) === '../..' ? null : reason('git_settings_elsewhere', { ...here, text: oneLine(utf8(text)) }))
    const head = this.texts.read(join(path, 'HEAD'))
    if (head?.isWhole === true && validHead.test(head.text)) this.heads.set(path, head.text)
    else if (statsOf(join(path, 'HEAD'))?.isSymbolicLink() !== true) {
      this.#found(
        path, reason('git_head_invalid', here), head?.text ?? ''
      )
    }
    if (!isLinked && !(parts.includes('objects') && parts.includes('refs'))) {
      this.#found(path, reason('git_objects_missing', here), parts.join())
    }
    this.#hooks(join(path, 'hooks'))
    const workTrees = [/\/\.git$/i.test(path) ? dirname(path) : path, path, ...this.#workTrees]
    for (const name of ['config', 'config.worktree']) this.#settings(join(path, name), path, workTrees)
    for (const setting of this.own) this.#named(setting, path, path, workTrees)
    this.#note(join(path, 'gitdir'), (text) => within(this.workspace, safeRealPath(resolve(path, withoutLineEnds(utf8(text)))))
      ? null
      : reason('git_worktree_elsewhere', { ...here, text: oneLine(utf8(text)) }))
    this.#note(join(path, 'info', 'attributes'), () => reason('git_attributes', here))
    this.#note(join(path, 'objects', 'info', 'alternates'), (text) => reason('git_objects_elsewhere', { ...here, text: oneLine(utf8(text)) }))
    for (const file of ['info/grafts', 'shallow']) this.#note(join(path, file), () => reason('git_history', here))
    for (const folder of ['remotes', 'branches']) {
      this.#below(join(path, folder), (file) => this.#note(file, (text) => reason('git_pushes_to', { ...here, text: oneLine(utf8(text)) })))
    }
    for (const folder of [
      'rebase-merge', 'rebase-apply'
    ]) this.#note(join(path, folder, 'git-rebase-todo'), (text) => /^[ \t]*(?:x|exec)\b/m.test(text) ? reason('git_rebase_runs', here) : null)
  }

  /** Adds a finding for a file, unless `judge` returns null. Returns whether the file exists. */
  #note (path: string, judge: (text: string) => Reason | null): boolean {
    const read = this.texts.read(path)
    if (read === null) return false
    this.present.add(path)
    const what = read.isWhole ? judge(read.text) : unread
    if (what !== null) this.#found(path, what, read.text)
    return true
  }

  /** Finds hooks, and the files next to them, which hooks may run, whatever their mode. */
  #hooks (folder: string): void {
    this.#below(folder, (path) => {
      const isHook = dirname(path) === folder
      const stats = statsOf(path)
      if (stats === undefined || (isHook && path.endsWith('.sample'))) return
      const runs = isHook && (stats.isSymbolicLink() || (stats.mode & 0o111) !== 0)
      this.#found(path, reason(runs ? 'git_hook' : 'git_hook_beside', here), `${stats.mode}\0${this.#content(safeRealPath(path))}`)
    })
  }

  /** Calls `look` for everything below a folder that is not a folder, up to a limit. */
  #below (folder: string, look: (path: string) => void): void {
    const pending = [folder]
    let left = mostHooks
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      for (const { name, isFolder } of listed(next)) {
        if (left-- === 0) return this.#uncertain(folder, reason('git_too_many_files', here))
        if (isFolder) pending.push(...name.toLowerCase() === '.git' ? [] : [join(next, name)])
        else look(join(next, name))
      }
    }
  }

  #settings (path: string, repository: string, workTrees: readonly string[]): void {
    const read = this.texts.read(safeRealPath(path), this.workspace)
    if (read === null) return
    this.present.add(path)
    // The files that it names are unknown too.
    if (!read.isWhole) return this.#uncertain(path, unread)
    const settings = potentSettings(utf8(read.text))
    const places = [...workTrees, ...settings.filter(({ name }) => name === 'core.worktree').map(({ value }) => resolve(repository, value))]
    for (const setting of settings) {
      const { name, value } = setting
      this.#found(path, value === '' ? reason('git_sets', { ...here, name: oneLine(name) }) : reason('git_sets_to', { ...here, name: oneLine(name), value: oneLine(value) }), `${name}\0${value}`)
      this.#named(setting, path, repository, places)
    }
  }

  /** Finds what a setting names in the workspace: hooks, programs, and settings in other files. */
  #named (setting: Setting, path: string, repository: string, workTrees: readonly string[]): void {
    const { name } = setting
    if (/^include(?:if\.[^]*)?\.path$/.test(name)) return this.#include(setting, path, repository, workTrees)
    this.#mentioned += setting.value.length / 16
    for (const word of setting.value.length > mostValue ? [] : mentionedPaths(setting, this.home)) {
      if ((this.#mentioned += workTrees.length) > mostMentioned) break
      for (const workTree of new Set(
        workTrees
      )) if (!(workTree === repository && gitState.test(word))) this.#program(resolve(workTree, word), name)
    }
    if (setting.value.length > mostValue || this.#mentioned > mostMentioned) this.#uncertain(path, reason('git_names_too_many', here))
    if (name === 'core.hookspath') {
      for (const workTree of new Set(workTrees)) this.#hooksPath(resolve(workTree, atHome(setting.value, this.home)))
    }
  }

  #include ({ value }: Setting, path: string, repository: string, workTrees: readonly string[]): void {
    const included = safeRealPath(resolve(dirname(path), atHome(value, this.home)))
    const key = `${repository}\0${included}`
    if (!within(this.workspace, included) || this.#included.has(key)) return
    if (this.#included.size >= mostIncluded) return this.#uncertain(included, reason('git_includes_too_many', here))
    this.#included.add(key)
    this.#settings(included, repository, workTrees)
  }

  #hooksPath (named: string): void {
    const folder = safeRealPath(named)
    if (within(this.workspace, named) && folder !== named) this.#found(named, reason('git_hooks_elsewhere', { ...here, folder: oneLine(folder) }), folder)
    if (!within(this.workspace, folder) || this.#watched.has(folder)) return
    this.#watched.add(folder)
    this.#hooks(folder)
    // Files of husky in this folder run those in the folder above.
    if (basename(folder) === '_' && dirname(folder) !== this.workspace) this.#hooks(dirname(folder))
  }

  #program (named: string, setting: string): void {
    const stats = statsOf(named)
    const program = stats === undefined ? named : safeRealPath(named)
    if (stats === undefined || !(within(this.workspace, named) || within(this.workspace, program)) ||
      this.#watched.has(`${setting}\0${named}`)) return
    this.#watched.add(`${setting}\0${named}`)
    const what = reason('git_named_by', { ...here, setting: oneLine(setting) })
    if (program !== named && within(this.workspace, named)) this.#found(named, what, program)
    const real = statsOf(program)
    if (real?.isFile() === true && within(this.workspace, program)) return this.#found(program, what, this.#content(program))
    if (real?.isDirectory() !== true || program === this.workspace || /\/\.git(?:\/|$)/i.test(program)) return
    for (const { name, isFolder } of listed(program)) if (!isFolder && entryPoint.test(name)) this.#program(join(program, name), setting)
  }
}

/** Returns the settings of the machine and of the user's home, with the files they include. No confined command can write those. */
export function ownSettings (home: string, texts: TextCache): Setting[] {
  const found: Setting[] = []
  const pending = ['/etc/gitconfig', join(home, '.config', 'git', 'config'), join(home, '.gitconfig')]
  for (let seen = 0, path = pending.pop(); path !== undefined && seen < mostIncluded; seen++, path = pending.pop()) {
    const settings = potentSettings(utf8(texts.read(safeRealPath(path))?.text ?? ''))
    for (const setting of settings) {
      if (/^include(?:if\.[^]*)?\.path$/.test(setting.name)) pending.push(resolve(dirname(path), atHome(setting.value, home)))
      // A relative path would otherwise mean a file of the workspace.
      found.push({ ...setting, value: /^include/.test(setting.name) ? resolve(dirname(path), atHome(setting.value, home)) : setting.value })
    }
  }
  return found
}

/** Removes line ends at the end, as git does in files of one line. A regular expression would be slow for a file of many line ends. */
function withoutLineEnds (text: string): string {
  let end = text.length
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return text.slice(0, end)
}

/** Expands `~` in a path as git does. */
const atHome = (path: string, home: string | undefined): string =>
  home !== undefined && /^~(?:\/|$)/.test(path) ? join(home, path.slice(1)) : path

const listed = (folder: string): Array<{ name: string, isFolder: boolean }> =>
  tried(() => readdirSync(folder, { withFileTypes: true }).map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() })), [])

/** Returns the real path; the path itself if it cannot be resolved. */
const safeRealPath = (path: string): string => tried(() => realPath(path), path)

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')

/** Puts a text on one line. It keeps as much as git may run, so that a person can read all of it. */
const oneLine = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > mostValue ? `${line.slice(0, mostValue)}… (${line.length - mostValue} more characters)` : line
}

/** Makes a finding from a reason without a path, which is filled in when a person is told. */
export const findingOf = (path: string, said: Reason, seal: string): Finding =>
  ({ path, what: inEnglish(said).trimStart(), said, seal })

/** Returns a finding as a person reads it: the path relative to the workspace, then what it does. */
export function saidOf (workspace: string, { path, what, said }: Finding): Reason {
  const shown = oneLine(relative(workspace, path) || '.')
  return said === undefined ? reason('git_found', { path: shown, what }) : { ...said, params: { ...said.params, path: shown } }
}
