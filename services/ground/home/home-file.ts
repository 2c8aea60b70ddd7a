import { constants, closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { lstat, mkdir, open, readdir, realpath, rm, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { randomBytes } from 'node:crypto'
import { codeOf, systemFailure, Unavailable } from '../errors.js'

/** More than anybody writes by hand; what is longer is a mistake, and would be parsed with each change. */
export const longestHomeFile = 1024 * 1024

/**
 * The text of a file, or why it cannot be read, as the end of a sentence; `passing`: it can be in a
 * moment, so that nothing is to follow from it.
 */
export type HomeFile = { text: string } | { problem: string, passing?: Unavailable }

/**
 * A file of a profile's home that a person edits; undefined when there is none. Only regular files are read, so that a pipe in the place of
 * a file holds nobody up. Never throws.
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

/** Changes whenever the file is written or replaced; `-` while there is none. Never throws. */
export function fileVersion (path: string): string {
  try {
    const stats = statSync(path, { throwIfNoEntry: false })
    return stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}:${stats.ino}`
  } catch (error) {
    // Links that lead in a circle, a folder that may not be entered.
    return String(codeOf(error))
  }
}

/** The end of a name, after that of the file. */
const unfinished = /^[0-9a-f]{12}\.tmp$/

export interface ReplaceOptions {
  /** Permissions of the file afterwards; those of the old one, else 0600, unless told. */
  mode?: number
  /** The home of the file: folders from there on are made, the home itself never. Default: the file's folder has to be there. */
  home?: string
  /** Asked right before the new file takes the old one's place; false leaves everything as it is. */
  isStillWanted?: () => boolean
}

/**
 * Makes the folders between a home and one of its files, for their owner alone. Rejects when the home is not there: it was
 * deleted, and must not come back by this.
 */
export async function makeFolders (home: string, folder: string): Promise<void> {
  let at = home
  for (const name of relative(home, folder).split(sep)) {
    if (name === '') continue
    at = join(at, name)
    await mkdir(at, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => { if (error.code !== 'EEXIST') throw error })
  }
}

/**
 * Puts a text in the place of a file, on disk when it resolves: after a crash it is the old one or the new one as a
 * whole. A link stays a link: what it points to is replaced. Resolves with false when it was not wanted any more. What an
 * earlier process has left of a write of this file goes: it may hold a key that was taken away since.
 */
export async function replaceFile (
  path: string, text: string, { mode, home, isStillWanted = () => true }: ReplaceOptions = {}
): Promise<boolean> {
  if (home !== undefined) await makeFolders(home, dirname(path))
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
    // At once, so that nobody writes between the question and this.
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
  const beginning = `.${basename(target)}.`
  for (const name of await readdir(dirname(target)).catch(() => [])) {
    if (!name.startsWith(beginning) || !unfinished.test(name.slice(beginning.length))) continue
    const path = join(dirname(target), name)
    const stats = await lstat(path).catch(() => null)
    if (stats?.isFile() === true && stats.mtimeMs < performance.timeOrigin) await rm(path, { force: true }).catch(() => {})
  }
}
