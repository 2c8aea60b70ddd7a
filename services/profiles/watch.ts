import { watch, type FSWatcher } from 'node:fs'
import { homeFiles } from '../ground/home/settings.js'
import { basename } from 'node:path'

/** Editors write a file in several steps; one look serves them all. */
const settleMs = 150
/** Where the system tells nothing (network drives), and for homes it stopped telling of. */
const lookEveryMs = 5_000

const watchedNames = new Set([basename(homeFiles.config('/')), basename(homeFiles.env('/'))])

/**
 * Tells that the files of a home may have changed. Whoever is told looks for itself: a look too many costs two file
 * statuses.
 */
export class HomeWatch {
  readonly #watched = new Map<string, { system: FSWatcher | null, timer: NodeJS.Timeout | null }>()
  #look: NodeJS.Timeout | undefined

  /** @param changed called with the home */
  constructor (private readonly changed: (home: string) => void) {}

  /** These homes and no others are watched from now on. */
  watch (homes: readonly string[]): void {
    this.#look ??= setInterval(() => { for (const home of this.#watched.keys()) this.changed(home) }, lookEveryMs).unref()
    for (const home of this.#watched.keys()) if (!homes.includes(home)) this.#forget(home)
    for (const home of homes) if (!this.#watched.has(home)) this.#watched.set(home, { system: this.#open(home), timer: null })
  }

  close (): void {
    clearInterval(this.#look)
    for (const home of [...this.#watched.keys()]) this.#forget(home)
  }

  #open (home: string): FSWatcher | null {
    try {
      const system = watch(home, { persistent: false }, (_, name) => { if (name === null || watchedNames.has(name)) this.#soon(home) })
      system.on('error', () => system.close())
      return system
    } catch {
      return null // too many watches, or no such folder yet: the regular look remains
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

  #forget (home: string): void {
    const watched = this.#watched.get(home)
    watched?.system?.close()
    if (watched?.timer != null) clearTimeout(watched.timer)
    this.#watched.delete(home)
  }
}
