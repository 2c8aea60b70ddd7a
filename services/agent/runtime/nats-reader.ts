import { DeliverPolicy, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream'
import { after } from '../../ground/concurrency/after.js'
import { type Log } from '../../ground/log.js'
import { type NatsLink } from '../../ground/nats/link.js'

export interface StreamReaderOptions {
  link: NatsLink
  /** Subjects to read. */
  filter: string
  /** Stream sequence number of the first message to read. */
  from: number
  /** Takes a message. The next one waits until the promise has resolved. */
  take: (message: JsMsg) => Promise<void> | void
  log: Log
}

/** How many messages may be in flight. */
const mostOnTheWay = 500
const pauseMs = 500

/** Reads the stream of runs: each message once and in order, however often the server disconnects. */
export class StreamReader {
  #next: number
  #messages: ConsumerMessages | null = null
  #isStopped = false
  /** When the stream was created. */
  #created: string | null = null
  #logged = ''
  #wake = (): void => {}

  constructor (private readonly options: StreamReaderOptions) {
    this.#next = options.from
    void this.#run()
  }

  /** Opens a new consumer, because the server may have lost the old one. */
  renew (): void {
    this.#messages?.stop()
    this.#wake()
  }

  stop (): void {
    this.#isStopped = true
    this.renew()
  }

  async #run (): Promise<void> {
    while (!this.#isStopped) {
      try {
        await this.#read()
      } catch (error) {
        if (this.#isStopped) return
        const reason = String(error)
        if (this.#logged !== reason) this.options.log('the events of turns on machines cannot be read; retrying', { reason })
        this.#logged = reason
        await this.#pause()
      }
    }
  }

  async #read (): Promise<void> {
    const { link: { js, jsm, subjects }, filter, take } = this.options
    const { state, created } = await jsm.streams.info(subjects.runs)
    // A stream that was created again counts from the beginning, and everything in it is new. A stream may also have lost its end.
    this.#next = this.#created !== null && this.#created !== created ? 1 : Math.min(this.#next, state.last_seq + 1)
    this.#created = created
    const consumer = await js.consumers.get(subjects.runs, {
      filter_subjects: filter, deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: Math.max(1, this.#next)
    })
    const messages = await consumer.consume({ max_messages: mostOnTheWay })
    this.#messages = messages
    this.#logged = ''
    if (this.#isStopped) messages.stop()
    for await (const message of messages) {
      if (this.#isStopped) return
      if (message.seq < this.#next) continue
      const taken = take(message)
      if (taken !== undefined) await taken
      this.#next = message.seq + 1
    }
  }

  async #pause (): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
      after(pauseMs, resolve)
    })
  }
}
