import { constants } from 'node:fs'
import { copyFile, mkdir, open, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock } from '../../ground/time/clock.js'
import { DomainError, NotFound } from '../../ground/errors.js'
import { type Workers } from '../../ground/workers/index.js'
import { attachmentFolder, removeAttachments } from '../place/attachments.js'
import { archiveStem, namesToTry, safeName } from '../place/names.js'
import { sniffedType, isImage } from './sniffing.js'
import { moveEntry, refuseOwn, refusePlace } from './entries.js'
import { explain, nameTaken } from './failures.js'
import { arrivedBefore } from './arrived-before.js'
import { type Arrival } from './incoming.js'
import { type Extracted } from './extract-task.js'
import { entryName, folderAt, openFile, openFolder, type OpenedFolder, type Territory } from '../place/place.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { temporaryName } from '../../ground/files/temporary.js'
import { syncFolder } from '../../ground/files/sync.js'
import { type UnfinishedFolders } from './unfinished.js'

export interface Uploaded {
  /** The name that it got, which may differ from the sender's. */
  name: string
  /** Absolute for an attachment of a session, otherwise relative to the workspace. */
  path: string
  sizeBytes: number
  type: string
  isImage: boolean
}

export interface UploadsOptions {
  clock: Clock
  stateDir: string
  capBytes: number
  workers: Workers
  /** Runs long tasks one after the other, so that threads stay free for tasks that someone waits for. */
  inTurn: Queue
  unfinished: UnfinishedFolders
  hasSession: (sessionId: string) => boolean
}

/** How many times the upload limit the unpacked contents of an archive may be. */
const unpackedTimes = 10
const extractionLimitMs = 180_000
const abandonedAfterMs = 24 * 3_600_000

