import { type transcriptFrames } from '../../../schemas/voice.js'
import { DomainError } from '../../ground/errors.js'
import { encodeFrame, framesOf, type Subscription } from '../../ground/events/index.js'

const frame = framesOf<typeof transcriptFrames>()

/** The partial texts of a long recording are long: nobody can read them more often than this. */
const pauseMs = 100

/**
 * The text of a recording while it is being transcribed, for one listener. Only the newest partial text is kept, so a reader that takes
 * nothing costs nothing.
 */
export class LiveTranscript implements Subscription {
  /**
   * Resolves when there is something to read. Rejects when the work fails before its first text: that can still be sent as the status of an
   * answer.
   */
  readonly begun: Promise<void>
  position = 0

  #partial: string | null = null
  #last: Buffer | null = null
  #isDone = false
  #nextMs = -Infinity
  #timer: NodeJS.Timeout | undefined
  #listener = (): void => {}
  readonly #gone = new AbortController()

  /** `work` returns the whole text; it is aborted when the listener disconnects, which `left` signals. */
  constructor (work: (signal: AbortSignal, onPartial: (text: string) => void) => Promise<string>, left: AbortSignal) {
    if (left.aborted) this.close()
    else left.addEventListener('abort', () => this.close(), { once: true })
    this.begun = new Promise((resolve, reject) => {
      let hasBegun = false
      const begin = (): void => {
        hasBegun = true
        resolve()
      }
      work(this.#gone.signal, (text) => {
        if (text === '' || this.#isDone) return
        this.#partial = text
        this.#tell()
        begin()
      }).then((transcript) => {
        this.#finish(encodeFrame(frame('final', { ok: true, transcript })))
        begin()
      }, (error: unknown) => {
        if (!hasBegun) return reject(error)
        this.#finish(
          encodeFrame(frame('error', { error: error instanceof DomainError ? error.message : 'The recording could not be transcribed' }))
        )
      })
    })
  }

  read (): Buffer[] {
    const ready: Buffer[] = []
    if (this.#last !== null) ready.push(this.#last)
    else if (this.#partial !== null && performance.now() >= this.#nextMs) {
      ready.push(encodeFrame(frame('partial', { text: this.#partial.trimEnd() })))
      this.#nextMs = performance.now() + pauseMs
    } else return []
    this.#partial = null
    this.#last = null
    this.position++
    return ready
  }

  get ended (): boolean { return this.#isDone && this.#last === null }

  onReadable (listener: () => void): void { this.#listener = listener }

  close (): void {
    clearTimeout(this.#timer)
    this.#gone.abort()
  }

  #tell (): void {
    clearTimeout(this.#timer)
    const waitMs = this.#nextMs - performance.now()
    if (waitMs <= 0) this.#listener()
    // Rounded up: a timer that fires slightly early would find that it is not time yet.
    else this.#timer = setTimeout(() => this.#listener(), Math.ceil(waitMs) + 1).unref()
  }

  #finish (last: Buffer): void {
    clearTimeout(this.#timer)
    this.#isDone = true
    this.#partial = null
    this.#last = last
    this.#listener()
  }
}
