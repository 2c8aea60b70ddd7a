import { mkdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import { Invalid } from '../errors.js'

/** Nothing in these is anybody's work. */
const systemFolders = ['/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr/bin', '/usr/lib', '/usr/sbin', '/usr/share']
/** In these there may be. */
const systemRoots = new Set(['/', '/usr', '/var', '/home', '/tmp'])

/**
 * The real path of a folder that may serve as a workspace. Throws Invalid for anything else: a relative path, a file,
 * something missing, the system's own folders, and whatever lies in `reserved`.
 */
export async function workspaceFolder (path: string, reserved: string[] = []): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) throw new Invalid('The workspace must be an absolute path')
  let real: string
  try {
    real = await realpath(path)
    if (!(await stat(real)).isDirectory()) throw new Error('not a folder')
  } catch {
    throw new Invalid('The workspace is not a folder that this service can open')
  }
  if (systemRoots.has(real) || systemFolders.some((folder) => isWithin(folder, real))) throw new Invalid('A folder of the system cannot be a workspace')
  if (reserved.some((folder) => isWithin(folder, real))) throw new Invalid('A folder of the service itself cannot be a workspace')
  return real
}

function isWithin (parent: string, path: string): boolean {
  return path === parent || path.startsWith(`${parent}/`)
}

/** Creates the default workspace on first use and answers its real path. */
export async function ensureWorkspace (path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return await workspaceFolder(path)
}
