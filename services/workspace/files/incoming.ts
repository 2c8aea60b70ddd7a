import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable } from 'node:stream'
import { TooLarge } from '../../ground/errors.js'
import { sniffBytes } from './sniffing.js'
import { explain } from './failures.js'

/** A file that has been received completely and stored, but not moved to its place yet. */
export interface Arrival {
  /** Absolute. The caller links or copies it to its place. */
  path: string
  /** The name that the sender gave it. */
  name: string
  sizeBytes: number
  /** Its first bytes, for detecting its type. */
  head: Buffer
  /** Removes the file. Hard links to it stay. */
  discard (): Promise<void>
}

export const tooLarge = (capBytes: number): TooLarge => new TooLarge(`File too large (max ${Math.round(capBytes / 1024 / 1024)}MB)`)

/** The folder for files that are being received. Only one service may use it at a time. */
export function createIncoming ({ folder, capBytes }: { folder: string, capBytes: number }) {
  return {
    capBytes,

    /** Removes what an interrupted service has left. Rejects if the folder cannot be created. */
    async sweep (): Promise<void> {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: 0o700 })
    },

    /** Stores a stream, with constant memory. Throws TooLarge at the limit, Unavailable (`disk_full`), and the stream's own error. */
    async receive (stream: Readable, name: string): Promise<Arrival> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, randomBytes(12).toString('hex'))
      const discard = async (): Promise<void> => { await unlink(path).catch(() => {}) }
      // The folder is private. The file has the usual mode of new files, because it is linked to its place.
      const handle = await open(path, 'wx', 0o666).catch(explain('Folder not found'))
      try {
        const head: Buffer[] = []
        let sizeBytes = 0
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          if (sizeBytes + chunk.length > capBytes) throw tooLarge(capBytes)
          // Copied, because the chunk is a part of a larger buffer that would otherwise stay in memory.
          if (sizeBytes < sniffBytes) head.push(Buffer.from(chunk.subarray(0, sniffBytes - sizeBytes)))
          sizeBytes += chunk.length
          await handle.appendFile(chunk)
        }
        await handle.datasync()
        return { path, name, sizeBytes, head: Buffer.concat(head), discard }
      } catch (error) {
        await discard()
        return explain('Folder not found')(error)
      } finally {
        await handle.close()
      }
    }
  }
}

export type Incoming = ReturnType<typeof createIncoming>
