export interface SilenceOptions {
  /** So long nothing has to be said until it is the end. */
  silenceMs: number
  /** From 0 to 1: as loud somebody speaks at least. */
  threshold?: number
}

/** Hears by how loud it is when somebody has begun to speak, and when they have ended. */
export class SilenceWatch {
  readonly #options: Required<SilenceOptions>
  #spokeAtMs: number | null = null
  #loudSinceMs: number | null = null
  #lastLoudMs = 0

  constructor (options: SilenceOptions) {
    this.#options = { threshold: 0.06, ...options }
  }

  /** `ended` once, after something was said and then nothing more. A click or a knock is no speech. */
  feed (level: number, atMs: number): 'quiet' | 'speaking' | 'ended' {
    const { threshold, silenceMs } = this.#options
    if (level >= threshold) {
      this.#loudSinceMs ??= atMs
      this.#lastLoudMs = atMs
      if (atMs - this.#loudSinceMs >= leastSpeechMs) this.#spokeAtMs ??= atMs
    } else if (this.#spokeAtMs === null && atMs - this.#lastLoudMs > gapMs) this.#loudSinceMs = null
    if (this.#spokeAtMs === null) return 'quiet'
    return atMs - this.#lastLoudMs >= silenceMs ? 'ended' : 'speaking'
  }
}

const leastSpeechMs = 200
/** Between two sounds of one word. */
const gapMs = 150
