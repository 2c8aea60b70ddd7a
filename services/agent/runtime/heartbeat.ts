import { type HostConnection } from './connection.js'

export interface HeartbeatOptions {
  connection: HostConnection
  heartbeatMs: number
  /** Called before each beat. */
  beats: () => void
  /** Called when the host is killed because it does not answer. */
  isStuck: () => void
}

/** After how many unanswered heartbeats a host counts as stuck: it is killed, and its turns end with an error. */
const missedHeartbeats = 3

/** Pings a host at intervals. */
export class Heartbeat {
  /** Number of the last ping. */
  beat = 0
  /** How many pings in a row had no answer. */
  #missed = 0
  readonly #timer: NodeJS.Timeout

  constructor (private readonly options: HeartbeatOptions) {
    this.#timer = setInterval(() => this.ping(), options.heartbeatMs)
    this.#timer.unref()
  }

  /** Called when the host has sent anything. */
  heard (): void { this.#missed = 0 }

  ping (): void {
    const { connection, beats, isStuck } = this.options
    if (connection.isAway?.() === true) this.#missed = 0
    if (this.#missed >= missedHeartbeats) {
      isStuck()
      // A host on another machine may only be unable to answer, so pings continue.
      this.#missed = 0
      return connection.kill()
    }
    this.#missed++
    beats()
    connection.send({ type: 'ping', beat: ++this.beat })
  }

  stop (): void { clearInterval(this.#timer) }
}
