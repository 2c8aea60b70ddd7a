import { setTimeout as delay } from 'node:timers/promises'
import { type JsMsg, type StoredMsg } from '@nats-io/jetstream'
import { fieldsOf } from '../../ground/fields.js'
import { type NatsLink } from '../../ground/nats/link.js'
import { unpack } from '../../ground/nats/packets.js'
import { type RunStanding } from '../protocol.js'
import { StreamReader } from './nats-reader.js'

const pauseMs = 500

/** The numbers of a message's batches, as far as it has any. */
export interface Told { generation: number, seq: number, last: number, isEnd: boolean }

export interface MachineRunOptions {
  link: NatsLink
  host: string
  runId: string
  generation: number
  /** The run's own subject. */
  subject: string
  /** Reads a message, hands it on, and tells what it held. */
  deliver: (message: JsMsg) => Promise<Told[]>
  log: (message: string, details: Record<string, unknown>) => void
  /** How long it is kept when all of it is stored. */
  endKeptMs: number
  /** Another run of the turn uses its subject by now. */
  isSucceeded: () => boolean
  /** So much of a run that is not over is stored here before the stream forgets it. */
  forgottenAtOnceBytes: () => number
}

/** A run on another machine: what of it is in the stream, what is read again, and what can be forgotten. */
export class MachineRun {
  /** The process that has it; null until its machine has told. */
  process: string | null = null
  /** Its start has no answer yet. */
  isStarting = false
  /** The last heartbeat that was asked for before its machine was told of it; Infinity: it has not been told yet. */
  toldAfter = -1
  /** Number of the event up to which everything has been taken by the stream, as its machine has told. */
  acknowledged = 0
  /** Resolves when nothing of it is read again any more. */
  caughtUp: Promise<unknown> = Promise.resolve()
  #marks: Array<{ last: number, at: number }> = []
  #bytes = 0
  #endsWith: number | null = null
  #storedUpTo = 0
  #isReading = false
  #isClosed = false
  #replay: StreamReader | null = null
  #endReplay: ((outcome: boolean | null | 'again') => void) | null = null
  /** Number in the stream of the last message that was left to what reads again. */
  #leftUpTo = 0

  constructor (private readonly options: MachineRunOptions) {}

  /** It is about to be told to its machine. */
  begin (): void {
    this.isStarting = true
    this.toldAfter = Infinity
  }

  get runId (): string { return this.options.runId }
  get generation (): number { return this.options.generation }

  /** How it stands for a machine that may not have got it yet. */
  begun (): RunStanding {
    const { runId, generation } = this.options
    return { runId, generation, seq: 0, isOver: false, requests: [] }
  }

  /** A message as it comes. While earlier ones are read again it is left: it comes again behind them. */
  async take (message: JsMsg): Promise<void> {
    if (this.#replay !== null) {
      this.#leftUpTo = message.seq
      return
    }
    this.#mark(message, await this.options.deliver(message))
  }

