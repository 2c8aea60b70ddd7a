import { createHash } from 'node:crypto'
import { closeSync, constants, lstatSync, openSync, readdirSync, readlinkSync, readSync, type Stats } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { realPath } from '../../containment.js'
import { within } from '../tools/containment.js'
import { potentSettings } from './git-settings.js'
import { isGitFolder, type Folder } from './walk.js'

/** Something in a workspace that makes git run a program, or work somewhere else than it seems to. */
export interface Finding {
  /** Absolute. */
  path: string
  /** In words, after the path: "sets core.fsmonitor = ./x". */
  what: string
  /** Changes with the content. */
  seal: string
}

/** What was seen of git. */
export interface GitView {
  findings: Finding[]
  /** Folders that git could take for repositories, and files called `.git`. */
  repositories: string[]
  /** Files of those folders that are there, and may be put back or removed; `heads` with what they say. */
  present: Set<string>
  heads: Map<string, string>
}

export const sameFinding = ({ path, what, seal }: Finding): string => `${path}\0${what}\0${seal}`

const mostBytes = 256 * 1024
const mostHooks = 500
const mostIncluded = 20
const validHead = /^(?:ref:\s*refs\/\S+|[0-9a-f]{40}|[0-9a-f]{64})\s*$/

/** What makes git act in the folders of a walk; it changes nothing. */
export class GitInspection implements GitView {
  readonly findings: Finding[] = []
  readonly repositories: string[] = []
  readonly present = new Set<string>()
  readonly heads = new Map<string, string>()
  readonly #included = new Set<string>()

  constructor (private readonly workspace: string, folders: readonly Folder[], private readonly texts: TextCache) {
    const gitFolders = new Set(folders.filter(({ path, entries }) => isGitFolder(path, entries)).map(({ path }) => path))
    for (const { path, entries, inGit } of folders) {
      if (entries.unreadable) this.#found(path, 'is a folder that cannot be looked through', '')
      if (inGit) for (const name of entries.links) this.#link(join(path, name))
      for (const name of entries.git) if (!entries.folders.includes(name)) this.#entry(join(path, name), gitFolders)
      if (gitFolders.has(path)) this.#repository(path, entries.gitParts, gitFolders)
    }
  }

