import { JetStreamApiError } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { instanceHeader } from '../services/agent/machine-messages.js'
import { after } from '../services/ground/concurrency/after.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { pack, type Packet } from '../services/ground/nats/packets.js'
import { errorCode, noSuchStream } from '../services/ground/nats/trouble.js'

export interface PublisherOptions {
  link: NatsLink
  host: string
  instance: string
  log: (message: string, details: Record<string, unknown>) => void
  /** Why nothing is taken for now, in words; null when it is taken again. */
  trouble?: (reason: string | null) => void
}

interface Item {
  id: string
  subject: string
  value: unknown
  packet: Packet | null
  isStored: boolean
  stored: () => void
  /** It is too large for the server, and was left out. */
  refused: (reason: string) => void
}

const mostInFlight = 256
const pauses = { firstMs: 100, mostMs: 10_000 } as const
const acknowledgedWithinMs = 5_000
/** So often something large is tried before it is left out. */
const packAttempts = 5
/** JetStream's words for a stream that is full: of bytes, of messages, of the room of the account or the server. */
const fullCodes = new Set([10_077, 10_002, 10_023, 10_047, 10_028])

/**
 * Says things into the stream of the runs: many on their way at once, and in their order. What is not acknowledged is said again, with
 * everything behind it, for as long as that takes; what arrives twice is known by its numbers on the other side.
 */
export class Publisher {
  readonly #queue: Item[] = []
  /** So many of the queue have been sent. */
  #sent = 0
  /** Answers to what was sent before that count no more. */
  #round = 0
  #mostInFlight = mostInFlight
  #pauseMs: number = pauses.firstMs
  #stopPause: (() => void) | null = null
  #isPacking = false
  #failedPacks = 0
  #isClosed = false

  constructor (private readonly options: PublisherOptions) {
    options.link.onChange((isConnected) => {
      if (!isConnected) return
      this.#stopPause?.()
      this.#again()
    })
  }

  /** Something waits to be tried again. */
  get isStuck (): boolean { return this.#stopPause !== null }

  /** There may be room now: it is tried without waiting any longer. */
  retry (): void {
    this.#stopPause?.()
    this.#pump()
  }

  say (subject: string, value: unknown, stored: () => void = () => {}, refused: (reason: string) => void = () => {}): void {
    if (this.#isClosed) return
    this.#queue.push({ id: crypto.randomUUID(), subject, value, packet: null, isStored: false, stored, refused })
    this.#pump()
  }

  /** Resolves when everything is said, or the time is up. */
  async close (withinMs: number): Promise<void> {
    const last = this.#queue.at(-1)
    if (last !== undefined) {
      await new Promise<void>((resolve) => {
        const stop = after(withinMs, resolve)
        const { stored } = last
        last.stored = () => {
          stored()
          stop()
          resolve()
        }
      })
    }
    this.#isClosed = true
    this.#stopPause?.()
  }

  #pump (): void {
    while (this.#stopPause === null && !this.#isPacking && this.#sent < this.#queue.length && this.#sent < this.#mostInFlight) {
      const item = this.#queue[this.#sent]
      if (item === undefined) return
      if (item.packet === null) return this.#pack(item)
      this.#sent++
      this.#send(item, item.packet)
    }
  }

  #pack (item: Item): void {
    const { link, host } = this.options
    this.#isPacking = true
    void pack(link, host, item.value).then((packet) => {
      item.packet = packet
      item.value = null
      this.#failedPacks = 0
    }, (error: unknown) => {
      // The bucket itself may be missing for a while.
      if (!link.isConnected() || errorCode(error) === noSuchStream || ++this.#failedPacks < packAttempts) return this.#pause(error)
      this.#failedPacks = 0
      this.#queue.splice(this.#queue.indexOf(item), 1)
      this.options.log('dropped agent output that is too large', { subject: item.subject, reason: String(error) })
      item.refused(String(error))
    }).finally(() => {
      this.#isPacking = false
      this.#pump()
    })
  }

  #send (item: Item, { payload, headers: more }: Packet): void {
    const round = this.#round
    this.options.link.js.publish(item.subject, payload, {
      msgID: item.id, headers: this.#head(more), timeout: acknowledgedWithinMs, retries: 0
    }).then(
      () => { if (round === this.#round) this.#acknowledged(item) },
      (error: unknown) => { if (round === this.#round) this.#failed(item, error) })
  }

  #head (more: MsgHdrs = headers()): MsgHdrs {
    more.set(instanceHeader, this.options.instance)
    return more
  }

  #acknowledged (item: Item): void {
    item.isStored = true
    for (let first = this.#queue[0]; first?.isStored === true; first = this.#queue[0]) {
      this.#queue.shift()
      this.#sent--
      first.stored()
    }
    if (this.#pauseMs !== pauses.firstMs) this.options.trouble?.(null)
    this.#pauseMs = pauses.firstMs
    // Not all at once after a stream was full: of what is on its way then, the smaller things would take the room of the first.
    this.#mostInFlight = Math.min(mostInFlight, this.#mostInFlight * 2)
    this.#pump()
  }

  /** What came behind it may have been stored: it is said once more as something new, so that it stands behind. */
  #failed (item: Item, error: unknown): void {
    for (const later of this.#queue.slice(this.#queue.indexOf(item) + 1, this.#sent)) later.id = crypto.randomUUID()
    this.#pause(error)
  }

  #pause (error: unknown): void {
    this.#round++
    this.#sent = 0
    for (const item of this.#queue) item.isStored = false
    const isFull = error instanceof JetStreamApiError && fullCodes.has(error.code)
    this.options.trouble?.(isFull
      ? 'The stream that keeps what is said is full: the service has not stored it, or is not there.'
      : 'What is said cannot be stored: the NATS server does not answer.')
    // One at a time, until one is taken.
    this.#mostInFlight = 1
    const pauseMs = this.#pauseMs
    this.#pauseMs = Math.min(pauses.mostMs, pauseMs * 2)
    this.#stopPause?.()
    const stop = after(pauseMs, () => {
      this.#stopPause = null
      this.#pump()
    })
    this.#stopPause = () => {
      stop()
      this.#stopPause = null
    }
  }

  /** The server is there again: what was on its way may be lost. */
  #again (): void {
    if (this.#isClosed) return
    this.#round++
    this.#sent = 0
    for (const item of this.#queue) item.isStored = false
    this.#pump()
  }
}
