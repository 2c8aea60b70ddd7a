import { createParser } from 'eventsource-parser'

/** A frame as it came: its data are not read yet. */
export interface RawFrame { id: string, event: string, data: string }

export interface ConnectionOptions {
  url: string
  onOpen: () => void
  onFrame: (frame: RawFrame) => void
  /**
   * It is over, for whatever reason; said once, and never after `close`. `status` is of an answer
   * that was no stream, 0 where there was none.
   */
  onEnd: (status: number) => void
  /** The service says something every 5 s. */
  silentMs?: number
}

/**
 * One connection that brings events, read with fetch: unlike with EventSource, it is known why it
 * was refused, and a silent one is given up.
 */
export class Connection {
  readonly #aborter = new AbortController()
  readonly #options: ConnectionOptions
  #isOver = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor (options: ConnectionOptions) {
    this.#options = options
    void this.#run()
  }

  close (): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#aborter.abort()
  }

  async #run (): Promise<void> {
    const { url, onOpen, onFrame } = this.#options
    let status = 0
    try {
      this.#heard()
      const response = await fetch(url, { headers: { accept: 'text/event-stream' }, signal: this.#aborter.signal, cache: 'no-store' })
      if (!response.ok || response.body === null) {
        status = response.status
        throw new Error('no stream')
      }
      if (this.#isOver) return
      onOpen()
      const parser = createParser({
        onEvent: ({ id = '', event = 'message', data }) => { if (!this.#isOver) onFrame({ id, event, data }) }
      })
      const decoder = new TextDecoder()
      const reader = response.body.getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        this.#heard()
        parser.feed(decoder.decode(part.value, { stream: true }))
      }
    } catch {}
    if (this.#isOver) return
    this.close()
    this.#options.onEnd(status)
  }

  #heard (): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#aborter.abort(), this.#options.silentMs ?? 20_000)
  }
}
