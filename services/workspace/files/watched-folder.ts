import { watch, type FSWatcher } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { NotFound } from '../../ground/errors.js'
import { type Workers } from '../../ground/workers/index.js'
import { folderAt, openFolder, type OpenedFolder, type Territory } from '../place/place.js'

export interface WatchTiming {
  /** Changes come in bursts; the folder is read once for all changes within this time. */
  settleMs: number
  /** Changes that the system does not report (network drives, contents of subfolders) are noticed after this time. */
  lookEveryMs: number
  /** The same where the system reports nothing at all, and for a folder that is gone and may come back. */
  pollEveryMs: number
}

export interface WatchedFolderOptions {
  territory: Territory
  /** Relative to the territory. */
  path: string
  workers: Workers
  timing: WatchTiming
  /** Called when the signature has changed. */
  onChange: () => void
}

/** Reads a folder whenever the system reports a change in it, and also at intervals. */
export class WatchedFolder {
  /** Null while the folder does not exist. */
  signature: string | null = null
  readonly #options: WatchedFolderOptions
  #system: FSWatcher | null = null
  /** Device and inode of the watched folder. */
  #identity = ''
  /** Whether a change was reported since the last read. */
  #changed = false
  /** Ends the pause before the next read. */
  #resume = (): void => {}
  #closed = false

  constructor (options: WatchedFolderOptions) {
    this.#options = options
  }

  /** Watches until `close`. Rejects if the first read fails although the folder exists. */
  async begin (): Promise<void> {
    await this.#listen()
    void this.#follow()
    this.signature = await this.#look()
  }

  /** Called for a further reader: schedules a read, or reads at once if no read has found the folder yet. */
  async join (): Promise<void> {
    this.#wake()
    this.signature ??= await this.#look()
  }

  close (): void {
    this.#closed = true
    this.#system?.close()
    this.#resume()
  }

  async #follow (): Promise<void> {
    const { timing: { settleMs }, onChange } = this.#options
    while (!this.#closed) {
      await this.#pause()
      await delay(settleMs, undefined, { ref: false })
      if (this.#closed) return
      // Both come before the read, so that a change during it leads to another one.
      this.#changed = false
      if (this.#system === null || !await this.#isSame()) await this.#listen()
      const startedMs = performance.now()
      const signature = await this.#look().catch(() => this.signature)
      if (this.#closed) return
      if (signature === null) this.#unlisten()
      if (signature !== this.signature) {
        this.signature = signature
        onChange()
      }
      // A large folder that changes all the time must not be read all the time.
      await delay(4 * (performance.now() - startedMs), undefined, { ref: false })
    }
  }

  async #look (): Promise<string | null> {
    const { workers, territory, path } = this.#options
    try {
      return (await workers.run('listFolder', { territory, path })).signature
    } catch (error) {
      if (error instanceof NotFound) return null
      throw error
    }
  }

  /** Watches the opened folder instead of its path, so that a symlink that replaces it reports nothing. */
  async #listen (): Promise<void> {
    this.#unlisten()
    try {
      const opened = await openFolder(this.#options.territory, this.#options.path)
      try {
        this.#identity = identityOf(opened)
        const system = watch(`${opened.base}/`, { persistent: false })
        system.on('change', () => this.#wake())
        system.on('error', () => this.#wake())
        this.#system = system
      } finally {
        await opened.handle.close()
      }
    } catch {} // the folder is gone, or the system allows no more watches: it is polled
    if (this.#closed) this.#system?.close()
  }

  #unlisten (): void {
    this.#system?.close()
    this.#system = null
  }

  /** Returns false if another folder has replaced it, which the system's watch does not report. */
  async #isSame (): Promise<boolean> {
    const folder = await folderAt(this.#options.territory, this.#options.path).catch(() => null)
    return folder !== null && identityOf(folder) === this.#identity
  }

  async #pause (): Promise<void> {
    if (this.#changed || this.#closed) return
    const { lookEveryMs, pollEveryMs } = this.#options.timing
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#system === null ? pollEveryMs : lookEveryMs)
      timer.unref()
      this.#resume = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #wake (): void {
    this.#changed = true
    this.#resume()
  }
}

const identityOf = ({ stats }: Pick<OpenedFolder, 'stats'>): string => `${stats.dev}:${stats.ino}`
