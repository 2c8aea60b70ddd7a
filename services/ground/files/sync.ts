import { closeSync, constants, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'

/** Resolves when the entries of a folder (what was created, renamed or removed in it) are on disk. Rejects if it is no folder. */
export async function syncFolder (path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Flushes a file, or the entries of a folder, to the disk before it returns. */
export function syncNow (path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
