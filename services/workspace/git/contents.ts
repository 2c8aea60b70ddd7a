import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { isOpenedWithin } from '../../ground/files/containment.js'

/** Git, too, looks for null bytes in this many bytes to tell binary files from text. */
const probedBytes = 8_000

/**
 * Returns the contents of a file of the work tree `top`, or `too-large` above `maxBytes`. Returns null for anything but a regular file
 * inside `folder`. Never follows a symlink.
 */
export async function contentsOf (
  { top, folder }: { top: string, folder: string }, file: string, maxBytes: number
): Promise<{ bytes: Buffer, isExecutable: boolean } | 'too-large' | null> {
  const at = join(top, file)
  const handle = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    if (!stats.isFile() || !await isOpenedWithin(folder, handle, at).catch(() => false)) return null
    if (stats.size > maxBytes) return 'too-large'
    const bytes = Buffer.allocUnsafe(stats.size + 1)
    let length = 0
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length)
      length += bytesRead
      if (bytesRead === 0 || length === bytes.length) break
    }
    return { bytes: bytes.subarray(0, length), isExecutable: (stats.mode & 0o100) !== 0 }
  } finally {
    await handle.close()
  }
}

export function isBinary (bytes: Buffer): boolean {
  return bytes.subarray(0, probedBytes).includes(0)
}

export function linesIn (bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) lines++
  return bytes.length === 0 || bytes.at(-1) === 10 ? lines : lines + 1
}
