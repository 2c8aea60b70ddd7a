import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError } from '../service/api.js'
import { type SpokenEnd, type SpokenTurn } from './spoken-turn.js'
import { type Recording } from './transcription.js'

/** `listening`: to the person; `hearing`: what was said is being written down; `waiting`: for the first word of the answer. */
export type HandsFreeState = 'off' | 'listening' | 'hearing' | 'waiting' | 'speaking'

/** What talking back and forth is made of. All of them throw ApiError for what the person is to be told. */
export interface HandsFreeParts {
  /** Records until nothing more is said; null when nothing was. */
  record: (signal: AbortSignal) => Promise<Recording | null>
  transcribe: (recording: Recording, signal: AbortSignal) => Promise<string>
  /** Sends it. The stream of the turn that answers; null when it was not taken: it is in the box then. */
  send: (text: string) => Promise<string | null>
  speak: (streamId: string, onSentence: () => void) => SpokenTurn
}

/** Listens, sends, has the answer read aloud while it is written, and listens again, until it is stopped. */
export class HandsFree {
  readonly #parts: HandsFreeParts
  readonly #state = signal<HandsFreeState>('off')
  readonly #problem = signal<string | null>(null)
  #life: AbortController | null = null
  #spoken: SpokenTurn | null = null

  constructor (parts: HandsFreeParts) {
    this.#parts = parts
  }

  get state (): ReadonlySignal<HandsFreeState> { return this.#state }
  /** Why it has ended by itself; null when somebody has ended it. */
  get problem (): ReadonlySignal<string | null> { return this.#problem }

  /** Resolves when it has ended. */
  async start ({ isContinuous = true }: { isContinuous?: boolean } = {}): Promise<void> {
    if (this.#life !== null) return
    const life = this.#life = new AbortController()
    this.#problem.value = null
    try {
      while (!life.signal.aborted) if (!await this.#round(life.signal) || !isContinuous) break
    } catch (error) {
      if (!life.signal.aborted) {
        if (!(error instanceof ApiError)) throw error
        this.#problem.value = error.message
      }
    } finally {
      if (this.#life === life) this.stop()
    }
  }

  /** The person has something to say: what is being read aloud ends, and it listens. */
  interrupt (): void { this.#spoken?.stop() }

  stop (): void {
    const life = this.#life
    this.#life = null
    this.#state.value = 'off'
    life?.abort()
    this.#spoken?.stop()
    this.#spoken = null
  }

  /** One question and its answer; false when there is to be no other. */
  async #round (signal: AbortSignal): Promise<boolean> {
    this.#enter('listening', signal)
    const recording = await this.#parts.record(signal)
    if (recording === null || signal.aborted) return true
    this.#enter('hearing', signal)
    const text = (await this.#parts.transcribe(recording, signal)).trim()
    if (text === '' || signal.aborted) return true
    this.#enter('waiting', signal)
    const streamId = await this.#parts.send(text)
    if (streamId === null || signal.aborted) return false
    const spoken = this.#spoken = this.#parts.speak(streamId, () => this.#enter('speaking', signal))
    const end: SpokenEnd = await spoken.ended
    this.#spoken = null
    return end === 'completed' || end === 'stopped'
  }

  #enter (state: HandsFreeState, signal: AbortSignal): void {
    if (!signal.aborted) this.#state.value = state
  }
}
