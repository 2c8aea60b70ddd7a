import { type HomeCounts } from './contract.js'

/** The counts are read at most this often, whatever happens. */
const pauseMs = 1_000

export interface CountsOptions {
  counts: (profile: string) => HomeCounts
  /** Whether any reader is connected. */
  isRead: () => boolean
  /** Called when the counts of a profile differ from the last ones. */
  changed: (profile: string) => void
}

/** Checks the counts of the profiles that have readers, a moment after something has happened. */
export class CountsWatch {
  readonly #known = new Map<string, string>()
  #timer: NodeJS.Timeout | null = null

  constructor (private readonly options: CountsOptions) {}

  /** Called when a reader opens this profile. */
  follow (profile: string): void {
    this.#known.set(profile, JSON.stringify(this.options.counts(profile)))
  }

  /** Called when something has happened that may have changed the counts. */
  look (): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      this.#compare()
    }, pauseMs).unref()
  }

  close (): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#known.clear()
  }

  #compare (): void {
    if (!this.options.isRead()) return this.#known.clear()
    for (const [profile, before] of this.#known) {
      const now = JSON.stringify(this.options.counts(profile))
      if (now === before) continue
      this.#known.set(profile, now)
      this.options.changed(profile)
    }
  }
}
