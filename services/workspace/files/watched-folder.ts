import { watch, type FSWatcher } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { NotFound } from '../../ground/errors.js'
import { type Workers } from '../../ground/workers/index.js'
import { openFolder, type OpenedFolder, type Territory } from '../place/place.js'

export interface WatchTiming {
  /** Changes come in bursts; one look serves those of this time. */
  settleMs: number
  /** What the system does not tell of (network drives, the inside of subfolders) is noticed after this time. */
  lookEveryMs: number
  /** The same where it tells nothing at all, and for a folder that has gone and may come back. */
  pollEveryMs: number
}

export interface WatchedFolderOptions {
  territory: Territory
  /** Relative to the territory. */
  path: string
  workers: Workers
  timing: WatchTiming
  /** Told when the signature has become another one. */
  onChange: () => void
}

/** A folder that is looked at whenever the system says that something has changed in it, and now and then besides. */
export class WatchedFolder {
  /** Null while the folder is not there. */
  signature: string | null = null
  readonly #options: WatchedFolderOptions
  #system: FSWatcher | null = null
  /** Which folder that is, by device and inode. */
  #identity = ''
  /** Something has happened since the last look. */
  #changed = false
  /** Ends the pause before the next look. */
  #resume = (): void => {}
  #closed = false

  constructor (options: WatchedFolderOptions) {
    this.#options = options
  }

  /** Watches until `close`. Rejects when the folder cannot be looked at for the first time, though it is there. */
  async begin (): Promise<void> {
    await this.#listen()
    void this.#follow()
    this.signature = await this.#look()
  }

  /** For one more who looks at it: a look is due, and done at once where none has found the folder yet. */
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
      // Both before the look, so that what changes during it leads to another one.
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
      // A large folder in which something changes all the time is not looked at all the time.
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

  /** Follows the opened folder, not its name: a symlink that takes its place tells nothing. */
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
    } catch {} // gone, or the system watches no more: it is looked at now and then
    if (this.#closed) this.#system?.close()
  }

  #unlisten (): void {
    this.#system?.close()
    this.#system = null
  }

  /** False when another folder has taken its place, of which the system's watch tells nothing. */
  async #isSame (): Promise<boolean> {
    const opened = await openFolder(this.#options.territory, this.#options.path).catch(() => null)
    await opened?.handle.close()
    return opened !== null && identityOf(opened) === this.#identity
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

const identityOf = ({ stats }: OpenedFolder): string => `${stats.dev}:${stats.ino}`
