import { readSync } from 'node:fs'
import { Readable } from 'node:stream'
import { asError } from '../../../ground/errors.js'

const chunkBytes = 64 * 1024

/** Streams the bytes of an open file from `start` up to `end`, with blocking reads for worker threads. The file stays open. */
export function readRange (fd: number, start: number, end: number): Readable {
  let position = start
  return new Readable({
    highWaterMark: chunkBytes,
    read () {
      try {
        const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, end - position))
        const bytes = chunk.length === 0 ? 0 : readSync(fd, chunk, 0, chunk.length, position)
        position += bytes
        this.push(bytes === 0 ? null : chunk.subarray(0, bytes))
      } catch (error) {
        this.destroy(asError(error))
      }
    }
  })
}
