import { type FileHandle } from 'node:fs/promises'
import { inOwnMemory } from '../../ground/own-memory.js'
import { type Reader } from './facts.js'
import { chunkBytes, fits, openRegular, parseLine, readLines } from './lines.js'
import { type FollowOptions, type Followed, type Progress } from './store.js'
import { Tally, type ForeignRow } from './tally.js'

/** Reads what was added to a file since the last time, or all of it if the file was replaced; null if it is gone. */
export async function follow (make: () => Reader, options: FollowOptions): Promise<Followed | null> {
  const handle = await openRegular(options.path)
  if (handle === null) return null
  try {
    const stats = await handle.stat()
    const state = { inode: stats.ino, sizeBytes: stats.size, modifiedAt: stats.mtimeMs / 1000 }
    const { reader, tally, readBytes, seam } = await resumed(handle, state, make, options) ?? fresh(make)
    const times = { atS: state.modifiedAt, nowS: options.nowS }
    if (tally.leftOut) return { reader, tally, readBytes: state.sizeBytes, seam, ...state, told: tally.told(state.modifiedAt) }
    const read = await readLines(handle, { from: readBytes, to: state.sizeBytes, onRead: options.onRead, pause: options.pause }, (line) => {
      takeLine(line, reader, tally, times)
      return !tally.leftOut && !options.isStopped()
    })
    return {
      reader, tally, seam: inOwnMemory(read.seam ?? seam), ...state, told: tally.told(state.modifiedAt),
      readBytes: tally.leftOut ? state.sizeBytes : read.end
    }
  } finally {
    await handle.close()
  }
}

type Place = Pick<Progress, 'reader' | 'tally' | 'readBytes' | 'seam'>

function fresh (make: () => Reader): Place {
  return { reader: make(), tally: new Tally(), readBytes: 0, seam: Buffer.alloc(0) }
}

/** Returns the place where reading continues; null if it has to start over. */
async function resumed (
  handle: FileHandle, { inode, sizeBytes }: { inode: number, sizeBytes: number }, make: () => Reader, options: FollowOptions
): Promise<Place | null> {
  const { progress, row, onRead } = options
  if (progress !== undefined) {
    if (progress.tally.leftOut) return progress.inode === inode ? progress : null
    // The inode alone proves little: file systems reuse the number of a file that was just removed.
    const isSame = progress.inode === inode && sizeBytes >= progress.readBytes &&
      await fits(handle, progress.seam, progress.readBytes, onRead)
    return isSame ? progress : null
  }
  // A row without a user's message may belong to a file that was left out: only its beginning tells.
  if (row === undefined || row.userMessageCount === 0 || row.inode !== inode || sizeBytes < row.readBytes) return null
  return await primed(handle, row, make, options)
}

/**
 * A new process knows the columns, but not the unfinished answer and the origin of the title. Both are at the end of what was read: Claude
 * Code, too, looks for titles in the last 64 KiB, and repeats them there for that reason.
 */
async function primed (
  handle: FileHandle, row: ForeignRow, make: () => Reader, options: FollowOptions
): Promise<Place | null> {
  const place = fresh(make)
  const from = Math.max(0, row.readBytes - chunkBytes)
  let isBeginningLost = from > 0
  const read = await readLines(handle, { from, to: row.readBytes, onRead: options.onRead, pause: options.pause }, (line) => {
    if (!isBeginningLost) takeLine(line, place.reader, place.tally, { atS: row.modifiedAt, nowS: options.nowS })
    isBeginningLost = false
    return true
  })
  if (read.end !== row.readBytes || read.seam === null) return null
  place.tally.adopt(row)
  return { ...place, readBytes: row.readBytes, seam: read.seam }
}

function takeLine (line: Buffer, reader: Reader, tally: Tally, times: { atS: number, nowS: number }): void {
  const entry = parseLine(line)
  if (entry !== null) for (const fact of reader.read(entry)) tally.take(fact, times)
}