/** Stores uploaded files with a session or in its workspace. It never replaces anything. */
export function createUploads ({ clock, stateDir, capBytes, workers, inTurn, unfinished, hasSession }: UploadsOptions) {
  /** Runs one extraction. Its unfinished folder is removed even if it fails. */
  async function extract (
    territory: Territory, folder: string, source: { arrival: string } | { path: string }, name: string, isAgain = false
  ): Promise<Extracted> {
    const opened = await folderAt(territory, folder)
    refuseOwn(opened.path)
    const temporary = temporaryName()
    return await unfinished.during({ root: territory.root, folder: opened.path, name: temporary }, async () => {
      try {
        return await inTurn('slow', () => workers.run('extractArchive', {
          territory, folder: opened.path, source, temporary, name: archiveStem(name), isAgain, capBytes: capBytes * unpackedTimes,
          abandonedBeforeMs: clock.now() - abandonedAfterMs
        }, { timeoutMs: extractionLimitMs }))
      } catch (error) {
        await workers.run('removeTrees', { territory, folder: opened.path, names: [temporary] }).catch(() => {})
        throw error
      }
    })
  }

  return {
    capBytes,

    /** Attaches a file to a session, where only the conversation can access it. Throws NotFound. */
    async attach (sessionId: string, arrival: Arrival): Promise<Uploaded> {
      const gone = () => new NotFound('Session not found')
      if (!hasSession(sessionId)) throw gone()
      const folder = attachmentFolder(stateDir, sessionId)
      const name = await firstFree(safeName(arrival.name), async (name) => {
        await mkdir(folder, { recursive: true, mode: 0o700 })
        await moveEntry({ at: arrival.path, base: folder, name: '' }, { at: join(folder, name), base: folder, name })
      }).catch((error: unknown) => {
        if (!hasSession(sessionId)) throw gone()
        return explain('Folder not found')(error)
      })
      await syncFolder(folder).catch(() => {})
      // The session was deleted meanwhile. Its files were removed before this one was stored.
      if (!hasSession(sessionId)) {
        await removeAttachments(stateDir, sessionId)
        throw gone()
      }
      return await described(arrival, name, join(folder, name))
    },

    /** Returns the file that an earlier `attach` of the same arrival has stored; null if there is none. */
    async attached (sessionId: string, arrival: Arrival): Promise<Uploaded | null> {
      const folder = attachmentFolder(stateDir, sessionId)
      const name = await arrivedBefore({ root: folder, closed: [] }, '.', safeName(arrival.name), arrival)
      return name === null ? null : await described(arrival, name, join(folder, name))
    },

    /** Returns the file that an earlier `place` of the same arrival has stored; null if there is none. */
    async placed (territory: Territory, path: string, arrival: Arrival): Promise<Uploaded | null> {
      const folder = await folderAt(territory, path)
      const name = await arrivedBefore(territory, folder.path, safeName(arrival.name, { keepDots: true }), arrival)
      return name === null ? null : await described(arrival, name, folder.path === '.' ? name : `${folder.path}/${name}`)
    },

    /** Stores a file in a folder of the workspace. Throws what openFolder throws. */
    async place (territory: Territory, path: string, arrival: Arrival): Promise<Uploaded> {
      const folder = await openFolder(territory, path)
      try {
        refuseOwn(folder.path)
        const name = await putInFolder(territory, folder, safeName(arrival.name, { keepDots: true }), arrival)
        await folder.handle.sync().catch(() => {})
        return await described(arrival, name, folder.path === '.' ? name : `${folder.path}/${name}`)
      } catch (error) {
        return explain('Folder not found')(error)
      } finally {
        await folder.handle.close()
      }
    },

    /** Unpacks an uploaded archive into a new folder. Throws Invalid (`unsafe_archive`, `not_an_archive`). */
    extractArrival: async (territory: Territory, folder: string, arrival: Arrival): Promise<Extracted> =>
      await extract(territory, folder, { arrival: arrival.path }, arrival.name),

    /**
     * Retries extractArrival for an arrival that may already have been unpacked. Returns the folder
     * of the first attempt if its contents are still the same.
     */
    extractAgain: async (territory: Territory, folder: string, arrival: Arrival): Promise<Extracted> =>
      await extract(territory, folder, { arrival: arrival.path }, arrival.name, true),

    /** Unpacks an archive of the workspace, into a new folder next to it or in `folder`. Throws what extractArrival throws. */
    async extractFile (territory: Territory, path: string, folder: string | null): Promise<Extracted> {
      const file = await openFile(territory, path)
      await file.handle.close()
      const cut = file.path.lastIndexOf('/')
      return await extract(territory, folder ?? (cut === -1 ? '.' : file.path.slice(0, cut)), { path: file.path }, file.path.slice(cut + 1))
    }
  }
}

async function described ({ sizeBytes, head }: Arrival, name: string, path: string): Promise<Uploaded> {
  const type = await sniffedType(head, name)
  return { name, path, sizeBytes, type, isImage: isImage(type) }
}

/** Tries a name, and then others like it, until `put` finds one that is free. */
async function firstFree (wanted: string, put: (name: string) => Promise<void>): Promise<string> {
  for (const name of namesToTry(entryName(wanted))) {
    try {
      await put(name)
      return name
    } catch (error) {
      if (!hasCode(error, 'exists')) throw error
    }
  }
  throw nameTaken(wanted)
}

const hasCode = (error: unknown, code: string): boolean => error instanceof DomainError && error.code === code

/** Moves an arrival into a folder. If the folder is on another disk, a copy is made, which gets its name when it is complete. */
async function putInFolder (territory: Territory, { base, real }: OpenedFolder, wanted: string, arrival: Arrival): Promise<string> {
  const put = (from: string) => firstFree(wanted, async (name) => {
    refusePlace(territory, { real: join(real, name), path: name })
    await moveEntry({ at: from, base, name: '' }, { at: `${base}/${name}`, base, name })
  })
  try {
    return await put(arrival.path)
  } catch (error) {
    if (!hasCode(error, 'other_disk')) throw error
  }
  const temporary = `${base}/${temporaryName()}`
  try {
    await copyFile(arrival.path, temporary, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    await syncFile(temporary)
    return await put(temporary)
  } finally {
    await unlink(temporary).catch(() => {})
  }
}

async function syncFile (path: string): Promise<void> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
