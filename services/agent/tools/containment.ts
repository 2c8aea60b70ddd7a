import { constants } from 'node:fs'
import { type FileHandle, lstat, open } from 'node:fs/promises'
import { basename, dirname, isAbsolute } from 'node:path'
import * as paths from '../../ground/files/containment.js'
import { codeOf } from '../../ground/errors.js'

export { within } from '../../ground/files/containment.js'

/** A failure whose message is written for the model: what went wrong and what to do instead. */
export class ToolError extends Error {
  override name = 'ToolError'
}

/** Like `realPath` of services/ground/files/containment.ts, but throws ToolError for a loop of links. */
export function realPath (path: string): string {
  try {
    return paths.realPath(path)
  } catch (error) {
    if (error instanceof paths.LinkLoop) throw new ToolError(`${error.message}; use another path.`)
    throw error
  }
}

export interface Containment {
  workspace: string
  approved: boolean
  /** Folders outside the workspace that may still be read. */
  readable?: readonly string[]
}

/**
 * Returns the real path for a path from the model (relative to the workspace). Throws ToolError when it is malformed, or lies outside the
 * workspace and the readable folders without the user's approval.
 */
export function resolveInside ({ workspace, approved, readable = [] }: Containment, path: string): string {
  if (path === '') throw new ToolError('The path is empty. Use "." for the workspace itself.')
  if (path.includes('\0')) throw new ToolError('The path contains a NUL byte. Remove it.')
  if (path === '~' || path.startsWith('~/')) {
    throw new ToolError('"~" is not expanded here. Use a path relative to the workspace, or an absolute one.')
  }
  const real = realPath(isAbsolute(path) ? path : `${workspace}/${path}`)
  if (!approved && ![workspace, ...readable].some((folder) => paths.within(folder, real))) throw outside(path)
  return real
}

const outside = (path: string) => new ToolError(
  `${path} is outside the workspace and the user has not approved that. Use a path inside the workspace.`
)

/** Returns a path as it is shown to the model: relative in the workspace, absolute elsewhere. */
export function shownPath (workspace: string, real: string): string {
  if (real === workspace) return '.'
  return paths.within(workspace, real) ? real.slice(workspace === '/' ? 1 : workspace.length + 1) : real
}

/**
 * Opens a regular file for reading. Checks the opened file, and not the path a moment before, so that it notices a folder that was swapped
 * for a symlink in between. The caller closes the handle.
 */
export async function openForReading (containment: Containment, path: string): Promise<{ handle: FileHandle, real: string }> {
  const real = resolveInside(containment, path)
  refuseSpecial(await lstat(real).catch(explain(path)), path)
  // Without O_NONBLOCK, a FIFO that takes the file's place right now would block the open for ever.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const handle = await open(real, flags).catch(explain(path))
  try {
    refuseSpecial(await handle.stat(), path)
    await checkDescriptor(containment, [containment.workspace, ...containment.readable ?? []], handle, real, path)
    return { handle, real }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/**
 * Opens the folder that contains `real`, and runs `work` with a base path that keeps meaning exactly this folder, even if another program
 * renames it or replaces it by a symlink meanwhile.
 */
export async function inFolder<T> (
  containment: Containment, real: string, path: string, work: (base: string) => Promise<T>
): Promise<T> {
  const folder = dirname(real)
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(explain(path))
  try {
    await checkDescriptor(containment, [containment.workspace], handle, folder, path)
    return await work(await paths.pathOfOpened(handle, folder))
  } finally {
    await handle.close()
  }
}

async function checkDescriptor (
  { approved }: Containment, folders: string[], handle: FileHandle, real: string, path: string
): Promise<void> {
  if (approved) return
  for (const folder of folders) if (await paths.isOpenedWithin(folder, handle, real).catch(explain(path))) return
  throw outside(path)
}

interface Kind { isFile (): boolean, isDirectory (): boolean, isFIFO (): boolean, isSocket (): boolean }

/** Throws ToolError unless `found` is a regular file. */
export function refuseSpecial (found: Kind, path: string): void {
  if (found.isFile()) return
  if (found.isDirectory()) throw new ToolError(`${path} is a folder. Use list_files to see what is in it.`)
  const kind = found.isFIFO() ? 'a named pipe' : found.isSocket() ? 'a socket' : 'a device or another special file'
  throw new ToolError(`${path} is ${kind}, not a regular file, and cannot be used here.`)
}

/** Returns a `catch` handler that tells the model in its own terms what a system error means for `path`. */
export function explain (path: string): (error: unknown) => never {
  return (error) => {
    const code = codeOf(error) ?? ''
    const meanings: Record<string, string> = {
      ENOENT: `${path} does not exist. Use list_files or search_files to find the right path.`,
      EACCES: `${path}: permission denied.`,
      EPERM: `${path}: operation not permitted.`,
      ENOTDIR: `${path}: a part of this path is a file, not a folder.`,
      EISDIR: `${path} is a folder. Use list_files to see what is in it.`,
      ELOOP: `${path} became a symbolic link while it was being opened. Try again.`,
      ENAMETOOLONG: `${basename(path).slice(0, 60)}…: the name is too long for the file system.`,
      ENOSPC: `${path} could not be written: the disk is full.`,
      EROFS: `${path} could not be written: the file system is read-only.`
    }
    const meaning = meanings[code]
    throw meaning === undefined ? error : new ToolError(meaning)
  }
}
