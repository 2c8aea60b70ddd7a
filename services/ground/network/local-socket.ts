import { once } from 'node:events'
import { closeSync, constants, lstatSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { Socket, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** How long the address of a socket may be, without the zero at its end. With it, the kernel has 108 bytes on Linux and 104 elsewhere. */
const mostBytes = process.platform === 'linux' ? 107 : 103

/** Thrown if the path of the state folder is too long for a socket in it. */
export class PathTooLong extends Error {
  constructor () {
    super('the path of the state folder is too long for a socket; give the service a shorter one with SVC_WEBUI_STATE_DIR')
    this.name = 'PathTooLong'
  }
}

/** Returns the path of the socket where a service listens for programs of its own user, in a folder that no other user can open. */
export const consoleSocket = (stateDir: string): string => join(stateDir, 'console', 'socket')

/**
 * Calls `use` with a path of the socket that fits into a socket address. A long path is replaced by one through its open folder, as Linux
 * offers it. Throws PathTooLong if that is impossible, and what `use` throws. `release` must be called once the path is no longer used.
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
 * Does the same for work that waits. A long path is replaced by one through a symlink, which is removed afterwards, so this works on every
 * system.
 */
export async function withSocketPath<T> (path: string, use: (path: string) => Promise<T>): Promise<T> {
  if (Buffer.byteLength(path) <= mostBytes) return await use(path)
  const folder = await mkdtemp(join(tmpdir(), 's-'))
  try {
    await symlink(dirname(path), join(folder, 'd'))
    return await use(join(folder, 'd', basename(path)))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Connects to a program of this machine. Rejects if no program listens. */
export async function openLocalSocket (path: string): Promise<Socket> {
  return await withSocketPath(path, async (short) => {
    const socket = new Socket().connect(short)
    await once(socket, 'connect')
    return socket
  })
}

/**
 * Makes a server listen on a socket that only its own user can open: 0600 in a folder of 0700. A socket left by a killed process is
 * replaced, so the caller must hold a lock that excludes other servers. Rejects with the system's error.
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
      // The socket is created within this call, so no other file is created with this mask.
      const mask = process.umask(0o177)
      try {
        server.listen({ path: short }, resolve)
      } finally {
        process.umask(mask)
      }
    })
  })
}
