import { setTimeout as delay } from 'node:timers/promises'
import { type JsMsg } from '@nats-io/jetstream'
import { type NatsLink } from '../../ground/nats/link.js'
import { StreamReader } from './nats-reader.js'

/** So much of a run that is not over is stored here before the stream forgets it. */
const purgedAtOnceBytes = 4 * 1_024 * 1_024

const pauseMs = 500

/** The numbers of a message's batches, as far as it has any. */
export interface Told { generation: number, seq: number, last: number, isEnd: boolean }

export interface MachineRunOptions {
  link: NatsLink
  runId: string
  /** Known where it is begun here. */
  generation?: number
  /** The run's own subject. */
  subject: string
  /** Reads a message, hands it on, and tells what it held. */
  deliver: (message: JsMsg) => Promise<Told[]>
  log: (message: string, details: Record<string, unknown>) => void
  /** How long it is kept when all of it is stored. */
  endKeptMs: number
}

/** A run on another machine: what of it is in the stream, what is read again, and what can be forgotten. */
export class MachineRun {
  /** The process that has it; null until its machine has told. */
  process: string | null = null
  /** Its start has no answer yet. */
  isStarting = false
  /** The last heartbeat that was asked for before its machine was told of it; Infinity: it has not been told yet. */
  toldAfter = -1
  #marks: Array<{ last: number, at: number }> = []
  #bytes = 0
  #endsWith: number | null = null
  #isReading = false
  #isClosed = false
  #replay: StreamReader | null = null
  #endReplay: ((outcome: boolean | 'again') => void) | null = null
  /** Number in the stream of the last message that was left to what reads again. */
  #leftUpTo = 0
  /** Its machine has told that it has said so much, behind having said it. */
  #saidUpTo = 0

  constructor (private readonly options: MachineRunOptions) {}

  get generation (): number | undefined { return this.options.generation }

  /** A message as it comes. While earlier ones are read again it is left: it comes again behind them. */
  async take (message: JsMsg): Promise<void> {
    if (this.#replay !== null) {
      this.#leftUpTo = message.seq
      return
    }
    this.#mark(message, await this.options.deliver(message))
  }

  /** Its machine tells how far it has come, in the stream behind what it has said. */
  standsAt (seq: number): void { this.#saidUpTo = Math.max(this.#saidUpTo, seq) }

  /** Earlier messages are being read again: it is not known yet how far it has come. */
  get isReading (): boolean { return this.#isReading }

  /** Reads everything of the run again, and goes on from there. Resolves with whether something behind `after` is missing; null when it was stopped. */
  async readAgain (generation: number, after: number): Promise<boolean | null> {
    if (this.#isReading) return null
    this.#isReading = true
    try {
      while (!this.#isClosed) {
        const outcome = await this.#read(generation, after).catch(async (error: unknown) => {
          this.options.log('what a turn has said could not be read again; it is tried again', { runId: this.options.runId, reason: String(error) })
          await delay(pauseMs)
          return 'again' as const
        })
        if (outcome !== 'again') return outcome
      }
      return null
    } finally {
      this.#isReading = false
    }
  }

  /** `again`: what it reads from is another stream now, or may be. */
  async #read (generation: number, after: number): Promise<boolean | 'again'> {
    const { link: { jsm, subjects }, subject, log, link } = this.options
    const saidUpTo = this.#saidUpTo
    const until = (await jsm.streams.getMessage(subjects.runs, { last_by_subj: subject }))?.seq ?? 0
    // Nothing may have been said yet; what was said and is not there has been lost with the stream.
    if (until === 0) return saidUpTo > after
    let reached = after
    let furthest = saidUpTo
    this.#leftUpTo = 0
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
          if (message.seq >= Math.max(until, this.#leftUpTo) && this.#replay === replay) this.#endReplay?.(furthest > reached)
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
    const isOver = this.#endsWith !== null && seq >= this.#endsWith
    // Its last event is told once more to a service that is killed before it has stored what follows from it.
    if (isOver) setTimeout(() => this.#purge(), this.options.endKeptMs).unref()
    else if (this.#bytes >= purgedAtOnceBytes) {
      const count = this.#marks.findIndex(({ last }) => last > seq)
      const settled = count === -1 ? this.#marks : this.#marks.slice(0, count)
      if (settled.length === 0) return false
      this.#marks = this.#marks.slice(settled.length)
      this.#bytes = 0
      this.#purge(settled.at(-1)!.at + 1)
    }
    return isOver
  }

  close (): void {
    this.#isClosed = true
    this.#endReplay?.('again')
  }

  #mark (message: JsMsg, told: readonly Told[]): void {
    this.#bytes += message.data.length
    for (const { last, isEnd } of told) {
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

/** The runs in the answer to a heartbeat, with those that its machine had not been told of; each hears how far it has come. */
export function standingsWith (runs: ReadonlyMap<string, MachineRun>, beat: unknown, told: unknown): unknown {
  if (!Array.isArray(told) || typeof beat !== 'number') return told
  const known = new Set<unknown>()
  for (const { runId, seq } of told as Array<{ runId?: unknown, seq?: unknown }>) {
    known.add(runId)
    if (typeof runId === 'string' && typeof seq === 'number') runs.get(runId)?.standsAt(seq)
  }
  const untold = [...runs].filter(([runId, { toldAfter }]) => toldAfter >= beat && !known.has(runId))
  return [...told as unknown[], ...untold.map(([runId, { generation }]) => ({ runId, generation, seq: 0, isOver: false, requests: [] }))]
}

/** What a message of events holds, as far as it can be read. By hand: there is one for every few milliseconds of every run. */
export function toldIn (value: unknown): Told[] {
  const { batches } = value as { batches?: unknown }
  if (!Array.isArray(batches)) return []
  return (batches as unknown[]).flatMap((batch) => {
    const { generation, seq, events } = (batch ?? {}) as Partial<Told> & { events?: unknown }
    if (typeof generation !== 'number' || typeof seq !== 'number' || !Array.isArray(events)) return []
    const end = events.findIndex((event) => (event as { t?: unknown } | null)?.t === 'end')
    return [{ generation, seq, last: seq + events.length - 1, isEnd: end !== -1 }]
  })
}
