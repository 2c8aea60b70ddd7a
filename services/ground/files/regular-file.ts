import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Reads a file as node:fs/promises does, if it is a regular file. Throws an error with the code `EINVAL` for anything else: opening a pipe
 * to which nobody writes would keep one of the few threads that all file access of the process shares, for ever.
 */
export async function readRegularFile (path: string): Promise<Buffer>
export async function readRegularFile (path: string, options?: BufferEncoding | { encoding?: BufferEncoding }): Promise<string | Buffer>
export async function readRegularFile (path: string, options?: BufferEncoding | { encoding?: BufferEncoding }): Promise<string | Buffer> {
  return await opened(path, constants.O_RDONLY, async (handle) => await handle.readFile(options))
}

/** Reads the text of a regular file. Throws what readRegularFile throws. */
export async function readRegularText (path: string): Promise<string> {
  return (await readRegularFile(path)).toString()
}

/** Writes a file as node:fs/promises does, if it is new or a regular file. Throws as readRegularFile does. */
export async function writeRegularFile (path: string, content: string | Uint8Array, { mode }: { mode?: number } = {}): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC
  await opened(path, flags, async (handle) => { await handle.writeFile(content) }, mode)
}

async function opened<T> (path: string, flags: number, work: (handle: FileHandle) => Promise<T>, mode?: number): Promise<T> {
  const handle = await open(path, flags | constants.O_NONBLOCK, mode)
  try {
    const isFile = (await handle.stat()).isFile()
    if (!isFile) throw Object.assign(new Error(`EINVAL: not a regular file, open '${path}'`), { code: 'EINVAL', path })
    return await work(handle)
  } finally {
    await handle.close()
  }
}
