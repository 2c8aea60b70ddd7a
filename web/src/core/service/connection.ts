import { openEvents } from '../../../../clients/typescript/src/events.js'

/** A frame for windows. */
export interface HubFrame { event: string, data: unknown }

export interface ConnectionOptions {
  url: string
  onOpen: () => void
  /** `id`: null for frames that a stream cannot resume from. */
  onFrame: (id: string | null, frame: HubFrame) => void
  /**
   * Called once when the connection has ended, for whatever reason, but never after `close`. `status`: that of an answer without a stream;
   * 0 without an answer.
   */
  onEnd: (status: number) => void
  /** How long the connection may be silent; the service sends something every 5 s. */
  silentMs?: number
}

/** A connection for events: passes on those of a client's stream at once. */
export class Connection {
  readonly #aborter = new AbortController()
  readonly #options: ConnectionOptions

  constructor (options: ConnectionOptions) {
    this.#options = options
    void this.#run()
  }

  close (): void {
    this.#aborter.abort()
  }

  async #run (): Promise<void> {
    const { onFrame, onEnd, ...request } = this.#options
    const { signal } = this.#aborter
    let status = 0
    try {
      const batches = openEvents<HubFrame>({ ...request, signal }, async (response) => { status = response.status })
      for await (const batch of batches) for (const { id, frame } of batch) if (!signal.aborted) onFrame(id, frame)
    } catch {}
    if (signal.aborted) return
    this.close()
    onEnd(status)
  }
}
