import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * Reads a file as node:fs/promises does, if it is a regular file. Anything else counts as missing (`ENOENT`): opening a pipe to which
 * nobody writes would keep one of the few threads that all file access of the process shares, for ever.
 */
export async function readRegularFile (path: string, options?: BufferEncoding | { encoding?: BufferEncoding }): Promise<string | Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const isFile = (await handle.stat()).isFile()
    if (!isFile) throw Object.assign(new Error(`ENOENT: not a regular file, open '${path}'`), { code: 'ENOENT', path })
    return await handle.readFile(options)
  } finally {
    await handle.close()
  }
}

/** Reads the text of a regular file. Throws what readRegularFile throws. */
export async function readRegularText (path: string): Promise<string> {
  return (await readRegularFile(path)).toString()
}
