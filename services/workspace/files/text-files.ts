import { isUtf8 } from 'node:buffer'
import { constants, type BigIntStats } from 'node:fs'
import { access, type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises'
import { type Clock } from '../../ground/time/clock.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { Conflict, Invalid, lacksHardLinks, TooLarge } from '../../ground/errors.js'
import { createTidying, temporaryName } from '../../ground/files/temporary.js'
import { atSpot, entryName, type Spot, type Territory } from '../place/place.js'
import { moveEntry, refuseOwn, refusePlace } from './entries.js'
import { explain, missing, readOnly } from './failures.js'
import { ensureParent, refuseTaken } from './new-entries.js'
import { officeKind } from './previews/kinds.js'
import { versionOf } from './version.js'

export interface SavedFile {
  /** Relative to the workspace. */
  path: string
  sizeBytes: number
  /** Identifies the content, for `ifMatch` of the next save. */
  version: string
  modifiedNs: bigint
}

export interface SaveOptions {
  /** The version that was read; null: replaces whatever is there. */
  ifMatch: string | null
  /** Whether to replace also a file that is not text, if it is the version that was read. */
  force: boolean
}

/** Larger files are not replaced, because larger texts cannot be sent. */
const maxTextBytes = 20 * 1024 * 1024

/** Creates text files and replaces their texts. `inTurn`: one change of a path at a time. All throw what createFileEdits says. */
export function createTextFiles ({ clock, inTurn }: { clock: Clock, inTurn: Queue }) {
  const tidy = createTidying({ clock })

  /** Writes to a temporary file in the same folder and then moves it to the spot, so that no half-written file is ever there. */
  async function place (
    spot: Spot, content: Buffer, mode: Pick<BigIntStats, 'mode' | 'uid' | 'gid'> | null, put: (temporary: string) => Promise<void>
  ): Promise<SavedFile> {
    await tidy(`${spot.base}/.`, spot.real.slice(0, spot.real.lastIndexOf('/')))
    const temporary = `${spot.base}/${temporaryName()}`
    try {
      const handle = await open(temporary, 'wx', 0o666)
      let modifiedNs: bigint
      try {
        await handle.writeFile(content)
        if (mode !== null) await keepMode(handle, mode)
        await handle.sync()
        modifiedNs = (await handle.stat({ bigint: true })).mtimeNs
      } finally {
        await handle.close()
      }
      const version = await versionOf(content)
      await put(temporary)
      await spot.folder.sync().catch(() => {}) // not every file system supports this
      return { path: spot.path, sizeBytes: content.length, version, modifiedNs }
    } catch (error) {
      return explain('File not found')(error)
    } finally {
      await unlink(temporary).catch(() => {})
    }
  }

  return {
    /** Creates a text file; with `parents` also the folders above it. Throws Invalid (`exists`) if the name is taken. */
    async create (territory: Territory, path: string, text: string, { parents = false }: { parents?: boolean } = {}): Promise<SavedFile> {
      if (parents) await ensureParent(territory, path)
      return await atSpot(territory, path, async (spot) => {
        refusePlace(territory, spot)
        entryName(spot.name)
        return await inTurn(spot.real, async () => {
          await refuseTaken(spot)
          return await place(spot, Buffer.from(text), null, (temporary) => putNew(temporary, spot))
        })
      })
    },

    /** Replaces the text of a file, keeping its mode and owner. Throws Conflict (`changed`), Invalid (`not_text`, `office`). */
    async save (territory: Territory, path: string, text: string, options: SaveOptions): Promise<SavedFile> {
      return await atSpot(territory, path, async (spot) => {
        refuseOwn(spot.path)
        return await inTurn(spot.real, async () => {
          const seen = await lookAtFile(spot, options)
          return await place(spot, Buffer.from(text), seen, async (temporary) => {
            const now = await lstat(spot.at, { bigint: true }).catch(explain('File not found'))
            if (!isSame(seen, now) && options.ifMatch !== null) {
              throw new Conflict('Someone else has just changed the file', 'changed')
            }
            await rename(temporary, spot.at)
          })
        })
      })
    }
  }
}

/** Moves the temporary file to the spot without replacing a file that another program creates there at the same moment. */
async function putNew (temporary: string, spot: Spot): Promise<void> {
  await link(temporary, spot.at).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return await refuseTaken(spot)
    // The file system has no hard links. moveEntry claims the name exclusively instead.
    if (!lacksHardLinks(error)) throw error
    await moveEntry({ at: temporary, base: spot.base, name: '' }, spot)
  })
}

/** Returns the stats of the file. Throws if it must not be replaced by a text. */
async function lookAtFile (spot: Spot, { ifMatch, force }: SaveOptions): Promise<BigIntStats> {
  const found = await lstat(spot.at).catch(explain('File not found'))
  if (found.isSymbolicLink()) throw new Invalid('This is a symbolic link. Save the file it points to', 'symlink')
  if (!found.isFile()) throw new Invalid('Text can only be saved to a plain file')
  if (officeKind(spot.name) !== null) throw new Invalid('Office files cannot be saved as text', 'office')
  const handle = await open(spot.at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(explain('File not found'))
  try {
    const stats = await handle.stat({ bigint: true })
    if (!stats.isFile()) throw missing()
    // Root may write to every file, but a file without any write permission is meant to stay as it is.
    if ((stats.mode & 0o222n) === 0n) throw readOnly()
    await access(`/proc/self/fd/${handle.fd}`, constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES') throw readOnly()
    })
    if (stats.size > maxTextBytes) throw new TooLarge('The file is too large to be replaced by text')
    const bytes = await handle.readFile()
    const version = await versionOf(bytes)
    if (ifMatch !== null && ifMatch !== version) throw new Conflict('Someone else changed the file', 'changed', { version })
    if (!isText(bytes) && !(force && ifMatch !== null)) {
      throw new Invalid('The file is not UTF-8 text; saving text would destroy it', 'not_text', { version })
    }
    return stats
  } finally {
    await handle.close()
  }
}

const isText = (bytes: Buffer): boolean => isUtf8(bytes) && !bytes.includes(0)

const isSame = (one: BigIntStats, other: BigIntStats): boolean =>
  one.ino === other.ino && one.dev === other.dev && one.mtimeNs === other.mtimeNs && one.size === other.size

/** Keeps the mode and, if possible, the owner. Only root may change the owner; otherwise the file belongs to the service's user. */
async function keepMode (handle: FileHandle, { mode, uid, gid }: Pick<BigIntStats, 'mode' | 'uid' | 'gid'>): Promise<void> {
  const own = await handle.stat({ bigint: true })
  if (own.uid !== uid || own.gid !== gid) await handle.chown(Number(uid), Number(gid)).catch(() => {})
  await handle.chmod(Number(mode) & 0o777)
}
