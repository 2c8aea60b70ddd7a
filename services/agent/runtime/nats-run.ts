import { setTimeout as delay } from 'node:timers/promises'
import { type JsMsg, type StoredMsg } from '@nats-io/jetstream'
import { fieldsOf } from '../../ground/fields.js'
import { type Log } from '../../ground/log.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { unpack } from '../../ground/nats/packets.js'
import { type RunStanding } from '../protocol.js'
import { isBatch } from './incoming.js'
import { StreamReader } from './nats-reader.js'

const pauseMs = 500

/** The event numbers of one batch in a message. */
export interface BatchNumbers { generation: number, seq: number, last: number, isEnd: boolean }

export interface MachineRunOptions {
  link: NatsLink
  machine: string
  runId: string
  generation: number
  /** NATS subject of the run. */
  subject: string
  /** Reads a message, delivers it, and returns what it contained. */
  deliver: (message: JsMsg) => Promise<BatchNumbers[]>
  log: Log
  /** How long the stream keeps it after all of it is stored. */
  endKeptMs: number
  /** Whether a later run of the turn uses its subject by now. */
  isSucceeded: () => boolean
  /** How much of a running run has to be stored before it is purged from the stream. */
  forgottenAtOnceBytes: () => number
}

/** A run on another machine: what of it is in the stream, what has to be read again, and what can be purged. */
export class MachineRun {
  /** The process that has it; null until its machine has said so. */
  process: string | null = null
  /** Whether its start has no answer yet. */
  isStarting = false
  /** Number of the last heartbeat before it was sent to its machine; Infinity: it has not been sent yet. */
  toldAfter = -1
  /** Number of the event up to which the stream has everything, as its machine reports. */
  acknowledged = 0
  /** Resolves when nothing of it is being read again. */
  caughtUp: Promise<unknown> = Promise.resolve()
  #marks: Array<{ last: number, at: number }> = []
  #bytes = 0
  #endsWith: number | null = null
  #storedUpTo = 0
  #isReading = false
  #isClosed = false
  #replay: StreamReader | null = null
  #endReplay: ((outcome: boolean | null | 'again') => void) | null = null
  /** Stream sequence number of the last message that was left to the replay. */
  #leftUpTo = 0

  constructor (private readonly options: MachineRunOptions) {}

  /** Called before it is sent to its machine. */
  begin (): void {
    this.isStarting = true
    this.toldAfter = Infinity
  }

  get runId (): string { return this.options.runId }
  get generation (): number { return this.options.generation }

  /** Its standing while its machine may not have received it yet. */
  begun (): RunStanding {
    const { runId, generation } = this.options
    return { runId, generation, seq: 0, isOver: false, requests: [] }
  }

  /** Takes a new message. During a replay it is skipped, because the replay reaches it after the earlier ones. */
  async take (message: JsMsg): Promise<void> {
    if (this.#replay !== null) {
      this.#leftUpTo = message.seq
      return
    }
    this.#mark(message, await this.options.deliver(message))
  }

