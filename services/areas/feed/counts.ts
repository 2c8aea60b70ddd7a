import { type HomeCounts } from './contract.js'

/** Numbers are looked at this often at most, whatever happens. */
const pauseMs = 1_000

export interface CountsOptions {
  counts: (profile: string) => HomeCounts
  /** Somebody reads. */
  isRead: () => boolean
  /** The numbers of a profile are others than at the last look. */
  changed: (profile: string) => void
}

/** Looks at the numbers of the profiles that somebody reads, a moment after something happened. */
export class CountsWatch {
  readonly #known = new Map<string, string>()
  #timer: NodeJS.Timeout | null = null

  constructor (private readonly options: CountsOptions) {}

  /** Somebody reads this profile. */
  follow (profile: string): void {
    this.#known.set(profile, JSON.stringify(this.options.counts(profile)))
  }

  /** Something happened that may have changed them. */
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
