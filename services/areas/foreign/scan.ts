import { epochSeconds, type Clock } from '../../ground/time/clock.js'
import { type Database } from '../../ground/database/index.js'
import { asError } from '../../ground/errors.js'
import { type Log } from '../../ground/log.js'
import { type FoundFile } from './folders.js'
import { type Maker } from './maker.js'
import { makers, type Stores } from './makers.js'
import { type ForeignSessionRows } from './rows.js'
import { type Followed, type Progress } from './store.js'
import { type ForeignRow } from './tally.js'

export interface ForeignScanOptions {
  db: Database
  clock: Clock
  rows: ForeignSessionRows
  stores: Stores
  /** Called at every read of a session's file. */
  onRead?: (bytes: number) => void
  /** Lets other work run between two stretches of reading. */
  pause: () => Promise<unknown>
  log: Log
}

/** Updates the rows from the files: reads what was written since the last time, and removes what is gone. */
export class ForeignScan {
  /** Where reading of each file continues. */
  readonly #known = new Map<string, Progress>()
  #running: Promise<boolean> | null = null
  #isStopped = false

  constructor (readonly options: ForeignScanOptions) {}

  /**
   * Returns whether the list has changed. Only one scan runs at a time: calls meanwhile share its result. Throws if the folders or the
   * database cannot be used.
   */
  run (): Promise<boolean> {
    this.#running ??= this.#scan().finally(() => { this.#running = null })
    return this.#running
  }

  /** Resolves when the running scan has ended; nothing is read or written afterwards. */
  async stop (): Promise<void> {
    this.#isStopped = true
    await this.#running?.catch(() => {})
  }

  async #scan (): Promise<boolean> {
    let hasChanged = false
    for (const maker of Object.values(makers)) {
      const files = await this.options.stores[maker.source].found()
      if (this.#isStopped) return hasChanged
      if (files === null) continue
      const rows = this.options.rows.ofSource(maker.source)
      hasChanged = this.#forget(rows, files) || hasChanged
      for (const file of files) {
        if (this.#isStopped) return hasChanged
        const row = rows.get(file.path)
        if (!this.#isAsBefore(file, row)) hasChanged = await this.#look(maker, file, row) || hasChanged
      }
    }
    return hasChanged
  }

  /** Removes the rows of files that are gone, or no longer among the newest. */
  #forget (rows: Map<string, ForeignRow>, files: FoundFile[]): boolean {
    const present = new Set(files.map(({ path }) => path))
    const gone = [...rows.values()].filter(({ path }) => !present.has(path))
    this.options.rows.remove(gone.map(({ id }) => id))
    for (const { path } of gone) this.#known.delete(path)
    return gone.some((row) => visible(row) !== null)
  }

  #isAsBefore ({ path, inode, sizeBytes, modifiedAt }: FoundFile, row: ForeignRow | undefined): boolean {
    if (row === undefined) return false
    // The size reveals what the time may not: two writes within one tick of the file system's clock.
    return row.inode === inode && row.modifiedAt === modifiedAt && (this.#known.get(path)?.sizeBytes ?? row.readBytes) === sizeBytes
  }

  async #look (maker: Maker, { path, name }: FoundFile, row: ForeignRow | undefined): Promise<boolean> {
    const { clock, onRead, pause, log } = this.options
    const progress = row === undefined ? undefined : this.#known.get(path)
    // Reading changes the progress object in place: if it fails half-way, only the row tells how far it had come.
    this.#known.delete(path)
    try {
      const followed = await this.options.stores[maker.source].follow(maker.reader, {
        path, progress, row, nowS: epochSeconds(clock), isStopped: () => this.#isStopped, onRead, pause
      })
      if (followed === null || this.#isStopped) return false
      const hasChanged = this.#store(maker, path, name, followed, row)
      const { told: _told, ...next } = followed
      this.#known.set(path, next)
      return hasChanged
    } catch (error) {
      log('a session of another program could not be read', { path, error: asError(error).message })
      return false
    }
  }

  #store (
    maker: Maker, path: string, name: string, { told, tally, readBytes, inode, modifiedAt }: Followed, row: ForeignRow | undefined
  ): boolean {
    const { db, rows } = this.options
    return db.transaction(() => {
      const next: ForeignRow = {
        id: row?.id ?? rows.freeId(maker, tally.id ?? maker.idOf(name)), source: maker.source, path, readBytes, inode, modifiedAt, ...told
      }
      rows.store(next)
      return visible(row) !== visible(next)
    })
  }
}

/** Returns the parts of a row that people see; null if it is not shown. */
function visible (row: ForeignRow | undefined): string | null {
  if (row === undefined || row.userMessageCount === 0) return null
  const { readBytes: _readBytes, inode: _inode, modifiedAt: _modifiedAt, ...rest } = row
  return JSON.stringify(Object.entries(rest).sort())
}
