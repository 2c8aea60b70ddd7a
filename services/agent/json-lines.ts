import { StringDecoder } from 'node:string_decoder'
import { type Duplex } from 'node:stream'
import { createPace } from '../ground/concurrency/pace.js'
import { asError } from '../ground/errors.js'
import { isLongJson, jsonPieces } from '../ground/text/json-pieces.js'
import { parseJson } from '../ground/text/parse-json.js'

/** The file descriptor of a host process's channel to the web tier. */
export const channelFd = 3

export interface JsonLinesListener {
  /** Called for each line; undefined stands for a line that is not JSON. */
  message (message: unknown): void
  /** Called once when no more messages will come, unless this side has closed the channel. */
  closed (reason: string): void
}

/**
 * Sends and receives messages as lines of JSON over any duplex stream: a pipe, a socket. JSON contains no line breaks. Input is not
 * trusted: invalid lines are reported as undefined, and nothing is thrown.
 */
export class JsonLines {
  readonly #decoder = new StringDecoder('utf8')
  /** The beginning of an incomplete line. */
  #pieces: string[] = []
  #length = 0
  #isClosed = false
  #isFinished = false
  /** Messages that are sent in pieces, and those that follow them. */
  readonly #waiting: unknown[] = []
  #sending = Promise.resolve()

  /** @param longestChars a longer message ends the connection: a peer that sends no line break must not fill the memory */
  constructor (private readonly stream: Duplex, private readonly listener: JsonLinesListener, public longestChars = Infinity) {
    const close = (reason: string): void => {
      if (this.#isClosed) return
      this.#isClosed = true
      listener.closed(reason)
    }
    stream.on('data', (bytes: Buffer) => { if (!this.#isFinished) this.#read(this.#decoder.write(bytes)) })
    stream.on('error', (error) => close(error.message))
    stream.on('end', () => close('the channel was closed'))
    stream.on('close', () => close('the channel was closed'))
  }

  /** Sends a message. Its values must not change afterwards: a long one is sent in pieces, so that other work can run in between. */
  send (message: unknown): void {
    if (!this.stream.writable) this.#waiting.length = 0
    else if (this.#waiting.length > 0) this.#waiting.push(message)
    else if (!isLongJson(message)) this.#write(`${JSON.stringify(message)}\n`)
    else {
      this.#waiting.push(message)
      this.#sending = this.#sendInPieces().catch((error: unknown) => {
        this.#waiting.length = 0
        this.stream.destroy(asError(error))
      })
    }
  }

  /** Resolves when no message waits to be written to the stream. */
  async sent (): Promise<void> {
    if (this.#waiting.length > 0) await this.#sending
  }

  async #sendInPieces (): Promise<void> {
    const pace = createPace()
    for (; this.#waiting.length > 0; this.#waiting.shift()) {
      for (const piece of jsonPieces(this.#waiting[0])) {
        if (!this.stream.writable) {
          this.#waiting.length = 0
          return
        }
        this.#write(piece)
        await pace()
      }
      this.#write('\n')
    }
    if (this.#isFinished) this.stream.end()
  }

  #write (text: string): void {
    if (this.stream.writable) this.stream.write(text)
  }

  close (): void {
    this.#isClosed = true
    this.stream.destroy()
  }

  /** Sends a last message; further messages of the other side are ignored. */
  finish (message: unknown): void {
    this.#isFinished = true
    this.send(message)
    if (this.#waiting.length === 0) this.stream.end()
  }

  #read (text: string): void {
    let from = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      this.#pieces.push(text.slice(from, end))
      from = end + 1
      const line = this.#pieces.join('')
      this.#pieces = []
      this.#length = 0
      this.listener.message(parseJson(line))
      if (this.stream.destroyed) return
    }
    if (from === text.length) return
    this.#pieces.push(from === 0 ? text : text.slice(from))
    this.#length += text.length - from
    if (this.#length > this.longestChars) this.stream.destroy(new Error('a message without end'))
  }
}
