import { constants, closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { randomBytes } from 'node:crypto'
import { codeOf, ignoring, systemFailure, Unavailable } from '../errors.js'

/** More than anyone writes by hand. A longer file is a mistake, and would be parsed at each change. */
export const longestHomeFile = 1024 * 1024

/**
 * The text of a file, or why it cannot be read, as the end of a sentence. With `passing`, the problem is temporary and nothing should be
 * concluded from it.
 */
export type HomeFile = { text: string } | { problem: string, passing?: Unavailable }

/**
 * Reads a file of a profile's home that a person edits; undefined if it does not exist. Reads only regular files, so that a pipe in the
 * place of a file does not block. Never throws.
 */
export function readHomeFile (path: string): HomeFile | undefined {
  let file: number
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : unreadable(error)
  }
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) return { problem: 'is not a file' }
    if (stats.size > longestHomeFile) return { problem: `is longer than ${longestHomeFile} bytes` }
    return { text: readFileSync(file, 'utf8') }
  } catch (error) {
    return unreadable(error)
  } finally {
    closeSync(file)
  }
}

function unreadable (error: unknown): HomeFile {
  const failure = systemFailure(error)
  return { problem: 'cannot be read', ...(failure instanceof Unavailable ? { passing: failure } : {}) }
}

export const isPassing = (found: HomeFile | undefined): boolean => found !== undefined && 'problem' in found && found.passing !== undefined

/** Returns a text that changes whenever the file is written or replaced; `-` if it does not exist. Never throws. */
export function fileVersion (path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}:${stats.ino}`
  } catch (error) {
    // Symlinks that lead in a circle, or a folder that may not be entered.
    return String(codeOf(error))
  }
}

/** Returns the name of the file of which `replaceFile` was writing this one, perhaps in a process that was killed; null for any other. */
export const unfinishedOf = (name: string): string | null => /^\.(.+)\.[0-9a-f]{12}\.tmp$/.exec(name)?.[1] ?? null

export interface ReplaceOptions {
  /** Permissions of the new file. Default: those of the old one, or 0600 if it does not exist. */
  mode?: number
  /** The home of the file: missing folders below it are created, but never the home itself. Default: the file's folder must exist. */
  home?: string
  /** Called right before the new file replaces the old one. If it returns false, nothing is changed. */
  isStillWanted?: () => boolean
}

/**
 * Creates the folders between a home and one of its files, accessible only to their owner. Rejects if the home does not exist: it was
 * deleted, and must not be created again.
 */
export async function makeHomeFolders (home: string, folder: string): Promise<void> {
  let at = home
  for (const name of relative(home, folder).split(sep)) {
    if (name === '') continue
    at = join(at, name)
    await mkdir(at, { mode: 0o700 }).catch(ignoring('EEXIST'))
  }
}

/**
 * Replaces the content of a file, which is on the disk when this resolves: after a crash the file is the old or the new one as a whole. A
 * symlink stays, and its target is replaced. Resolves with false if `isStillWanted` returned false. Also removes temporary files of this
 * file that an earlier process left, because they may hold a key that has been removed since.
 */
export async function replaceFile (
  path: string, text: string, { mode, home, isStillWanted = () => true }: ReplaceOptions = {}
): Promise<boolean> {
  if (home !== undefined) await makeHomeFolders(home, dirname(path))
  const target = await realpath(path).catch(() => path)
  const permissions = mode ?? await stat(target).then((stats) => stats.mode & 0o777, () => 0o600)
  const temporary = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    const file = await open(temporary, 'wx', permissions)
    try {
      await file.chmod(permissions)
      await file.writeFile(text)
      await file.sync()
    } finally {
      await file.close()
    }
    if (!isStillWanted()) {
      await rm(temporary, { force: true })
      return false
    }
    // Synchronous, so that no other change comes between the question and this.
    renameSync(temporary, target)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  const folder = await open(dirname(target), 'r')
  await folder.sync().finally(() => folder.close())
  await removeUnfinished(target)
  return true
}

async function removeUnfinished (target: string): Promise<void> {
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    if (unfinishedOf(name) !== basename(target)) continue
    const path = join(dirname(target), name)
    const stats = await lstat(path).catch(() => null)
    if (stats?.isFile() === true && stats.mtimeMs < performance.timeOrigin) await rm(path, { force: true }).catch(() => {})
  }
}
