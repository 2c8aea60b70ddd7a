import { type FileHandle } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { asError } from '../../ground/errors.js'

export interface PortionOptions {
  /** First byte. */
  start?: number
  sizeBytes: number
  /**
   * Called if the file has fewer bytes or can no longer be read; the stream ends there. Without it, the stream fails,
   * because the caller has announced `sizeBytes` to its reader.
   */
  onShort?: () => void
}

const chunkBytes = 64 * 1024

/**
 * Streams a part of an opened file. It owns the handle: the handle is closed when the stream ends or is destroyed,
 * whether or not it was read.
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
      // Waits for a read in progress: after a close, its descriptor number may already belong to another file.
      void (reading ?? Promise.resolve()).then(async () => await handle.close()).then(() =>
        done(error), (failure: Error) => done(error ?? failure))
    }
  })
}
