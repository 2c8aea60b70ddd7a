import { type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { asError } from '../../ground/errors.js'

export interface PortionOptions {
  /** First byte. */
  start?: number
  sizeBytes: number
  /**
   * Told when the file has fewer bytes than that, or cannot be read any more; the stream ends there then. Without it the
   * stream fails, for whoever promised its reader so many bytes.
   */
  onShort?: () => void
}

const chunkBytes = 64 * 1024

/**
 * So many bytes of an opened file. Owns the handle: it is closed when the stream is over, however that
 * comes about, and whether or not it was read.
 */
export function portionOf (handle: FileHandle, { start = 0, sizeBytes, onShort }: PortionOptions): Readable {
  let position = start
  const end = start + sizeBytes
  let reading: Promise<void> | null = null

  async function readOn (stream: Readable): Promise<void> {
    if (position >= end) {
      stream.push(null)
      return
    }
    const room = Buffer.allocUnsafe(Math.min(chunkBytes, end - position))
    const bytesRead = await handle.read(room, 0, room.length, position).then((read) => read.bytesRead, (error: unknown) => {
      if (onShort === undefined) throw error
      return 0
    })
    if (bytesRead === 0) {
      if (onShort === undefined) throw new Error('The file became shorter while it was read')
      onShort()
      stream.push(null)
      return
    }
    position += bytesRead
    stream.push(bytesRead === room.length ? room : room.subarray(0, bytesRead))
  }

  return new Readable({
    highWaterMark: chunkBytes,
    read () {
      reading = readOn(this).catch((error: unknown) => { this.destroy(asError(error)) })
    },
    destroy (error, done) {
      // The number of a descriptor that is closed during a read may already mean another file.
      void (reading ?? Promise.resolve()).then(async () => await handle.close()).then(() =>
        done(error), (failure: Error) => done(error ?? failure))
    }
  })
}
