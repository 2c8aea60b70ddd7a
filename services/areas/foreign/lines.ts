import { constants } from 'node:fs'
import { lstat, open, readlink, realpath, type FileHandle } from 'node:fs/promises'
import { tried } from '../../ground/tried.js'
import { asEntry, type Entry } from './facts.js'

/** How much is read and processed before other work gets its turn; a longer line is parsed at once. */
export const chunkBytes = 64 * 1024
const maxLineBytes = 8 * 1024 * 1024
const linesPerStretch = 250
const seamBytes = 64

export interface ReadLines {
  /** Byte offsets; the first must be the beginning of a line. */
  from: number
  to: number
  /** Called at every read of the file. */
  onRead?: (bytes: number) => void
  /** Lets other work run. */
  pause: () => Promise<unknown>
}

/** `end`: where the next line begins. `seam`: the last bytes before that, if any line was read. */
export interface LinesRead { end: number, seam: Buffer | null }

/**
 * Passes every complete line of the range to `take`, until that returns false. An incomplete line is left for the next time; one that is
 * too long is skipped.
 */
export async function readLines (
  handle: FileHandle, { from, to, onRead, pause }: ReadLines, take: (line: Buffer) => boolean
): Promise<LinesRead> {
  let position = from
  let lines = 0
  let pieces: Buffer[] = []
  let pendingBytes = 0
  const done: LinesRead = { end: from, seam: null }
  while (position < to) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) break
    onRead?.(bytesRead)
    const read = chunk.subarray(0, bytesRead)
    let start = 0
    for (let newline = read.indexOf(10); newline !== -1; newline = read.indexOf(10, start)) {
      const rest = read.subarray(start, newline)
      const line = pendingBytes + rest.length > maxLineBytes ? null : pieces.length === 0 ? rest : Buffer.concat([...pieces, rest])
      start = newline + 1
      pieces = []
      pendingBytes = 0
      done.end = position + start
      done.seam = seamOf(line ?? rest)
      if (line !== null && !take(line)) return done
      if (++lines % linesPerStretch === 0) await pause()
    }
    position += bytesRead
    pendingBytes += bytesRead - start
    if (pendingBytes <= maxLineBytes) pieces.push(read.subarray(start))
    else {
      // This line will be skipped, so what was read of it need not be read again.
      pieces = []
      done.end = position
      done.seam = Buffer.from(read.subarray(-seamBytes))
    }
  }
  return done
}

function seamOf (line: Buffer): Buffer {
  return Buffer.concat([line.subarray(-(seamBytes - 1)), Buffer.from('\n')])
}

/** Whether `seam` is directly before `end`; if not, the file is not the one that was read. */
export async function fits (handle: FileHandle, seam: Buffer, end: number, onRead?: (bytes: number) => void): Promise<boolean> {
  if (seam.length === 0) return true
  const found = Buffer.alloc(seam.length)
  const { bytesRead } = await handle.read(found, 0, found.length, end - seam.length)
  onRead?.(bytesRead)
  return bytesRead === seam.length && found.equals(seam)
}

export function parseLine (line: Buffer): Entry | null {
  if (line[0] !== 0x7b) return null
  return tried(() => asEntry(JSON.parse(line.toString('utf8'))), null)
}

/**
 * Opens the regular file at this path, which contains no symlink; null if there is none any more. The opened file is checked: a folder that
 * was replaced by a symlink is noticed, and a named pipe does not block.
 */
export async function openRegular (path: string): Promise<FileHandle | null> {
  try {
    if (!(await lstat(path)).isFile()) return null
  } catch {
    return null
  }
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  const isFile = (await handle.stat()).isFile()
  const opened = await readlink(`/proc/self/fd/${handle.fd}`).catch(() => realpath(path).catch(() => null))
  if (isFile && opened === path) return handle
  await handle.close()
  return null
}
