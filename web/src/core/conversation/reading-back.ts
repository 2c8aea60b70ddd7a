import { signal, type ReadonlySignal } from '@preact/signals-core'
import { type Api } from '../service/api.js'
import { earlierRows, readBackTo, readPage } from '../sessions/session-pages.js'
import { type Transcript } from './transcript.js'

export interface ReadingBackOptions {
  api: Api
  transcript: Transcript
  /** The session; null if there is none, or it is no longer followed. */
  id: () => string | null
}

/** Prepends earlier messages to a transcript, one page at a time. */
export class ReadingBack {
  readonly #isActive = signal(false)
  #reading: Promise<void> | null = null

  constructor (readonly options: ReadingBackOptions) {}

  get isActive (): ReadonlySignal<boolean> { return this.#isActive }

  /** Loads an earlier page, or with `from` everything back to that message. Throws ApiError. */
  async read (from: number | null): Promise<void> {
    if (from !== null) await this.#reading?.catch(() => {})
    const { transcript } = this.options
    const id = this.options.id()
    const before = transcript.offset
    if (id === null || !transcript.hasEarlier.peek() || this.#isActive.peek() || (from !== null && before <= from)) return
    this.#isActive.value = true
    this.#reading = this.#read(id, before, from)
    await this.#reading
  }

  async #read (id: string, before: number, from: number | null): Promise<void> {
    const { api, transcript } = this.options
    try {
      const page = from === null
        ? await readPage(api, id, { before, limit: earlierRows(transcript.rowCount) })
        : await readBackTo(api, id, { before, from })
      // Another page, or a new state of the whole transcript, may have arrived meanwhile.
      if (this.options.id() !== null && transcript.offset === before) transcript.prepend(page.rows, page.offset)
    } finally {
      this.#isActive.value = false
    }
  }
}
