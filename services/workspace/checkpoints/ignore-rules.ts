import { constants } from 'node:fs'
import { lstat, open, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { within } from '../../ground/files/containment.js'
import { type Plumbing } from './plumbing.js'

/** A unit with ignore rules of its own: a repository of the user's, or the workspace if it is in none. */
export interface Domain {
  /** Absolute, free of symlinks. */
  top: string
  /** Path in the domain of the part that belongs to the snapshot: '' or a path with `/` at its end. */
  prefix: string
  /** Path of that part in the workspace: '' or a path without `/` at its end. */
  at: string
}

/** Larger files with rules are ignored. */
const maxRuleBytes = 1024 * 1024
const maxPointerBytes = 4_096

/** Returns the domain that contains a workspace: the surrounding repository, whose rules apply in it too. */
export async function domainAround (workspace: string): Promise<Domain> {
  for (let top = workspace; ; top = dirname(top)) {
    if (await isRepository(top)) return { top, prefix: top === workspace ? '' : `${relative(top, workspace)}/`, at: '' }
    if (top === '/') return { top: workspace, prefix: '', at: '' }
  }
}

/** Returns the user's rules for all repositories, as text. */
export async function globalRules ({ git, userHome, userConfig }: Plumbing, gitDir: string, signal: AbortSignal): Promise<string> {
  const places = [join(userHome, '.gitconfig'), join(userConfig ?? join(userHome, '.config'), 'git', 'config')]
  if ((await Promise.all(places.map(isSpecial))).includes(true)) return ''
  const { stdout, exitCode } = await git({
    gitDir, args: ['config', '--includes', '--type=path', '--get', 'core.excludesFile'], signal, asUser: true, exitCodes: [0, 1, 128]
  })
  const named = exitCode === 0 ? stdout.toString().replace(/\n$/, '') : ''
  return await readRules(isAbsolute(named) ? named : join(userConfig ?? join(userHome, '.config'), 'git', 'ignore'))
}

/** Returns a repository's rules from `info/exclude`, which are in none of its folders. */
export async function repositoryRules (top: string): Promise<string> {
  const gitDir = (await gitFoldersOf(top))?.common ?? null
  return gitDir === null ? '' : await readRules(join(gitDir, 'info', 'exclude'))
}

/** Returns patterns that exclude places (absolute) from a walk through a domain, whatever its rules say. */
export function patternsFor (top: string, places: readonly string[]): string[] {
  return places.filter((place) => place !== top && within(top, place)).map((place) =>
    `/${relative(top, place).replace(/[\\*?[\]!# ]/g, '\\$&')}`)
}

export async function isRepository (folder: string): Promise<boolean> {
  const entry = await lstat(join(folder, '.git')).catch(() => null)
  if (entry?.isFile() === true) return true
  return entry?.isDirectory() === true && await lstat(join(folder, '.git', 'HEAD')).then(() => true, () => false)
}

/** Whether a path is neither a file nor a folder but, for example, a pipe: opening it may block for ever. */
export async function isSpecial (path: string): Promise<boolean> {
  const entry = await stat(path).catch(() => null)
  return entry !== null && !entry.isFile() && !entry.isDirectory()
}

/** Returns the git folder of a work tree, and the one that all work trees of its repository share; null if there is none. */
export async function gitFoldersOf (top: string): Promise<{ own: string, common: string } | null> {
  const link = join(top, '.git')
  const entry = await lstat(link).catch(() => null)
  if (entry === null) return null
  if (entry.isDirectory()) return { own: link, common: link }
  const target = /^gitdir: ([^]*[^\n])\n*$/.exec(await readRules(link, maxPointerBytes))?.[1]
  if (target === undefined) return null
  const own = resolve(top, target)
  const common = (await readRules(join(own, 'commondir'), maxPointerBytes)).trim()
  return { own, common: common === '' ? own : resolve(own, common) }
}

/** Reads a file. Returns an empty string for anything but a file of a reasonable size. */
async function readRules (path: string, maxBytes = maxRuleBytes): Promise<string> {
  if (await isSpecial(path)) return ''
  // Without O_NONBLOCK, opening a FIFO that has just been created would block for ever.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return ''
  try {
    const stats = await handle.stat()
    return stats.isFile() && stats.size <= maxBytes ? await handle.readFile('latin1') : ''
  } catch {
    return ''
  } finally {
    await handle.close()
  }
}
