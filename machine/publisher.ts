import { JetStreamApiError } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/nats-core'
import { instanceHeader } from '../services/agent/machine-messages.js'
import { after } from '../services/ground/concurrency/after.js'
import { type Log } from '../services/ground/log.js'
import { type NatsLink } from '../services/ground/nats/link.js'
import { pack, type Packet } from '../services/ground/nats/packets.js'
import { errorCode, noSuchStream } from '../services/ground/nats/trouble.js'

export interface PublisherOptions {
  link: NatsLink
  machine: string
  instance: string
  log: Log
  /** Called with a sentence when messages cannot be stored for now; with null when they can again. */
  trouble?: (reason: string | null) => void
}

interface Item {
  id: string
  subject: string
  value: unknown
  packet: Packet | null
  isStored: boolean
  stored: () => void
  /** Called if the message is too large for the server, and was dropped. */
  refused: (reason: string) => void
}

const mostInFlight = 256
const pauses = { firstMs: 100, mostMs: 10_000 } as const
const acknowledgedWithinMs = 5_000
/** How often a large message is tried before it is dropped. */
const packAttempts = 5
/** JetStream's error codes for a full stream: too many bytes or messages, or no room in the account or on the server. */
const fullCodes = new Set([10_077, 10_002, 10_023, 10_047, 10_028])

/**
 * Publishes messages to the stream of the runs, in order, with many in flight at once. A message that is not acknowledged is sent again,
 * with all that follow, until it succeeds. The service recognises events that arrive twice by their numbers.
 */
export class Publisher {
  readonly #queue: Item[] = []
  /** How many of the queue have been sent. */
  #sent = 0
  /** Counts resends. Acknowledgements from an earlier round are ignored. */
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

  /** Whether messages wait to be sent again after a failure. */
  get isStuck (): boolean { return this.#stopPause !== null }

  /** Retries without waiting any longer, because the stream may have room now. */
  retry (): void {
    this.#stopPause?.()
    this.#pump()
  }

  say (subject: string, value: unknown, stored: () => void = () => {}, refused: (reason: string) => void = () => {}): void {
    if (this.#isClosed) return
    this.#queue.push({ id: crypto.randomUUID(), subject, value, packet: null, isStored: false, stored, refused })
    this.#pump()
  }

  /** Resolves when everything is stored, or the time is up. */
  async close (withinMs: number): Promise<void> {
    const last = this.#queue.at(-1)
    if (last !== undefined) {
      await new Promise<void>((resolve) => {
        const stop = after(withinMs, resolve)
        const { stored, refused } = last
        const over = (): void => {
          stop()
          resolve()
        }
        last.stored = () => {
          stored()
          over()
        }
        last.refused = (reason) => {
          refused(reason)
          over()
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
    const { link, machine } = this.options
    this.#isPacking = true
    void pack(link, machine, item.value).then((packet) => {
      item.packet = packet
      item.value = null
      this.#failedPacks = 0
    }, (error: unknown) => {
      // The bucket itself may be missing for a while, so this does not count as an attempt.
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
    // Increases gradually after a full stream: otherwise, smaller messages in flight would take the room of the first one.
    this.#mostInFlight = Math.min(mostInFlight, this.#mostInFlight * 2)
    this.#pump()
  }

  /** Messages after the failed one may already be stored. They get new ids, so that they are stored again, after it. */
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
      ? 'The stream of turn output is full: the service has not stored it, or is not running.'
      : 'Turn output cannot be stored: the NATS server does not answer.')
    // One message at a time, until one is stored.
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

  /** Sends everything again after a reconnection, because messages in flight may be lost. */
  #again (): void {
    if (this.#isClosed) return
    this.#round++
    this.#sent = 0
    for (const item of this.#queue) item.isStored = false
    this.#pump()
  }
}
