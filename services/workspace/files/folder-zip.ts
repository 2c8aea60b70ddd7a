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
  /** The archive, made while it is read. Destroying it ends everything. */
  open (): Readable
}

const usualLimits: WalkLimits = { bytes: 1024 * 1024 * 1024, files: 50_000 }
/** Beyond the lowest level, time grows far more than size shrinks. */
const compressionLevel = 1

/**
 * A folder as a zip archive. What is in it is found out first, so that a folder above the limits is refused before
 * anything is sent: throws as walkFolder. A file that is gone or unreadable when its turn comes, or that shrinks under
 * the reading, is named in a text at the end of the archive.
 */
export async function folderZip (
  territory: Territory, path: string, { workers, limits = usualLimits }: { workers: Workers, limits?: WalkLimits }
): Promise<FolderZip> {
  const walk = await workers.run('walkFolder', { territory, path, limits })
  // Not at the start of the service, which has no need of it.
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
    // Two names may differ only in what an archive cannot hold.
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
  // As long as it was when it was opened: a log that is written all the time would never end.
  await append(archive, portionOf(handle, { sizeBytes: Number(stats.size), onShort: onMissed }), entry)
}

/** Waits until the entry is in the archive, or the archive is over. One at a time, so that no more than one file is open. */
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

function * linesOf (entries: Uint8Array): Generator<WalkEntry> {
  const bytes = Buffer.from(entries.buffer, entries.byteOffset, entries.byteLength)
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start)
    const end = found === -1 ? bytes.length : found
    yield JSON.parse(bytes.toString('utf8', start, end)) as WalkEntry
    start = end + 1
  }
}

/** What unpacks it somewhere else may take a backslash for a separator, a colon for a drive, and control characters for orders. */
function entryName (path: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what this is about
  return path.replaceAll(/[\\\u0000-\u001f\u007f]/g, '_').replace(/^(\w+):/, '$1_')
}

function freeName (taken: Set<string>): string {
  let name = 'NOT INCLUDED.txt'
  for (let number = 2; taken.has(name); number++) name = `NOT INCLUDED ${number}.txt`
  return name
}
