import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** The address of a socket holds 107 bytes on Linux and 103 on macOS. */
const mostBytes = 100

/** Calls `use` with a path of a socket that fits into its address: a longer one leads through a link that is gone afterwards. */
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
