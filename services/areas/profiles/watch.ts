import { existsSync, watch, type FSWatcher } from 'node:fs'
import { homeFiles } from '../../ground/home/settings.js'
import { basename } from 'node:path'

/** Editors write a file in several steps; one check covers them all. */
const settleMs = 150
/** The interval of checks for file systems that report no changes (network drives), and for homes whose watch has failed. */
const lookEveryMs = 5_000

const watchedNames = new Set([basename(homeFiles.config('/')), basename(homeFiles.env('/'))])

/**
 * Reports that the files of a home may have changed, or that homes may have been added or removed. The listener checks for itself: an
 * unnecessary check costs a few file statuses.
 */
export class HomeWatch {
  readonly #watched = new Map<string, { system: FSWatcher | null, timer: NodeJS.Timeout | null }>()
  #look: NodeJS.Timeout | undefined
  #around: FSWatcher | null = null
  #aroundTimer: NodeJS.Timeout | null = null

  /**
   * @param changed called with the home
   * @param moved called when the folder that holds the homes has changed
   */
  constructor (private readonly changed: (home: string) => void, private readonly moved: () => void) {}

  /** Watches exactly these homes from now on. */
  watch (homes: readonly string[]): void {
    this.#look ??= setInterval(() => {
      this.moved()
      for (const home of this.#watched.keys()) this.changed(home)
    }, lookEveryMs).unref()
    for (const home of this.#watched.keys()) if (!homes.includes(home)) this.#forget(home)
    for (const home of homes) if (!this.#watched.has(home)) this.#watched.set(home, { system: this.#open(home), timer: null })
  }

  /** Also watches the folder that holds the homes; until it exists, the regular check has to suffice. */
  watchAround (folder: string): void {
    if (this.#around !== null || !existsSync(folder)) return
    try {
      this.#around = watch(folder, { persistent: false }, () => {
        this.#aroundTimer ??= setTimeout(() => {
          this.#aroundTimer = null
          this.moved()
        }, settleMs).unref()
      })
      this.#around.on('error', () => this.#leaveAround())
    } catch {} // too many watches: the regular check remains
  }

  close (): void {
    clearInterval(this.#look)
    this.#leaveAround()
    for (const home of [...this.#watched.keys()]) this.#forget(home)
  }

  #open (home: string): FSWatcher | null {
    try {
      const system = watch(home, { persistent: false }, (_, name) => { if (name === null || watchedNames.has(name)) this.#soon(home) })
      system.on('error', () => system.close())
      return system
    } catch {
      return null // too many watches, or no such folder yet: the regular check remains
    }
  }

  #soon (home: string): void {
    const watched = this.#watched.get(home)
    if (watched === undefined) return
    watched.timer ??= setTimeout(() => {
      watched.timer = null
      this.changed(home)
    }, settleMs).unref()
  }

  #leaveAround (): void {
    this.#around?.close()
    this.#around = null
    if (this.#aroundTimer !== null) clearTimeout(this.#aroundTimer)
    this.#aroundTimer = null
  }

  #forget (home: string): void {
    const watched = this.#watched.get(home)
    watched?.system?.close()
    if (watched?.timer != null) clearTimeout(watched.timer)
    this.#watched.delete(home)
  }
}