  /**
   * Replays all of the run from the stream, and continues from there. Resolves with whether an event after `after` is lost for good; null
   * if that is not known: the replay was stopped, or the machine will repeat events for which the stream had no room.
   */
  async readAgain (after: number): Promise<boolean | null> {
    if (this.#isReading) return null
    this.#isReading = true
    const reading = this.#readAgain(after).finally(() => { this.#isReading = false })
    this.caughtUp = reading
    return await reading
  }

  async #readAgain (after: number): Promise<boolean | null> {
    while (!this.#isClosed) {
      const outcome = await this.#read(after).catch(async (error: unknown) => {
        this.options.log('the events of a turn could not be read again; retrying', { runId: this.options.runId, reason: String(error) })
        await delay(pauseMs)
        return 'again' as const
      })
      if (outcome !== 'again') return outcome
    }
    return null
  }

  /** Replays once. `again`: the stream is another one now, or may be. */
  async #read (after: number): Promise<boolean | null | 'again'> {
    const { subject, log, link, generation } = this.options
    const until = (await this.#last())?.seq ?? 0
    // Either there are no events yet, or acknowledged ones were lost with the stream.
    if (until === 0) return this.acknowledged > after
    let reached = after
    let furthest = after
    this.#leftUpTo = 0
    this.#marks = []
    this.#bytes = 0
    return await new Promise((resolve) => {
      this.#endReplay = (outcome) => {
        this.#endReplay = null
        this.#replay = null
        replay.stop()
        resolve(outcome)
      }
      const replay = new StreamReader({
        link,
        filter: subject,
        from: 1,
        log,
        take: async (message) => {
          if (this.#replay !== replay) return
          const told = await this.options.deliver(message)
          this.#mark(message, told)
          for (const each of told) {
            if (each.generation !== generation) continue
            furthest = Math.max(furthest, each.last)
            if (each.seq <= reached + 1) reached = Math.max(reached, each.last)
          }
          if (message.seq >= Math.max(until, this.#leftUpTo) && this.#replay === replay) {
            this.#endReplay?.(reached < this.acknowledged ? true : reached < furthest ? null : false)
          }
        }
      })
      this.#replay = replay
    })
  }

  /** Called when the NATS server is back, perhaps with another stream, whose numbers differ. */
  renew (): void {
    this.#marks = []
    this.#bytes = 0
    this.#endReplay?.('again')
  }

  /** Called when events up to a number are in the database, and can be purged. Returns true if those were all. */
  stored (seq: number): boolean {
    this.#storedUpTo = Math.max(this.#storedUpTo, seq)
    const isOver = this.#endsWith !== null && seq >= this.#endsWith
    // The end is kept for a while: a service that is killed before it has acted on it needs it again.
    if (isOver) this.giveUp()
    else if (this.#bytes >= this.options.forgottenAtOnceBytes()) this.makeRoom()
    return isOver
  }

  /** Purges from the stream what is in the database. */
  makeRoom (): void {
    const { link: { jsm, subjects } } = this.options
    const kept = this.#marks.filter(({ last }) => last > this.#storedUpTo)
    const before = kept[0]?.at ?? Infinity
    const settled = this.#marks.filter(({ last }) => last <= this.#storedUpTo).map(({ at }) => at)
    if (settled.length === 0) return
    this.#marks = kept
    this.#bytes = 0
    const front = settled.filter((at) => at < before).at(-1)
    if (front !== undefined) this.#purge(front + 1)
    // Messages before these arrived out of order and are still needed, so these are deleted one by one.
    for (const at of settled.filter((at) =>
      at > before)) jsm.streams.deleteMessage(subjects.runs, at, false).catch(() => {}) // purged with the rest later
  }

  /** Called when nobody will ask for it any more: purges it after a while. */
  giveUp (): void { setTimeout(() => { if (!this.options.isSucceeded()) this.#purge() }, this.options.endKeptMs).unref() }

  /**
   * Returns its standing when its machine no longer knows it: a run that has ended is still in the stream until it is read here. Returns
   * null if the stream has no end of it, either: the run is lost.
   */
  async standing (): Promise<RunStanding | null> {
    const { link, machine, runId, generation } = this.options
    const over = { runId, generation, isOver: true, requests: [] }
    if (this.#isReading) return { ...over, seq: 0 }
    try {
      const last = await this.#last()
      if (last === null) return null
      const end = toldIn(await unpack(link, machine, { data: last.data, headers: last.header }, { isKept: true })).find((told) =>
        told.isEnd && told.generation === generation)
      if (end === undefined) return null
      this.acknowledged = end.last
      return { ...over, seq: end.last }
    } catch {
      // The next heartbeat looks for it again.
      return { ...over, seq: 0 }
    }
  }

  async #last (): Promise<StoredMsg | null> {
    const { link: { jsm, subjects }, subject } = this.options
    return await jsm.streams.getMessage(subjects.runs, { last_by_subj: subject })
  }

  close (): void {
    this.#isClosed = true
    this.#endReplay?.('again')
  }

  #mark (message: JsMsg, told: readonly BatchNumbers[]): void {
    this.#bytes += message.data.length
    for (const { generation, last, isEnd } of told) {
      if (generation !== this.options.generation) continue
      if (isEnd) this.#endsWith = last
      this.#marks.push({ last, at: message.seq })
    }
  }

  /** Purges everything before a stream sequence number, or all of it. What is not purged now is removed by its age. */
  #purge (seq?: number): void {
    const { link: { jsm, subjects }, subject: filter, log, runId } = this.options
    void jsm.streams.purge(subjects.runs, seq === undefined ? { filter } : { filter, seq })
      .catch((error: unknown) => log('the events of a turn could not be removed from the stream', { runId, reason: String(error) }))
  }
}

/**
 * Returns an answer to a heartbeat, completed by runs that the machine does not list: those that it has not received yet, and those that it
 * no longer knows but that still have events to be read.
 */
export async function withKept (pong: unknown, known: ReadonlyMap<string, MachineRun>): Promise<unknown> {
  const said = fieldsOf(pong)
  const { beat, runs } = said
  if (!Array.isArray(runs) || typeof beat !== 'number') return pong
  const told = new Set<unknown>()
  for (const standing of runs) {
    const { runId, generation, taken } = fieldsOf(standing)
    const run = typeof runId === 'string' ? known.get(runId) : undefined
    // The standing of an earlier run of the turn says nothing about this one.
    if (run === undefined || run.generation !== generation) continue
    told.add(runId)
    if (typeof taken === 'number') run.acknowledged = Math.max(run.acknowledged, taken)
  }
  const kept = await Promise.all([...known.values()].map(async (run) =>
    told.has(run.runId) ? null : run.isStarting || run.toldAfter >= beat ? run.begun() : await run.standing()))
  return { ...said, runs: [...runs, ...kept.filter((standing) => standing !== null)] }
}

/** Reads the numbers of a message's batches, without those that have not the form of one. */
export function toldIn (value: unknown): BatchNumbers[] {
  const { batches } = fieldsOf(value)
  if (!Array.isArray(batches)) return []
  return batches.flatMap((batch) => {
    if (!isBatch(batch)) return []
    const { generation, seq, events } = batch
    const end = events.findIndex((event) => fieldsOf(event).t === 'end')
    return [{ generation, seq, last: seq + events.length - 1, isEnd: end !== -1 }]
  })
}
