import git, { type PromiseFsClient } from 'isomorphic-git'
import nodeFs from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { dirname, isAbsolute, join, posix, relative, resolve } from 'node:path'
import { within } from '../../../ground/files/containment.js'
import { readRegularFile, readRegularText, writeRegularFile } from '../../../ground/files/regular-file.js'
import { Forbidden, Invalid } from '../../../ground/errors.js'
import { notARepository } from '../errors.js'
import { readIndex, type IndexFile } from './index-file.js'
import { needsGit } from './limits.js'

/** A repository that the embedded engine supports, opened for a single operation. */
export interface PlainRepository {
  fs: PromiseFsClient
  /** Top of the work tree. This name and the next two are isomorphic-git's. */
  dir: string
  gitdir: string
  cache: object
  /** Path of the folder in the work tree, with `/` at its end; empty at the top. */
  prefix: string
  folder: string
  closed: readonly string[]
  index: IndexFile
  config: ReadonlyMap<string, string>
  /** Name of the branch that is checked out, null when HEAD is detached. */
  branch: string | null
  /** Null on an unborn branch. */
  head: string | null
}

/** The file system as isomorphic-git sees it: a pipe or device in place of a file cannot be read or written, and does not block. */
export const regularFiles: PromiseFsClient['promises'] = {
  ...nodeFs.promises, readFile: readRegularFile, writeFile: writeRegularFile
}

/**
 * Opens the repository of a folder (absolute, free of symlinks). Throws Invalid (`not_a_repo`), and Unavailable (`missing_git`) for every
 * kind that the embedded engine would show wrongly or damage: linked work trees, submodules, sparse checkouts, other formats of objects,
 * references or the index.
 */
export async function openPlain (folder: string, closed: readonly string[]): Promise<PlainRepository> {
  const dir = await topOf(folder)
  const gitdir = join(dir, '.git')
  const isFolder = (await lstat(gitdir)).isDirectory()
  // A repository that does not point back to this folder belongs to another work tree.
  if (!isFolder) throw await isLinked(gitdir) ? needsGit('linked work trees and submodules') : notARepository()
  const present = await readdir(gitdir)
  if (!['HEAD', 'objects', 'refs'].every((name) => present.includes(name))) throw notARepository()
  const config = parseConfig(await readRegularText(join(gitdir, 'config')).catch(() => ''))
  refuseSpecial(config)
  if (present.includes('commondir') || present.includes('reftable')) throw needsGit('repositories of this kind')
  if ((await lstat(join(dir, '.gitmodules')).catch(() => null)) !== null) throw needsGit('submodules')
  const place = relative(dir, folder)
  if (place.split('/').includes('.git')) throw notARepository()
  const common = { fs: { promises: regularFiles }, dir, gitdir, cache: {} }
  const branch = await git.currentBranch({ ...common, fullname: false }) ?? null
  const head = await git.resolveRef({ ...common, ref: 'HEAD' }).catch(() => null)
  return { ...common, folder, prefix: place === '' ? '' : `${place}/`, closed, index: await readIndex(gitdir), config, branch, head }
}

async function topOf (folder: string): Promise<string> {
  if (await realpath(folder).catch(() => null) !== folder) throw notARepository()
  for (let place = folder; ; place = dirname(place)) {
    if (await lstat(join(place, '.git')).then(() => true, () => false)) return place
    if (place === dirname(place)) throw notARepository()
  }
}

async function isLinked (link: string): Promise<boolean> {
  const target = /^gitdir: (.*?)\n?$/.exec(await readRegularText(link).catch(() => ''))?.[1]
  if (target === undefined) return false
  const place = resolve(dirname(link), target)
  const back = await readRegularText(join(place, 'gitdir')).catch(() => null)
  if (back !== null) return resolve(place, back.trim()) === link
  return parseConfig(await readRegularText(join(place, 'config')).catch(() => '')).has('core.worktree')
}

function refuseSpecial (config: ReadonlyMap<string, string>): void {
  for (const [key, value] of config) {
    const isOn = !/^(?:false|no|off|0|)$/i.test(value)
    if (key.startsWith('extensions.') && !/^extensions\.(?:noop|preciousobjects)$/.test(key)) throw needsGit('repositories with extensions')
    if ((key === 'core.sparsecheckout' || key === 'index.sparse' || key === 'core.splitindex') && isOn) throw needsGit('sparse checkouts')
    if (key === 'core.worktree') throw needsGit('work trees that lie elsewhere')
    if (key === 'core.bare' && isOn) throw notARepository()
    if (key.startsWith('include')) throw needsGit('settings that include others')
  }
}

/** Parses settings into `section.name` or `section.sub.name`, with section and name in lower case. The last value of each counts. */
export function parseConfig (text: string): Map<string, string> {
  const settings = new Map<string, string>()
  let section = ''
  for (const line of text.replaceAll(/\\\r?\n/g, '').split(/\r?\n/)) {
    const heading = /^\s*\[\s*([\w.-]+)\s*(?:"((?:[^"\\]|\\.)*)"\s*)?\]\s*(?!\s)(.*)$/.exec(line)
    const [, name = '', part, rest = line] = heading ?? []
    if (heading !== null) section = name.toLowerCase() + (part === undefined ? '' : `.${part.replaceAll(/\\(.)/g, '$1')}`)
    const [, key, value = 'true'] = /^\s*([A-Za-z][\w-]*)\s*(?:=\s*(?!\s)(.*))?$/.exec(rest) ?? []
    if (key !== undefined && section !== '') settings.set(`${section}.${key.toLowerCase()}`, unquoted(value))
  }
  return settings
}

function unquoted (value: string): string {
  const quoted = /^"((?:[^"\\]|\\.)*)"\s*(?:[#;].*)?$/.exec(value)?.[1]
  return quoted === undefined ? value.replace(/\s*[#;].*$/, '').trim() : quoted.replaceAll(/\\(.)/g, '$1')
}

/**
 * Converts a client's path, which is absolute or relative to the folder, into one relative to the work tree. Throws Invalid
 * (`path_outside_workspace`) and Forbidden.
 */
export async function treePath ({ folder, prefix, dir, closed }: PlainRepository, path: string): Promise<string> {
  if (path === '' || path.includes('\0')) throw new Invalid('This is not a path')
  const plain = posix.normalize(isAbsolute(path) ? relative(folder, path) || '.' : path).replace(/\/+$/, '')
  if (plain === '..' || plain.startsWith('../') || isAbsolute(plain)) {
    throw new Invalid('The path is not in the workspace', 'path_outside_workspace')
  }
  const parts = plain.split('/')
  if (parts.some((part) => part.toLowerCase() === '.git')) throw new Invalid('The path belongs to git', 'path_outside_workspace')
  for (let end = 1; end < parts.length; end++) {
    const parent = await lstat(join(folder, ...parts.slice(0, end))).catch(() => null)
    if (parent?.isSymbolicLink() === true) throw new Invalid('The path leads through a symbolic link', 'path_outside_workspace')
  }
  const file = plain === '.' ? prefix.slice(0, -1) : prefix + plain
  if (closed.some((place) => within(place, join(dir, file)))) throw new Forbidden('This belongs to the service itself')
  return file
}

/** Whether a file of the work tree is in the folder and does not belong to the service itself. */
export function isShown ({ prefix, dir, closed }: PlainRepository, file: string): boolean {
  return file.startsWith(prefix) && !closed.some((place) => within(place, join(dir, file)))
}
