export interface SilenceOptions {
  /** The length of silence that ends the recording. */
  silenceMs: number
  /** The lowest level that counts as speech, from 0 to 1. */
  threshold?: number
}

/** Detects by loudness when someone begins to speak, and when they have finished. */
export class SilenceWatch {
  readonly #options: Required<SilenceOptions>
  #spokeAtMs: number | null = null
  #loudSinceMs: number | null = null
  #lastLoudMs = 0

  constructor (options: SilenceOptions) {
    this.#options = { threshold: 0.06, ...options }
  }

  /** Returns `ended` once, after speech and then silence. A click or a knock is not speech. */
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
/** The longest gap between two sounds of one word. */
const gapMs = 150
