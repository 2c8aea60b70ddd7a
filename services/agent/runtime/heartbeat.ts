import { type HostConnection } from './connection.js'

export interface HeartbeatOptions {
  connection: HostConnection
  heartbeatMs: number
  /** Called before each beat. */
  beats: () => void
  /** Called when the host is killed because it does not answer. */
  isStuck: () => void
}

/** After so many heartbeats without an answer a host counts as stuck: it is killed and its turns end honestly. */
const missedHeartbeats = 3

/** Asks a host again and again how it does. */
export class Heartbeat {
  /** The number of the last one. */
  beat = 0
  /** Those in a row that had no answer. */
  #missed = 0
  readonly #timer: NodeJS.Timeout

  constructor (private readonly options: HeartbeatOptions) {
    this.#timer = setInterval(() => this.ping(), options.heartbeatMs)
    this.#timer.unref()
  }

  /** The host has said something, whatever it is. */
  heard (): void { this.#missed = 0 }

  ping (): void {
    const { connection, beats, isStuck } = this.options
    if (connection.isAway?.() === true) this.#missed = 0
    if (this.#missed >= missedHeartbeats) {
      isStuck()
      // One on another machine may only have no way to say that it is well: it is asked on.
      this.#missed = 0
      return connection.kill()
    }
    this.#missed++
    beats()
    connection.send({ type: 'ping', beat: ++this.beat })
  }

  stop (): void { clearInterval(this.#timer) }
}
