import { type IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { inlineBytes, pieceBytes, type RelayMessage, type RelayReply } from '../services/areas/relay/index.js'
import { type MachineApp } from './app.js'
import { present } from '../services/ground/present.js'
import { type Log } from '../services/ground/log.js'

type Begin = Extract<RelayMessage, { kind: 'begin' }>
type Piece = Extract<RelayMessage, { kind: 'piece' }>
interface Answered { said: RelayReply, bytes?: Buffer }

export interface TransferOptions {
  app: Pick<MachineApp, 'handle'>
  asked: Begin
  /** The whole body if it is not streamed. */
  body: Buffer
  /** How long a message waits here at most before it is answered with `pending`. */
  patienceMs: number
  onEnd: () => void
  log: Log
}

const pending: Answered = { said: { state: 'pending' } }
const lost: Answered = { said: { state: 'lost' } }

/** One relayed request: receives its body, and sends its answer. */
export class Transfer {
  readonly #options: TransferOptions
  readonly #stopping = new AbortController()
  /** Null if the body came as a whole. */
  readonly #incoming: PassThrough | null
  readonly #answered: Promise<IncomingMessage | null>
  #hasAnswer = false
  /** How many pieces have arrived; `#taking` resolves when all of them have been written. */
  #pieces = 0
  #taking: Promise<unknown> = Promise.resolve()
  /** Reads of the answer's body by number, until their bytes have been returned. */
  readonly #reads = new Map<number, Promise<Answered>>()
  #head: Promise<Answered> | undefined
  #reading: Promise<unknown> = Promise.resolve()
  #isWhole = false
  #touchedMs = performance.now()

  constructor (options: TransferOptions) {
    this.#options = options
    const { app, asked: { method, url, headers, guest, streamed }, body } = options
    this.#incoming = streamed ? new PassThrough({ highWaterMark: pieceBytes }) : null
    // The sender learns of errors from the answer.
    this.#incoming?.on('error', () => {})
    this.#answered = app.handle({
      method, url, headers, guest, body: this.#incoming ?? (body.length === 0 ? null : body), signal: this.#stopping.signal
    })
      .catch((error: unknown) => {
        if (!this.#stopping.signal.aborted) options.log('a relayed request was not answered', { reason: String(error) })
        return null
      })
    void this.#answered.then((message) => {
      this.#hasAnswer = true
      if (message === null) this.stop()
    })
  }

  get idleMs (): number {
    return performance.now() - this.#touchedMs
  }

  touch (): void {
    this.#touchedMs = performance.now()
  }

  /** Takes the next bytes of the body. Resolves when there is room for more. */
  async take ({ number, last, again = false }: Piece, bytes: Buffer): Promise<RelayReply> {
    const incoming = this.#incoming
    if (incoming === null) return lost.said
    if (!again) {
      // A piece was lost. The following one must not be taken for it.
      if (number !== this.#pieces++) {
        this.stop()
        return lost.said
      }
      const before = this.#taking
      this.#taking = before.then(async () => {
        if (incoming.destroyed) return
        if (bytes.length > 0) await new Promise<void>((resolve) => { incoming.write(bytes, () => resolve()) })
        if (last) incoming.end()
      })
    }
    const outcome = await this.#pendingAfterPatience(Promise.race([this.#taking, this.#answered]))
    return this.#hasAnswer ? { state: 'enough' } : outcome === pending ? pending.said : { state: 'taken' }
  }

  /** Returns the head of the answer, with the whole body if it is short. */
  async answer (): Promise<Answered> {
    this.#head ??= this.#begin()
    return this.#told(await this.#pendingAfterPatience(this.#head))
  }

  /** Returns the next bytes of the answer's body. */
  async read (number: number): Promise<Answered> {
    const message = this.#hasAnswer ? await this.#answered : null
    if (message === null) return lost
    let next = this.#reads.get(number)
    if (next === undefined) {
      next = this.#reading.then(async () => await this.#portion(message, pieceBytes)).then(
        ({ bytes, last }) => ({ said: { state: 'bytes' as const, last }, bytes }), () => lost
      )
      this.#reading = next
      this.#reads.set(number, next)
    }
    const answered = await this.#pendingAfterPatience(next)
    if (answered !== pending) this.#reads.delete(number)
    return this.#told(answered)
  }

  /** Aborts the request. The route notices that the client has disconnected. */
  stop (): void {
    this.#stopping.abort()
    this.#incoming?.destroy()
    void this.#answered.then((message) => message?.destroy())
    this.#options.onEnd()
  }

  async #begin (): Promise<Answered> {
    const message = await this.#answered
    if (message === null) return lost
    const headers = Object.fromEntries(
      Object.entries(message.headers).flatMap(([name, value]) => typeof value === 'string' ? [[name, value]] : [])
    )
    try {
      // A body of unknown length may be slow, so the head does not wait for its beginning.
      const isShort = Number(message.headers['content-length'] ?? Infinity) <= inlineBytes
      const { bytes, last } = isShort ? await this.#portion(message, inlineBytes) : { bytes: Buffer.alloc(0), last: this.#isEmpty(message) }
      return { said: { state: 'answer', status: present(message.statusCode, 'the status of an answer'), headers, last }, bytes }
    } catch {
      return lost
    }
  }

  #isEmpty (message: IncomingMessage): boolean {
    if (this.#options.asked.method !== 'HEAD' && message.statusCode !== 304) return false
    message.resume()
    return true
  }

  /** Reads `mostBytes` of the body, or the rest of it if that is less. */
  async #portion (message: IncomingMessage, mostBytes: number): Promise<{ bytes: Buffer, last: boolean }> {
    const chunks: Buffer[] = []
    let sizeBytes = 0
    while (sizeBytes < mostBytes && !this.#isWhole) {
      const chunk = await nextOf(message)
      if (chunk === null) {
        this.#isWhole = true
        break
      }
      const rest = chunk.subarray(mostBytes - sizeBytes)
      if (rest.length > 0) message.unshift(rest)
      chunks.push(rest.length > 0 ? chunk.subarray(0, mostBytes - sizeBytes) : chunk)
      sizeBytes += Math.min(chunk.length, mostBytes - sizeBytes)
    }
    return { bytes: Buffer.concat(chunks), last: this.#isWhole }
  }

  /** Ends the transfer once the last bytes of the answer are returned. */
  #told (answered: Answered): Answered {
    if ('last' in answered.said && answered.said.last) {
      this.#incoming?.destroy()
      this.#options.onEnd()
    }
    return answered
  }

  async #pendingAfterPatience<Outcome> (outcome: Promise<Outcome>): Promise<Outcome | typeof pending> {
    const waiting = new AbortController()
    try {
      return await Promise.race([outcome, delay(this.#options.patienceMs, pending, { signal: waiting.signal, ref: false })])
    } finally {
      waiting.abort()
    }
  }
}

/** Returns the next chunk; null at the end. Rejects if the answer breaks off. */
async function nextOf (message: IncomingMessage): Promise<Buffer | null> {
  for (;;) {
    const chunk: Buffer | null = message.read()
    if (chunk !== null) return chunk
    if (message.readableEnded) {
      if (message.complete) return null
      throw new Error('The answer broke off')
    }
    if (message.destroyed) throw new Error('The answer broke off')
    await new Promise<void>((resolve) => {
      const on = (): void => {
        for (const name of ['readable', 'end', 'close', 'error']) message.off(name, on)
        resolve()
      }
      for (const name of ['readable', 'end', 'close', 'error']) message.on(name, on)
    })
  }
}
