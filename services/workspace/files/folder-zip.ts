import { type ZipArchive } from 'archiver'
import { once } from 'node:events'
import { basename } from 'node:path'
import { type Readable } from 'node:stream'
import { type Workers } from '../../ground/workers/index.js'
import { openFile, type Territory } from '../place/place.js'
import { portionOf } from './portion.js'
import { type Walk, type WalkEntry, type WalkLimits } from './walk-task.js'

export interface FolderZip {
  /** Name of the folder. */
  name: string
  /** Returns the archive as a stream, which is created while it is read. Destroying it ends everything. */
  open (): Readable
}

const limits: WalkLimits = { bytes: 1024 * 1024 * 1024, files: 50_000 }
/** Above the lowest level, the time grows far more than the size shrinks. */
const compressionLevel = 1

/**
 * Returns a folder as a zip archive. Its contents are listed first, so that a folder above the limits is refused before anything is sent:
 * throws what walkFolder throws. Files that are gone or unreadable when their turn comes, or that shrink while being read, are named in a
 * text file at the end of the archive.
 */
export async function folderZip (
  territory: Territory, path: string, { workers }: { workers: Workers }
): Promise<FolderZip> {
  const walk = await workers.run('walkFolder', { territory, path, limits })
  // Loaded here, because the service does not need it to start.
  const { ZipArchive } = await import('archiver')
  return {
    name: basename(walk.real) === '' ? 'folder' : basename(walk.real),
    open () {
      const archive = new ZipArchive({ zlib: { level: compressionLevel } })
      fill(archive, territory, walk).catch((error: Error) => archive.destroy(error))
      return archive
    }
  }
}

async function fill (archive: ZipArchive, territory: Territory, { real: top, entries, leftOut }: Walk): Promise<void> {
  const missed = leftOut.map(entryName)
  const names = new Set<string>()
  for (const [path, mode, modifiedMs, sizeBytes] of linesOf(entries)) {
    if (archive.destroyed) return
    const name = entryName(path)
    // Two names may differ only in characters that were replaced.
    if (names.has(name)) {
      missed.push(name)
      continue
    }
    names.add(name)
    const entry = { mode, date: new Date(modifiedMs) }
    if (sizeBytes === null) await append(archive, '', { ...entry, name: `${name}/` })
    else await appendFile(archive, territory, `${top}/${path}`, { ...entry, name }, () => missed.push(name))
  }
  if (missed.length > 0) {
    await append(archive, `These could not be read, or not to their end:\n\n${missed.join('\n')}\n`, { name: freeName(names) })
  }
  if (!archive.destroyed) await archive.finalize()
}

interface Entry { name: string, mode?: number, date?: Date }

async function appendFile (archive: ZipArchive, territory: Territory, path: string, entry: Entry, onMissed: () => void): Promise<void> {
  const opened = await openFile(territory, path).catch(onMissed)
  if (typeof opened !== 'object') return
  const { handle, stats } = opened
  // Reads only as much as the file had when it was opened: a log that is still being written would never end.
  await append(archive, portionOf(handle, { sizeBytes: Number(stats.size), onShort: onMissed }), entry)
}

/** Appends an entry, and waits until it is written or the archive is closed, so that only one file is open at a time. */
async function append (archive: ZipArchive, source: Readable | string, entry: Entry): Promise<void> {
  const over = new AbortController()
  const stop = (): void => over.abort()
  archive.once('close', stop)
  try {
    const written = once(archive, 'entry', { signal: over.signal })
    if (archive.destroyed) stop()
    else archive.append(source, entry)
    await written.catch((error: unknown) => { if (!over.signal.aborted) throw error })
  } finally {
    archive.off('close', stop)
    if (typeof source !== 'string') source.destroy()
  }
}

/** Yields the entries of a walk. */
export function * linesOf (entries: Uint8Array): Generator<WalkEntry> {
  const bytes = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength)
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    yield JSON.parse(bytes.toString('utf8', start, end)) as WalkEntry
    start = end + 1
  }
}

/** Replaces what other systems may misread when unpacking: backslashes (separators), colons (drives) and control characters (commands). */
export function entryName (path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are replaced
  return path.replaceAll(/[\\\u0000-\u001f\u007f]/g, '_').replace(/^(\w+):/, '$1_')
}

function freeName (taken: Set<string>): string {
  let name = 'NOT INCLUDED.txt'
  for (let number = 2; taken.has(name); number++) name = `NOT INCLUDED ${number}.txt`
  return name
}
