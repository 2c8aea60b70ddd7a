import { type FileHandle } from 'node:fs/promises'
import { NotFound } from '../../ground/errors.js'

/** Reads a whole file, which may grow meanwhile. Throws NotFound if it contains more than `limitBytes`. */
export async function readUpTo (handle: FileHandle, limitBytes: number): Promise<Buffer> {
  const room = Buffer.allocUnsafe(Math.min(limitBytes, Number((await handle.stat()).size)) + 1)
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for (;;) {
    const { bytesRead } = await handle.read(room, 0, room.length, sizeBytes)
    if (bytesRead === 0) {
      const [only, ...others] = chunks
      return only !== undefined && others.length === 0 ? only : Buffer.concat(chunks)
    }
    sizeBytes += bytesRead
    if (sizeBytes > limitBytes) throw tooLarge(sizeBytes, limitBytes)
    chunks.push(Buffer.from(room.subarray(0, bytesRead)))
  }
}

export function tooLarge (sizeBytes: number | bigint, limitBytes: number): NotFound {
  return new NotFound(`File too large (${sizeBytes} bytes, max ${limitBytes})`, 'too_large')
}
