import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { type Server } from 'node:net'
import { basename, dirname, join } from 'node:path'

/** What the kernel has room for in the address of a socket, with the zero at its end: 108 bytes on Linux, 104 elsewhere. */
const mostBytes = process.platform === 'linux' ? 107 : 103

/** The folder of the service's state is too long a path for a socket in it. */
export class PathTooLong extends Error {
  constructor () {
    super('the path of the state folder is too long for a socket; give the service a shorter one with SVC_WEBUI_STATE_DIR')
    this.name = 'PathTooLong'
  }
}

/** Where a service listens for programs of its own user, in a folder that nobody else can open. */
export const consoleSocket = (stateDir: string): string => join(stateDir, 'console', 'socket')

/**
 * Calls `use` with a path of a socket that fits into an address: a long one by way of its open folder, as Linux offers it. Throws
 * PathTooLong where that is impossible, and what `use` throws. `release` is called once the path is used no more.
 */
export function withShortPath<T> (path: string, use: (short: string, release: () => void) => T): T {
  if (Buffer.byteLength(path) <= mostBytes) return use(path, () => {})
  if (process.platform !== 'linux') throw new PathTooLong()
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY)
  let isOpen = true
  const release = (): void => {
    if (isOpen) closeSync(folder)
    isOpen = false
  }
  try {
    return use(`/proc/self/fd/${folder}/${basename(path)}`, release)
  } catch (error) {
    release()
    throw error
  }
}

/**
 * Has a server listen on a socket that its own user alone can open: 0600 in a folder of 0700. What a killed process has left there is
 * replaced, so the caller holds a lock that others of its kind would hold. Rejects with what the system says.
 */
export async function listenPrivately (server: Server, path: string): Promise<void> {
  const folder = dirname(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  if (uid !== process.getuid?.() || (mode & 0o077) !== 0) throw new Error(`others can open ${folder}: chmod 700 it, as the user of the service`)
  rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    withShortPath(path, (short, release) => {
      server.once('close', release)
      server.once('error', (error) => {
        release()
        reject(error)
      })
      // Bound at once, within this call: nothing else is made with this mask.
      const mask = process.umask(0o177)
      try {
        server.listen({ path: short }, resolve)
      } finally {
        process.umask(mask)
      }
    })
  })
}
