import { type JsMsg } from '@nats-io/jetstream'
import { type NatsLink } from '../../ground/nats/link.js'
import { type MachineRun } from './nats-run.js'

export interface StreamRoomOptions {
  link: NatsLink
  host: string
  log: (message: string, details: Record<string, unknown>) => void
}

/** So many messages of a process that belong to no run are kept in the stream. */
const hostMessagesKept = 256
/** So much of a run is forgotten by the stream at once: few purges, and in a small stream none that comes too late. */
const forgottenAtOnce = { mostBytes: 4 * 1_024 * 1_024, shareOfStream: 1 / 64 } as const
/** A machine that owes so many answers may have no room to say anything. */
const unansweredBeats = 2

/** Keeps the stream, in which a machine says what it has to say, from being full: what was taken here is forgotten there. */
export class StreamRoom {
  forgottenAtOnceBytes: number = forgottenAtOnce.mostBytes
  /** The last heartbeat that was asked for. */
  beat = 0
  #answeredBeat = 0
  #hostMessages = 0
  #lastHostMessage: Pick<JsMsg, 'subject' | 'seq'> | null = null

  constructor (private readonly options: StreamRoomOptions) {}

  /** @param mostBytes what the stream holds at most */
  measured (mostBytes: number): void {
    this.forgottenAtOnceBytes = Math.min(forgottenAtOnce.mostBytes, mostBytes * forgottenAtOnce.shareOfStream)
  }

  asked (beat: number): void { this.beat = beat }

  answered (beat: number): void { this.#answeredBeat = beat }

  /** A message that belongs to no run was taken. */
  taken ({ subject, seq }: Pick<JsMsg, 'subject' | 'seq'>): void {
    this.#lastHostMessage = { subject, seq }
    if (++this.#hostMessages % hostMessagesKept === 0) this.#purge(this.#lastHostMessage)
  }

  /** Where a machine waits because nothing it says is taken, or soon will, the stream forgets all that it may. */
  async make (runs: ReadonlyMap<string, MachineRun>): Promise<void> {
    const { link: { jsm, subjects, isConnected } } = this.options
    if (!isConnected() || runs.size === 0) return
    const { config: { max_bytes: mostBytes }, state: { bytes } } = await jsm.streams.info(subjects.runs)
    if (bytes < mostBytes / 2 && this.beat - this.#answeredBeat < unansweredBeats) return
    for (const run of runs.values()) run.makeRoom()
    if (this.#lastHostMessage !== null) this.#purge(this.#lastHostMessage)
  }

  #purge ({ subject: filter, seq }: Pick<JsMsg, 'subject' | 'seq'>): void {
    const { link: { jsm, subjects }, host, log } = this.options
    void jsm.streams.purge(subjects.runs, { filter, seq: seq + 1 }).catch((error: unknown) =>
      log('old messages could not be removed from the stream', { host, reason: String(error) }))
  }
}
