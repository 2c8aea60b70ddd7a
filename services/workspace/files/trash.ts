import { randomBytes } from 'node:crypto'
import { rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { and, asc, desc, eq, inArray, lt } from 'drizzle-orm'
import { type Clock, epochSeconds } from '../../ground/clock.js'
import { type Database, tables } from '../../ground/database/index.js'
import { Conflict, DomainError, Forbidden, NotFound } from '../../ground/errors.js'
import { type Workers } from '../../ground/workers/index.js'
import { deletable, removalLimitMs, removeForGood } from './deleting.js'
import { ensureFolder, refuseOwn } from './entries.js'
import { trashFolder } from './listing-task.js'
import { withSuffix } from '../place/names.js'
import { atSpot, holdsClosed, openFolder, type Territory } from '../place/place.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { contentOf, entriesOf, inTrash, markGone, type OpenTrash, putInto, takeOut } from './trash-folder.js'
import { type Unfinished } from './unfinished.js'

const { trash: table } = tables

export interface TrashItem {
  id: string
  /** Where it was, relative to the workspace. */
  path: string
  isFolder: boolean
  /** Null for folders. */
  sizeBytes: number | null
  deletedAtS: number
}

export interface TrashOptions {
  db: Database
  clock: Clock
  workers: Workers
  /** What takes long goes one after the other, so that it leaves threads for what is waited for. */
  inTurn: Queue
  unfinished: Unfinished
  log: (message: string, details: Record<string, unknown>) => void
}

export const keptForS = 30 * 24 * 3_600
/** A row this old whose thing is not in the trash belongs to a delete that never happened. */
const settledAfterS = 3_600
const mostListed = 1_000
const mostPerSweep = 200

/**
 * What was deleted from workspaces. It lies in a hidden folder of the workspace itself, as only there a delete is one
 * rename, and stays for 30 days. The row is written before the file is moved and removed after it is gone, so that
 * whatever happens in between, nothing a person deleted is forgotten.
 */
export function createTrash ({ db, clock, workers, inTurn, unfinished, log }: TrashOptions) {
  const { orm } = db
  /** Takes most of the time and is nothing to wait for; what is left over goes at the next sweep. */
  const removals = new Set<Promise<void>>()

  const forget = (ids: string[]): void => {
    for (let start = 0; start < ids.length; start += mostPerSweep) {
      db.transaction(() => orm.delete(table).where(inArray(table.id, ids.slice(start, start + mostPerSweep))).run())
    }
  }
  const rowsOf = (root: string) => orm.select().from(table).where(eq(table.workspace, root)).orderBy(desc(table.deletedAt), desc(table.id)).limit(mostListed).all()

  function remove (territory: Territory, names: string[]): void {
    for (const name of names) {
      const removal = inTurn('slow', () => workers.run('removeTrees', { territory, folder: trashFolder, names: [name] }, { timeoutMs: removalLimitMs }))
        .then(() => {}, (error: unknown) => log('what was deleted for good is not removed yet', { reason: error instanceof Error ? error.message : String(error) }))
        .finally(() => removals.delete(removal))
      removals.add(removal)
    }
  }

  async function purge (territory: Territory, ids: string[]): Promise<void> {
    await inTrash(territory, { make: false }, async (trash) => {
      const gone: string[] = []
      for (const id of ids) {
        const name = await markGone(trash, id)
        if (name !== null) gone.push(name)
      }
      remove(territory, gone)
    })
    forget(ids)
  }

  /** Rows without a thing vanish, things without a row get one: as if they had been deleted now. */
  async function reconcile ({ root }: Territory, trash: OpenTrash): Promise<{ gone: string[] }> {
    const { ids, gone } = await entriesOf(trash)
    const there = new Set(ids)
    const now = epochSeconds(clock)
    const rows = orm.select({ id: table.id, deletedAt: table.deletedAt }).from(table).where(eq(table.workspace, root)).all()
    forget(rows.filter(({ id, deletedAt }) => !there.has(id) && deletedAt < now - settledAfterS).map(({ id }) => id))
    const known = new Set(rows.map(({ id }) => id))
    for (const id of ids.filter((id) => !known.has(id)).slice(0, mostPerSweep)) {
      const content = await contentOf(trash, id)
      if (content === null) {
        await rmdir(`${trash.base}/${id}`).catch(() => {})
        continue
      }
      const { name, isFolder, sizeBytes } = content
      db.transaction(() => orm.insert(table).values({ id, workspace: root, path: name, isFolder, sizeBytes, deletedAt: now }).onConflictDoNothing().run())
    }
    return { gone }
  }

  async function restoreAt (territory: Territory, trash: OpenTrash, id: string, path: string): Promise<string> {
    const cut = path.lastIndexOf('/') + 1
    for (let n = 0; n < 100; n++) {
      const name = n === 0 ? path.slice(cut) : withSuffix(path.slice(cut), n === 1 ? ' (restored)' : ` (restored ${n})`)
      try {
        return await atSpot(territory, `${path.slice(0, cut)}${name}`, async (spot) => {
          refuseOwn(spot.path)
          if (holdsClosed(territory, spot.real)) throw new Forbidden('The service keeps its own files there')
          await takeOut(trash, id, spot)
          return spot.path
        })
      } catch (error) {
        if (!(error instanceof Conflict) || error.code !== 'exists') throw error
      }
    }
    throw new Conflict('There are too many files of this name', 'exists')
  }

  const rowOf = (root: string, id: string) => {
    const row = orm.select().from(table).where(and(eq(table.id, id), eq(table.workspace, root))).get()
    if (row === undefined) throw new NotFound('This is not in the trash')
    return row
  }

  return {
    /**
     * Deletes a file, a symlink (not what it leads to) or, with `recursive`, a folder. Throws NotFound, Conflict, Forbidden,
     * Invalid (`other_disk`: what cannot be put into the trash can be removed for good).
     */
    async put (territory: Territory, path: string, { recursive }: { recursive: boolean }): Promise<{ path: string, id: string }> {
      return await atSpot(territory, path, async (spot) => {
        const stats = await deletable(territory, spot, { recursive })
        const id = randomBytes(10).toString('hex')
        await inTrash(territory, { make: true }, async (trash) => {
          await db.durably(() => orm.insert(table).values({
            id, workspace: territory.root, path: spot.path, isFolder: stats.isDirectory(), sizeBytes: stats.isDirectory() ? null : stats.size, deletedAt: epochSeconds(clock)
          }).run())
          await putInto(trash, id, spot).catch((error: unknown) => {
            forget([id])
            throw error
          })
        })
        return { path: spot.path, id }
      })
    },

    /** Deletes something without putting it into the trash. Throws NotFound, Invalid, Forbidden, Conflict (`not_removed`). */
    async bypass (territory: Territory, path: string, { recursive }: { recursive: boolean }): Promise<{ path: string }> {
      return await atSpot(territory, path, async (spot) => {
        await removeForGood(territory, spot, { recursive }, { workers, inTurn, unfinished })
        return { path: spot.path }
      })
    },

    /** What can be restored, newest first; at most the newest 1,000. */
    async list (territory: Territory): Promise<TrashItem[]> {
      const there = await inTrash(territory, { make: false }, async (trash) => {
        await reconcile(territory, trash)
        return new Set((await entriesOf(trash)).ids)
      })
      return rowsOf(territory.root).filter(({ id }) => there?.has(id) === true)
        .map(({ id, path, isFolder, sizeBytes, deletedAt }) => ({ id, path, isFolder, sizeBytes, deletedAtS: deletedAt }))
    },

    /**
     * Brings something back to where it was, making the folders above it, or into another folder that is there; under
     * another name where that place is taken. Answers the path it has now. Throws NotFound, Conflict.
     */
    async restore (territory: Territory, id: string, { folder = null }: { folder?: string | null } = {}): Promise<{ path: string }> {
      const { path } = rowOf(territory.root, id)
      const cut = path.lastIndexOf('/')
      const name = path.slice(cut + 1)
      const restored = await inTrash(territory, { make: false }, async (trash) => {
        if (folder !== null) return await restoreAt(territory, trash, id, join(await folderPath(territory, folder), name))
        if (cut !== -1) await ensureFolder(territory, path.slice(0, cut), name)
        return await restoreAt(territory, trash, id, path)
      })
      if (restored === null) throw new NotFound('This is not in the trash any more')
      forget([id])
      return { path: restored }
    },

    /** Removes one thing for good. Throws NotFound. */
    async remove (territory: Territory, id: string): Promise<{ removed: number }> {
      rowOf(territory.root, id)
      await purge(territory, [id])
      return { removed: 1 }
    },

    /** Removes everything in the trash of a workspace for good. */
    async empty (territory: Territory): Promise<{ removed: number }> {
      const ids = await inTrash(territory, { make: false }, async (trash) => {
        await reconcile(territory, trash)
        return (await entriesOf(trash)).ids
      }) ?? []
      await purge(territory, ids)
      return { removed: ids.length }
    },

    /** Removes what has been in the trash for 30 days, and finishes what was interrupted. A bounded part of it at a time. */
    async sweep (): Promise<void> {
      const expired = orm.select().from(table).where(lt(table.deletedAt, epochSeconds(clock) - keptForS)).orderBy(asc(table.deletedAt)).limit(mostPerSweep).all()
      const workspaces = orm.selectDistinct({ root: table.workspace }).from(table).limit(mostListed).all()
      for (const { root } of workspaces) {
        const territory: Territory = { root, closed: [] }
        const ids = expired.filter(({ workspace }) => workspace === root).map(({ id }) => id)
        try {
          const opened = await inTrash(territory, { make: false }, async (trash) => remove(territory, (await reconcile(territory, trash)).gone.slice(0, mostPerSweep)))
          if (opened === null) forget(ids)
          else if (ids.length > 0) await purge(territory, ids)
        } catch (error) {
          // The folder is not there any more, or its disk is not mounted today: what is on it gets a row when it is back.
          if (error instanceof NotFound) forget(ids)
          else if (!(error instanceof DomainError)) throw error
        }
      }
      await Promise.all(removals)
    },

    /** Resolves when everything that was deleted for good so far is off the disk, or has failed to go. */
    async settled (): Promise<void> {
      await Promise.all(removals)
    }
  }
}

export type Trash = ReturnType<typeof createTrash>

async function folderPath (territory: Territory, folder: string): Promise<string> {
  const opened = await openFolder(territory, folder === '' ? '.' : folder)
  await opened.handle.close()
  return opened.path
}
