import { once } from 'node:events'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** A limit below the size of a socket address: 107 bytes on Linux, 103 on macOS. */
const mostBytes = 100

/** Connects to a program of this machine. Rejects if no program listens. */
export async function openLocalSocket (path: string): Promise<Socket> {
  return await withSocketPath(path, async (short) => {
    const socket = new Socket().connect(short)
    await once(socket, 'connect')
    return socket
  })
}

/**
 * Calls `use` with a path of the socket that fits into a socket address. A longer path is replaced by one through a symlink, which is
 * removed afterwards.
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