  #found (path: string, what: string, content: string): void {
    this.findings.push({ path, what, seal: createHash('sha256').update(content).digest('hex').slice(0, 32) })
  }

  /** Git writes through links, and reads through them. */
  #link (path: string): void {
    try {
      const target = readlinkSync(path)
      this.#found(path, `is a link to ${oneLine(target)}`, `${target}\0${this.texts.read(realPath(path), this.workspace) ?? ''}`)
    } catch {} // gone, or a loop, which leads nowhere
  }

  /** A file or a link called `.git` names a repository elsewhere. One that was looked through itself is as good as what it holds. */
  #entry (path: string, known: ReadonlySet<string>): void {
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return
    this.repositories.push(path)
    if (stats.isSymbolicLink()) {
      if (!known.has(safeRealPath(path))) this.#link(path)
      return
    }
    const text = this.texts.read(path) ?? ''
    const target = /^gitdir: ([^\r\n]+)$/.exec(asNamed(text))?.[1]
    if (target !== undefined && known.has(safeRealPath(resolve(dirname(path), target)))) return
    this.#found(path, `names a repository: ${oneLine(utf8(text))}`, text)
  }

  #repository (path: string, parts: readonly string[], known: ReadonlySet<string>): void {
    this.repositories.push(path)
    // Of a worktree, as git makes it; and what it leads to must have been looked through as a repository of its own.
    const isWorktree = basename(dirname(path)) === 'worktrees' && known.has(dirname(dirname(path)))
    const linked = this.#note(join(path, 'commondir'), (text) => isWorktree && asNamed(text) === '../..' ? null : `takes hooks and settings from ${oneLine(utf8(text))}`)
    const head = this.texts.read(join(path, 'HEAD'))
    if (head !== null && validHead.test(head)) this.heads.set(path, head)
    else if (lstatSync(join(path, 'HEAD'), { throwIfNoEntry: false })?.isSymbolicLink() !== true) this.#found(path, 'is a repository without a valid HEAD, so that git looks for another one', head ?? '')
    if (linked === null && !(parts.includes('objects') && parts.includes('refs'))) this.#found(path, 'is a repository without objects or refs, so that git looks for another one', parts.join())
    this.#hooks(join(path, 'hooks'))
    for (const name of ['config', 'config.worktree']) this.#settings(join(path, name), path)
    this.#note(join(path, 'gitdir'), (text) => within(this.workspace, safeRealPath(resolve(path, asNamed(text)))) ? null : `names a worktree elsewhere: ${oneLine(utf8(text))}`)
    this.#note(join(path, 'info', 'attributes'), () => 'says which filters files go through')
    this.#note(join(path, 'objects', 'info', 'alternates'), (text) => `takes objects from ${oneLine(utf8(text))}`)
    for (const folder of ['rebase-merge', 'rebase-apply']) this.#note(join(path, folder, 'git-rebase-todo'), (text) => /^\s*(?:x|exec)\b/m.test(text) ? 'says what a rebase runs' : null)
  }

  /** A file whose being there counts, unless `judge` finds nothing to it. Its text, or null. */
  #note (path: string, judge: (text: string) => string | null): string | null {
    const text = this.texts.read(path)
    if (text === null) return null
    this.present.add(path)
    const what = judge(text)
    if (what !== null) this.#found(path, what, text)
    return text
  }

  #hooks (folder: string, anyMode = false): void {
    let names: string[]
    try {
      names = readdirSync(folder)
    } catch {
      return
    }
    if (names.length > mostHooks) this.#found(folder, 'holds more files than can be looked through', String(names.length))
    for (const name of names.slice(0, mostHooks).filter((name) => !name.endsWith('.sample'))) {
      const path = join(folder, name)
      const stats = lstatSync(path, { throwIfNoEntry: false })
      if (stats === undefined || stats.isDirectory() || (stats.isFile() && (stats.mode & 0o111) === 0 && !anyMode)) continue
      this.#found(path, 'is run by git', `${stats.mode}\0${this.texts.read(safeRealPath(path), this.workspace) ?? ''}`)
    }
  }

  #settings (path: string, repository: string): void {
    const text = this.texts.read(path)
    if (text === null) return
    this.present.add(path)
    for (const { name, value } of potentSettings(utf8(text))) {
      this.#found(path, `sets ${oneLine(name)}${value === '' ? '' : ` = ${oneLine(value)}`}`, `${name}\0${value}`)
      this.#named(name, value, path, repository)
    }
  }

  /** What a setting names in the workspace counts as well: hooks, programs, settings of a file beside. */
  #named (name: string, value: string, path: string, repository: string): void {
    const workTree = /\.git$/i.test(repository) ? dirname(repository) : repository
    const place = (word: string, base: string): string | null => {
      const real = safeRealPath(resolve(base, word))
      return within(this.workspace, real) && real !== this.workspace ? real : null
    }
    const plainValue = value.replace(/^"(.*)"$/, '$1')
    if (/^include(?:if\..*)?\.path$/.test(name)) {
      const included = place(plainValue, dirname(path))
      if (included === null || this.#included.has(included) || this.#included.size >= mostIncluded) return
      this.#included.add(included)
      return this.#settings(included, repository)
    }
    if (name === 'core.hookspath') {
      const folder = place(plainValue, workTree)
      if (folder === null) return
      this.#hooks(folder)
      // What husky puts there runs the files beside, whatever their mode.
      if (basename(folder) === '_') this.#hooks(dirname(folder), true)
      return
    }
    for (const word of plainValue.split(/[\s"'`;|&()!]+/).filter((part) => part.includes('/'))) {
      const program = place(word, workTree)
      const text = program === null ? null : this.texts.read(program)
      if (program !== null && text !== null) this.#found(program, `is what ${oneLine(name)} names`, text)
    }
  }
}

/** Where a path leads; the path itself when that cannot be told. */
function safeRealPath (path: string): string {
  try {
    return realPath(path)
  } catch {
    return path
  }
}

/** Texts of small files, read again when the file has changed. */
export class TextCache {
  readonly #known = new Map<string, { stamp: string, text: string | null }>()
  static readonly #most = 2_000

  /** The beginning of a regular file; null for anything else, and for what does not lie in `within`. */
  read (path: string, folder?: string): string | null {
    if (folder !== undefined && !within(folder, path)) return null
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined || !stats.isFile()) return null
    const stamp = stampOf(stats)
    const known = this.#known.get(path)
    if (known?.stamp === stamp) return known.text
    const text = readBeginning(path, stats)
    // What has changed a moment ago may change again without a sign.
    if (Math.abs(Date.now() - stats.ctimeMs) > 50) {
      if (this.#known.size >= TextCache.#most) this.#known.clear()
      this.#known.set(path, { stamp, text })
    }
    return text
  }
}

const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string => `${dev}:${ino}:${size}:${mtimeMs}:${ctimeMs}`

/** Byte for character. Of a longer file the time of its last change stands for the rest. */
function readBeginning (path: string, { size, ctimeMs }: Stats): string | null {
  let descriptor: number
  try {
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch {
    return null
  }
  try {
    const buffer = Buffer.alloc(Math.min(size, mostBytes) + 1)
    const text = buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, buffer.length, 0))
    return size > mostBytes ? `${text}\0${size}:${ctimeMs}` : text
  } catch {
    return null
  } finally {
    closeSync(descriptor)
  }
}

const utf8 = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('utf8')
/** A path in a file as git takes it: spaces at its end belong to it. */
const asNamed = (bytes: string): string => utf8(bytes).replace(/[\r\n]+$/, '')

const oneLine = (text: string): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** As a person reads it: the path relative to the workspace, then what it does. */
export const inWords = (workspace: string, { path, what }: Finding): string => `${oneLine(relative(workspace, path) || '.')} ${what}`
