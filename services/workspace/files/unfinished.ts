import { lstat, mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { NotFound } from '../../ground/errors.js'
import { fieldsOf } from '../../ground/fields.js'
import { type Workers } from '../../ground/workers/index.js'
import { isOurs, isTemporary } from '../../ground/files/temporary.js'
import { type Log } from '../../ground/log.js'

/** A hidden folder that must not outlive the work on it. Its name comes from temporaryName. */
export interface UnfinishedFolder {
  /** Root of the workspace. */
  root: string
  /** The folder that contains it, relative to the workspace. */
  folder: string
  name: string
}

export interface UnfinishedFoldersOptions {
  /** Absolute. Only one service may use it at a time. */
  folder: string
  clock: Clock
  workers: Workers
  log: Log
}

/** How long a note is kept while its folder cannot be removed, because a missing workspace may come back. */
const waitedForMs = 30 * 24 * 3_600_000

/**
 * Records on the disk which hidden folders are in use. Otherwise, those of a killed process would stay for ever, large and
 * invisible. If the note cannot be written, the work continues without it.
 */
export function createUnfinishedFolders ({ folder, clock, workers, log }: UnfinishedFoldersOptions) {
  /** Removes the folder that a note is about, which has the same name as the note, and then the note. */
  async function settle (note: string): Promise<void> {
    const place = await readNote(join(folder, note))
    if (place !== null) {
      const isRemoved = await workers.run('removeTrees', {
        territory: { root: place.root, closed: [] }, folder: place.folder, names: [note]
      })
        .then(({ removed }) => removed === 1, (error: unknown) => {
          if (!(error instanceof NotFound)) log('leftovers of an interrupted operation are not removed yet', { reason: String(error) })
          return false
        })
      const { mtimeMs } = await lstat(join(folder, note)).catch(() => ({ mtimeMs: 0 }))
      if (!isRemoved && mtimeMs > clock.now() - waitedForMs) return
    }
    await unlink(join(folder, note)).catch(() => {})
  }

  return {
    /** Runs `work`, which creates this folder and removes or renames it in the end. If it does not, the sweep of a later service does. */
    async during<T> (place: UnfinishedFolder, work: () => Promise<T>): Promise<T> {
      const note = join(folder, place.name)
      await mkdir(folder, { recursive: true, mode: 0o700 }).then(() => writeFile(note, JSON.stringify({
        root: place.root, folder: place.folder
      }), { flag: 'wx', mode: 0o600, flush: true })).catch(() => {})
      try {
        return await work()
      } finally {
        const isGone = await lstat(join(place.root, place.folder, place.name)).then(() => false, () => true)
        if (isGone) await unlink(note).catch(() => {})
      }
    },

    /** Removes what an interrupted service has left. */
    async sweep (): Promise<void> {
      for (const note of await readdir(folder).catch(() => [])) if (isTemporary(note) && !isOurs(note)) await settle(note)
    }
  }
}

export type UnfinishedFolders = ReturnType<typeof createUnfinishedFolders>

/** Reads a note. Returns null if it is missing or incomplete. */
async function readNote (path: string): Promise<Omit<UnfinishedFolder, 'name'> | null> {
  try {
    const { root, folder } = fieldsOf(JSON.parse(await readFile(path, 'utf8')))
    return typeof root === 'string' && typeof folder === 'string' ? { root, folder } : null
  } catch {
    return null
  }
}
