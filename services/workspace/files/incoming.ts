import { randomBytes } from 'node:crypto'
import { mkdir, open, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Readable } from 'node:stream'
import { TooLarge } from '../../ground/errors.js'
import { sniffBytes } from './sniffing.js'
import { explain } from './failures.js'

/** A file that has come in whole and is on the disk, but has no place yet. */
export interface Arrival {
  /** Absolute; whoever gives it a place links or copies it. */
  path: string
  /** What the sender calls it. */
  name: string
  sizeBytes: number
  /** Its first bytes. */
  head: Buffer
  /** Removes it. What has been linked stays where it was linked to. */
  discard (): Promise<void>
}

export const tooLarge = (capBytes: number): TooLarge => new TooLarge(`File too large (max ${Math.round(capBytes / 1024 / 1024)}MB)`)

/** Where files wait that are being received. It belongs to one service at a time. */
export function createIncoming ({ folder, capBytes }: { folder: string, capBytes: number }) {
  return {
    capBytes,

    /** Removes what an interrupted service has left. Rejects when the folder cannot be made. */
    async sweep (): Promise<void> {
      await rm(folder, { recursive: true, force: true })
      await mkdir(folder, { recursive: true, mode: 0o700 })
    },

    /** Stores a stream in constant memory. Throws TooLarge as soon as it is, Unavailable (`disk_full`), the stream's own error. */
    async receive (stream: Readable, name: string): Promise<Arrival> {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const path = join(folder, randomBytes(12).toString('hex'))
      const discard = async (): Promise<void> => { await unlink(path).catch(() => {}) }
      // Its folder is ours alone; where it goes from there it has the mode that new files have.
      const handle = await open(path, 'wx', 0o666).catch(explain('Folder not found'))
      try {
        const head: Buffer[] = []
        let sizeBytes = 0
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          if (sizeBytes + chunk.length > capBytes) throw tooLarge(capBytes)
          // A copy, as the chunk is a part of a larger buffer that would stay in memory with it.
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
