import { type JsMsg } from '@nats-io/jetstream'
import { type NatsLink } from '../../ground/nats/link.js'
import { type MachineRun } from './nats-run.js'
import { type Log } from '../../ground/log.js'

export interface StreamRoomOptions {
  link: NatsLink
  machine: string
  log: Log
}

/** How many messages that belong to no run are kept in the stream. */
const hostMessagesKept = 256
/** How much of a run is purged from the stream at once: enough for few purges, and little enough for a small stream. */
const forgottenAtOnce = { mostBytes: 4 * 1_024 * 1_024, shareOfStream: 1 / 64 } as const
/** After how many unanswered heartbeats a machine may have no room in the stream for its answers. */
const unansweredBeats = 2

/** Keeps the stream of a machine's messages from filling up: purges what this service has taken. */
export class StreamRoom {
  forgottenAtOnceBytes: number = forgottenAtOnce.mostBytes
  /** Number of the last heartbeat. */
  beat = 0
  #answeredBeat = 0
  #hostMessages = 0
  #lastHostMessage: Pick<JsMsg, 'subject' | 'seq'> | null = null

  constructor (private readonly options: StreamRoomOptions) {}

  /** @param mostBytes limit of the stream */
  measured (mostBytes: number): void {
    this.forgottenAtOnceBytes = Math.min(forgottenAtOnce.mostBytes, mostBytes * forgottenAtOnce.shareOfStream)
  }

  asked (beat: number): void { this.beat = beat }

  answered (beat: number): void { this.#answeredBeat = beat }

  /** Called when a message that belongs to no run was taken. */
  taken ({ subject, seq }: Pick<JsMsg, 'subject' | 'seq'>): void {
    this.#lastHostMessage = { subject, seq }
    if (++this.#hostMessages % hostMessagesKept === 0) this.#purge(this.#lastHostMessage)
  }

  /** Purges everything that is allowed if the stream is half full, or the machine seems unable to write. */
  async make (runs: ReadonlyMap<string, MachineRun>): Promise<void> {
    const { link: { jsm, subjects, isConnected } } = this.options
    if (!isConnected() || runs.size === 0) return
    const { config: { max_bytes: mostBytes }, state: { bytes } } = await jsm.streams.info(subjects.runs)
    if (bytes < mostBytes / 2 && this.beat - this.#answeredBeat < unansweredBeats) return
    for (const run of runs.values()) run.makeRoom()
    if (this.#lastHostMessage !== null) this.#purge(this.#lastHostMessage)
  }

  #purge ({ subject: filter, seq }: Pick<JsMsg, 'subject' | 'seq'>): void {
    const { link: { jsm, subjects }, machine, log } = this.options
    void jsm.streams.purge(subjects.runs, { filter, seq: seq + 1 }).catch((error: unknown) =>
      log('old messages could not be removed from the stream', { machine, reason: String(error) }))
  }
}
