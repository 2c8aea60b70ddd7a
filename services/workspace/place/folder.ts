import { access, constants, realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { LinkLoop, realPath, within } from '../../ground/files/containment.js'
import { makeFolders } from '../../ground/files/make-folders.js'
import { codeOf, Invalid } from '../../ground/errors.js'
import { UnusableWorkspace } from './unusable.js'

/** Folders that never contain a person's work. */
const systemFolders = [
  '/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr/bin', '/usr/lib', '/usr/sbin', '/usr/share'
]
/** Folders that cannot be workspaces themselves, but may contain some. */
const systemRoots = new Set(['/', '/usr', '/var', '/home', '/tmp'])

/** Reasons why a folder cannot be created, by the file system's error code. */
const hindrances: ReadonlyArray<readonly [codes: RegExp, reason: string]> = [
  [/^(EACCES|EPERM)$/, 'The user of the service may not create it'],
  [/^EROFS$/, 'Its file system is read-only'],
  [/^ENOENT$/, 'Its path has a link that leads nowhere, or the system creates no folders there'],
  [/^(EEXIST|ENOTDIR)$/, 'There is a file where a folder should be'],
  [/^ELOOP$/, 'Its path has a symbolic link that leads to itself'],
  [/^(ENOSPC|EDQUOT)$/, 'Its disk is full']
]

/**
 * Returns the real path of a folder that may be a workspace. Throws Invalid for anything else: a relative path, a file,
 * something missing or unreadable, system folders, and everything in `reserved`.
 */
export async function workspaceFolder (path: string, reserved: string[] = []): Promise<string> {
  refuseMalformed(path)
  let real: string
  try {
    real = await realpath(path)
    if (!(await stat(real)).isDirectory()) throw new Error('not a folder')
    await access(real, constants.R_OK | constants.X_OK)
  } catch {
    throw new Invalid('The workspace is not a folder that the service can open')
  }
  refusePlace(real, reserved)
  return real
}

/** Creates a folder that may be a workspace, with the folders above it, and returns its real path. Throws Invalid. */
export async function makeWorkspaceFolder (path: string, reserved: string[] = []): Promise<string> {
  refuseMalformed(path)
  refusePlace(destination(path), reserved)
  try {
    await makeFolders(path)
  } catch {
    throw new Invalid('The service cannot create the workspace folder')
  }
  return await workspaceFolder(path, reserved)
}

/** Creates the default workspace on first use and returns its real path. Throws UnusableWorkspace if the operator must choose another. */
export async function ensureWorkspace (path: string, reserved: string[]): Promise<string> {
  try {
    await makeFolders(path)
    return await workspaceFolder(path, reserved)
  } catch (error) {
    const reason = error instanceof Invalid ? error.message : hindrances.find(([codes]) => codes.test(codeOf(error) ?? ''))?.[1]
    if (reason === undefined) throw error
    throw new UnusableWorkspace(
      `${path} cannot be the default workspace. ${reason}. Choose another folder: SVC_WEBUI_DEFAULT_WORKSPACE=/home/you/workspace`, { cause: error }
    )
  }
}

/** Whether a path (absolute, free of symlinks) is in a system folder, which may not contain workspaces. */
export function isSystemFolder (real: string): boolean {
  return systemFolders.some((folder) => within(folder, real))
}

function refuseMalformed (path: string): void {
  if (!isAbsolute(path) || path.includes('\0')) throw new Invalid('The workspace must be an absolute path')
}

function destination (path: string): string {
  try {
    return realPath(path)
  } catch (error) {
    if (error instanceof LinkLoop) throw new Invalid('The path of the workspace leads through a loop of symbolic links')
    throw error
  }
}

function refusePlace (real: string, reserved: string[]): void {
  if (systemRoots.has(real) || isSystemFolder(real)) throw new Invalid('A system folder cannot be a workspace')
  if (reserved.some((folder) => within(realPath(folder), real))) throw new Invalid('A folder of the service itself cannot be a workspace')
}
