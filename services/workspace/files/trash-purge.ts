import { lstat, rmdir } from 'node:fs/promises'
import { type Clock, epochSeconds } from '../../ground/time/clock.js'
import { type Queue } from '../../ground/concurrency/queue.js'
import { asError, DomainError, NotFound } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type Workers } from '../../ground/workers/index.js'
import { type Territory } from '../place/place.js'
import { removalLimitMs } from './deleting.js'
import { trashFolder } from './listing-task.js'
import { contentOf, entriesOf, inTrash, markGone, type OpenTrash } from './trash-folder.js'
import { portionOfRows, type TrashRows } from './trash-rows.js'

export interface TrashPurgeOptions {
  rows: TrashRows
  clock: Clock
  workers: Workers
  /** Runs long tasks one after the other, so that threads stay free for tasks that someone waits for. */
  inTurn: Queue
  log: Log
}

const keptForS = 30 * 24 * 3_600
/** A row this old whose entry is not in the trash belongs to a deletion that never happened. */
const settledAfterS = 3_600
/** An entry this old without content is one that a kill has left: content comes right after it. The disk's time, not that of rows. */
const leftAfterMs = 60_000

/** Removes entries from the trash permanently, and reconciles rows with folders. */
export class TrashPurge {
  readonly #options: TrashPurgeOptions
  /** Deletions in progress. They take most of the time, and nothing waits for them; the next sweep removes what is left. */
  readonly #removals = new Set<Promise<void>>()
  /** Entries that are about to get their content. */
  readonly #filling = new Set<string>()

  constructor (options: TrashPurgeOptions) {
    this.#options = options
  }

  /** Runs `fill`, which makes an entry and puts its content there. Meanwhile, it is not taken for one that a kill has left. */
  async whileFilling (id: string, fill: () => Promise<void>): Promise<void> {
    this.#filling.add(id)
    try {
      await fill()
    } finally {
      this.#filling.delete(id)
    }
  }

  /** Removes entries permanently. They are out of the trash when it resolves, and deleted from the disk some time later. */
  async purge (territory: Territory, ids: string[]): Promise<void> {
    await inTrash(territory, { make: false }, async (trash) => {
      const gone: string[] = []
      for (const id of ids) {
        const name = await markGone(trash, id)
        if (name !== null) gone.push(name)
      }
      this.#remove(territory, gone)
    })
    this.#options.rows.remove(ids)
  }

  /** Removes rows without an entry, and adds rows for entries without one, as if they had been deleted now. */
  async reconcile ({ root }: Territory, trash: OpenTrash): Promise<{ gone: string[] }> {
    const { rows, clock } = this.#options
    const { ids, gone } = await entriesOf(trash)
    const there = new Set(ids)
    const nowS = epochSeconds(clock)
    const times = rows.times(root)
    rows.remove(times.filter(({ id, deletedAt }) => !there.has(id) && deletedAt < nowS - settledAfterS).map(({ id }) => id))
    const known = new Set(times.map(({ id }) => id))
    for (const id of ids.filter((id) => !known.has(id)).slice(0, portionOfRows)) {
      const content = await contentOf(trash, id)
      if (content === null) {
        if (await this.#isLeft(trash, id)) await rmdir(`${trash.base}/${id}`).catch(() => {})
        continue
      }
      const { name, isFolder, sizeBytes } = content
      rows.addFound({ id, workspace: root, path: name, isFolder, sizeBytes, deletedAt: nowS })
    }
    return { gone }
  }

  /** See sweep of createTrash. */
  async sweep (): Promise<void> {
    const { rows, clock } = this.#options
    const expired = rows.deletedBefore(epochSeconds(clock) - keptForS)
    for (const root of rows.workspaces()) {
      const ids = expired.filter(({ workspace }) => workspace === root).map(({ id }) => id)
      try {
        await this.#sweepOne({ root, closed: [] }, ids)
      } catch (error) {
        // The folder is gone, or its disk is not mounted at the moment. If it comes back, its entries get new rows.
        if (error instanceof NotFound) rows.remove(ids)
        else if (!(error instanceof DomainError)) throw error
      }
    }
    await this.settled()
  }

  /** Resolves when everything that was removed permanently so far is deleted from the disk, or has failed to be. */
  async settled (): Promise<void> {
    await Promise.all(this.#removals)
  }

  async #sweepOne (territory: Territory, expired: string[]): Promise<void> {
    const opened = await inTrash(territory, { make: false }, async (trash) => {
      await this.#clearEmpty(trash)
      this.#remove(territory, (await this.reconcile(territory, trash)).gone.slice(0, portionOfRows))
    })
    if (opened === null) this.#options.rows.remove(expired)
    else if (expired.length > 0) await this.purge(territory, expired)
  }

  /**
   * Removes entries that a kill has left without content, before it was put there or after it was taken out. They would be listed, and
   * could not be restored.
   */
  async #clearEmpty (trash: OpenTrash): Promise<void> {
    for (const id of (await entriesOf(trash)).ids) {
      if (!await this.#isLeft(trash, id)) continue
      // This fails for all that have content.
      if (await rmdir(`${trash.base}/${id}`).then(() => true, () => false)) this.#options.rows.remove([id])
    }
  }

  /** Whether nobody is filling an entry any more; another service that works in the same folder may have made it just now. */
  async #isLeft ({ base }: OpenTrash, id: string): Promise<boolean> {
    const changedMs = await lstat(`${base}/${id}`).then(({ mtimeMs }) => mtimeMs, () => null)
    return changedMs !== null && !this.#filling.has(id) && Math.abs(Date.now() - changedMs) > leftAfterMs
  }

  #remove (territory: Territory, names: string[]): void {
    const { workers, inTurn, log } = this.#options
    for (const name of names) {
      const removal = inTurn('slow', () =>
        workers.run('removeTrees', { territory, folder: trashFolder, names: [name] }, { timeoutMs: removalLimitMs }))
        .then(() => {}, (error: unknown) =>
          log('permanently deleted files are not removed yet', { reason: asError(error).message }))
        .finally(() => this.#removals.delete(removal))
      this.#removals.add(removal)
    }
  }
}
