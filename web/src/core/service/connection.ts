import { createParser } from 'eventsource-parser'

/** A frame whose data are not parsed yet. */
export interface RawFrame { id: string, event: string, data: string }

export interface ConnectionOptions {
  url: string
  onOpen: () => void
  onFrame: (frame: RawFrame) => void
  /**
   * Called once when the connection is over, for whatever reason, and never after `close`. `status` is that of an answer without a stream,
   * 0 without an answer.
   */
  onEnd: (status: number) => void
  /** How long nothing may arrive; the service sends something every 5 s. */
  silentMs?: number
}

/** A connection for events, by fetch. Unlike EventSource, it tells why it was refused, and it gives up a silent connection. */
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
