import { mkdir, realpath, stat } from 'node:fs/promises'
import { isAbsolute, parse } from 'node:path'
import { Invalid } from '../errors.js'

const systemFolders = new Set(['/bin', '/boot', '/dev', '/etc', '/lib', '/lib64', '/proc', '/run', '/sbin', '/sys', '/usr', '/var'])

/**
 * The real path of a folder that may serve as a workspace. Throws Invalid for anything else: a relative path, a file,
 * something missing, the root of the file system or one of the system's own folders.
 */
export async function workspaceFolder (path: string): Promise<string> {
  if (!isAbsolute(path) || path.includes('\0')) throw new Invalid('The workspace must be an absolute path')
  let real: string
  try {
    real = await realpath(path)
    if (!(await stat(real)).isDirectory()) throw new Error('not a folder')
  } catch {
    throw new Invalid('The workspace is not a folder that this service can open')
  }
  if (real === parse(real).root || systemFolders.has(real)) throw new Invalid('A folder of the system cannot be a workspace')
  return real
}

/** Creates the default workspace on first use and answers its real path. */
export async function ensureWorkspace (path: string): Promise<string> {
  await mkdir(path, { recursive: true })
  return await workspaceFolder(path)
}