  /**
   * Reads everything of the run again, and goes on from there. Resolves with whether something behind `after` is missing for good; null
   * when that is not known: it was stopped, or what the stream had no room for is said again behind what it still took.
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
        this.options.log('what a turn has said could not be read again; it is tried again', {
          runId: this.options.runId, reason: String(error)
        })
        await delay(pauseMs)
        return 'again' as const
      })
      if (outcome !== 'again') return outcome
    }
    return null
  }

  /** `again`: what it reads from is another stream now, or may be. */
  async #read (after: number): Promise<boolean | null | 'again'> {
    const { subject, log, link, generation } = this.options
    const until = (await this.#last())?.seq ?? 0
    // Nothing may have been said yet; what was taken and is not there has been lost with the stream.
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

  /** The server is there again, perhaps with another stream, which has other numbers. */
  renew (): void {
    this.#marks = []
    this.#bytes = 0
    this.#endReplay?.('again')
  }

  /** Events up to a number are in the database: the stream may forget them. True when that was all. */
  stored (seq: number): boolean {
    this.#storedUpTo = Math.max(this.#storedUpTo, seq)
    const isOver = this.#endsWith !== null && seq >= this.#endsWith
    // Its last event is told once more to a service that is killed before it has stored what follows from it.
    if (isOver) this.giveUp()
    else if (this.#bytes >= this.options.forgottenAtOnceBytes()) this.makeRoom()
    return isOver
  }

  /** The stream forgets what is in the database. */
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
    // In front of these stands what came before its turn, which is said again.
    for (const at of settled.filter((at) =>
      at > before)) jsm.streams.deleteMessage(subjects.runs, at, false).catch(() => {}) // it goes with the rest
  }

  /** Nobody will ask for it any more. */
  giveUp (): void { setTimeout(() => { if (!this.options.isSucceeded()) this.#purge() }, this.options.endKeptMs).unref() }

  /**
   * How it stands for a machine that does not know it any more: what has come to its end there is kept in the stream until it is read here.
   * Null when it has no end there either: it is lost.
   */
  async standing (): Promise<RunStanding | null> {
    const { link, host, runId, generation } = this.options
    const over = { runId, generation, isOver: true, requests: [] }
    if (this.#isReading) return { ...over, seq: 0 }
    try {
      const last = await this.#last()
      if (last === null) return null
      const end = toldIn(await unpack(link, host, { data: last.data, headers: last.header }, { isKept: true })).find((told) =>
        told.isEnd && told.generation === generation)
      if (end === undefined) return null
      this.acknowledged = end.last
      return { ...over, seq: end.last }
    } catch {
      // With the next heartbeat it is looked for again.
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

  #mark (message: JsMsg, told: readonly Told[]): void {
    this.#bytes += message.data.length
    for (const { generation, last, isEnd } of told) {
      if (generation !== this.options.generation) continue
      if (isEnd) this.#endsWith = last
      this.#marks.push({ last, at: message.seq })
    }
  }

  /** Everything in front of a number in the stream, or all of it. What is not forgotten now goes by its age. */
  #purge (seq?: number): void {
    const { link: { jsm, subjects }, subject: filter, log, runId } = this.options
    void jsm.streams.purge(subjects.runs, seq === undefined ? { filter } : { filter, seq })
      .catch((error: unknown) => log('what a turn has said could not be removed from the stream', { runId, reason: String(error) }))
  }
}

/**
 * An answer to a heartbeat, with the runs that its machine does not know: those that it had not been told of, and those that it does not
 * know any more and of which something is still to be read.
 */
export async function withKept (pong: unknown, known: ReadonlyMap<string, MachineRun>): Promise<unknown> {
  const said = fieldsOf(pong)
  const { beat, runs } = said
  if (!Array.isArray(runs) || typeof beat !== 'number') return pong
  const told = new Set<unknown>()
  for (const standing of runs) {
    const { runId, generation, taken } = fieldsOf(standing)
    const run = typeof runId === 'string' ? known.get(runId) : undefined
    // What is stored of an earlier run of the turn says nothing about this one.
    if (run === undefined || run.generation !== generation) continue
    told.add(runId)
    if (typeof taken === 'number') run.acknowledged = Math.max(run.acknowledged, taken)
  }
  const kept = await Promise.all([...known.values()].map(async (run) =>
    told.has(run.runId) ? null : run.isStarting || run.toldAfter >= beat ? run.begun() : await run.standing()))
  return { ...said, runs: [...runs, ...kept.filter((standing) => standing !== null)] }
}

/** What a message of events holds, as far as it can be read. By hand: there is one for every few milliseconds of every run. */
export function toldIn (value: unknown): Told[] {
  const { batches } = fieldsOf(value)
  if (!Array.isArray(batches)) return []
  return batches.flatMap((batch) => {
    const { generation, seq, events } = fieldsOf(batch)
    if (typeof generation !== 'number' || typeof seq !== 'number' || !Array.isArray(events)) return []
    const end = events.findIndex((event) => fieldsOf(event).t === 'end')
    return [{ generation, seq, last: seq + events.length - 1, isEnd: end !== -1 }]
  })
}
