import { signal, type ReadonlySignal } from '@preact/signals-core'
import { ApiError } from '../service/api.js'
import { type SpokenEnd, type SpokenTurn } from './spoken-turn.js'
import { type Recording } from './transcription.js'

/** `listening`: recording the person; `hearing`: transcribing; `waiting`: until the first word of the answer. */
export type HandsFreeState = 'off' | 'listening' | 'hearing' | 'waiting' | 'speaking'

/** The operations of voice mode. All throw ApiError with a message for the person. */
export interface HandsFreeParts {
  /** Records until the person is silent. Resolves with null if nothing was said. */
  record: (signal: AbortSignal) => Promise<Recording | null>
  transcribe: (recording: Recording, signal: AbortSignal) => Promise<string>
  /** Sends the text. Returns the stream of the turn; null if it was not accepted and is in the box. */
  send: (text: string) => Promise<string | null>
  speak: (streamId: string, onSentence: () => void) => SpokenTurn
}

/** Records, sends, reads the answer aloud as it is written, and records again, until stopped. */
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
  /** Why it ended on its own; null if it was stopped. */
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

  /** Stops reading aloud and listens, because the person has something to say. */
  interrupt (): void { this.#spoken?.stop() }

  stop (): void {
    const life = this.#life
    this.#life = null
    this.#state.value = 'off'
    life?.abort()
    this.#spoken?.stop()
    this.#spoken = null
  }

  /** Runs one question and its answer. Returns false to end. */
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
