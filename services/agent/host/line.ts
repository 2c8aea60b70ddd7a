import { Value } from '@sinclair/typebox/value'
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { chmod, mkdir, rename, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { withSocketPath } from '../../ground/network/local-socket.js'
import { JsonLines } from '../json-lines.js'
import { type FromHost } from '../protocol.js'
import { helloForm, placeOf, standbyFiles, type HostCard, type Standby } from '../standby.js'

export interface LineListener {
  message (message: unknown): void
  /** Called when another service has connected. */
  met (): void
  /** Called when the service has gone. */
  left (): void
}

/** Limits for connections that have not shown the secret yet: time, characters, and how many at once. */
const helloWithinMs = 5_000
const longestHello = 65_536
const mostStrangers = 16

/**
 * A host's connection to the service: first the pipe of the service that started it, later the socket by which the next services connect.
 * Only one service is connected at a time; the latest one wins.
 */
export class Line {
  #channel: JsonLines | null
  #server: Server | null = null
  #isClosing = false
  readonly #strangers = new Set<Socket>()
  /** What is said before all that the service has said at the start was read. */
  #early: FromHost[] | null = []

  constructor (pipe: Socket, private readonly listener: LineListener) {
    this.#channel = this.#open(pipe)
    // Where the service has gone since, a write fails and closes the pipe, with the turns in it that were not read yet.
    setImmediate(() => setImmediate(() => {
      const early = this.#early ?? []
      this.#early = null
      for (const message of early) this.#channel?.send(message)
    }))
  }

  get isAlone (): boolean { return this.#channel === null }

  /** Returns false if no service is connected. */
  send (message: FromHost): boolean {
    if (this.#early === null) this.#channel?.send(message)
    else this.#early.push(message)
    return this.#channel !== null
  }

  /** Listens for the next service. Rejects if that is not possible. */
  async listen (standby: Standby, card: Omit<HostCard, 'secret' | 'place'>): Promise<void> {
    const files = standbyFiles(standby)
    const secret = randomBytes(32).toString('base64url')
    await mkdir(standby.folder, { recursive: true, mode: 0o700 })
    const server = createServer({ allowHalfOpen: true }, (socket) => this.#greet(socket, secret))
    await withSocketPath(files.socket, async (path) => {
      server.listen(path)
      await once(server, 'listening')
    })
    server.on('error', () => {})
    await chmod(files.socket, 0o600)
    // Renamed into place, so that nobody reads half of it.
    await writeFile(`${files.card}.new`, JSON.stringify({ ...card, secret, place: await placeOf(standby) } satisfies HostCard), { mode: 0o600 })
    await rename(`${files.card}.new`, files.card)
    this.#server = server
  }

  /** Accepts no further service. The connected one stays connected until this process ends, and learns from that when it has ended. */
  close (): void {
    this.#isClosing = true
    this.#server?.close()
    this.#server = null
    for (const socket of this.#strangers) socket.destroy()
  }

  /** @param known for a connection that becomes the line once it has shown the secret; without it, the connection is the line already */
  #open (stream: Socket, known?: { secret: string, greeted: () => void }): JsonLines {
    const channel: JsonLines = new JsonLines(stream, {
      message: (message) => {
        if (channel === this.#channel) return this.listener.message(message)
        if (known === undefined || !Value.Check(helloForm, message) || !isSame(message.secret, known.secret)) {
          stream.destroy()
          return
        }
        known.greeted()
        channel.longestChars = Infinity
        this.#channel?.close()
        this.#channel = channel
        this.listener.met()
      },
      closed: () => {
        if (channel !== this.#channel) return
        this.#channel = null
        if (!this.#isClosing) channel.close()
        this.listener.left()
      }
    }, known === undefined ? Infinity : longestHello)
    return channel
  }

  #greet (socket: Socket, secret: string): void {
    if (this.#strangers.size >= mostStrangers) {
      socket.destroy()
      return
    }
    this.#strangers.add(socket)
    const timer = setTimeout(() => socket.destroy(), helloWithinMs)
    const greeted = (): void => {
      clearTimeout(timer)
      this.#strangers.delete(socket)
    }
    socket.once('close', greeted)
    this.#open(socket, { secret, greeted })
  }
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest()
const isSame = (given: string, secret: string): boolean => timingSafeEqual(digestOf(given), digestOf(secret))
