import { type JsMsg } from '@nats-io/jetstream'
import { type NatsLink } from '../../ground/nats/link.js'
import { StreamReader } from './nats-reader.js'

/** So much of a run that is not over is stored here before the stream forgets it. */
const purgedAtOnceBytes = 4 * 1_024 * 1_024

/** The numbers of a message's batches, as far as it has any. */
export interface Told { generation: number, seq: number, last: number, isEnd: boolean }

export interface MachineRunOptions {
  link: NatsLink
  runId: string
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
  #marks: Array<{ last: number, at: number }> = []
  #bytes = 0
  #endsWith: number | null = null
  #replay: StreamReader | null = null
  /** Number in the stream of the last message that was left to what reads again. */
  #leftUpTo = 0

  constructor (private readonly options: MachineRunOptions) {}

  /** A message as it comes. While earlier ones are read again it is left: it comes again behind them. */
  async take (message: JsMsg): Promise<void> {
    if (this.#replay !== null) {
      this.#leftUpTo = message.seq
      return
    }
    this.#mark(message, await this.options.deliver(message))
  }

  /** Reads everything of the run again, and goes on from there. Resolves with whether something behind `after` is missing; null when it was stopped. */
  async readAgain (generation: number, after: number): Promise<boolean | null> {
    if (this.#replay !== null) return null
    const { link: { jsm, subjects }, subject, log, link } = this.options
    const until = (await jsm.streams.getMessage(subjects.runs, { last_by_subj: subject }).catch(() => null))?.seq ?? 0
    if (this.#replay !== null || until === 0) return until === 0 && this.#replay === null ? false : null
    let reached = after
    let furthest = after
    return await new Promise((resolve) => {
      this.#leftUpTo = 0
      const replay = new StreamReader({
        link,
        filter: subject,
        from: 1,
        log,
        take: async (message) => {
          if (this.#replay !== replay) return resolve(null)
          const told = await this.options.deliver(message)
          this.#mark(message, told)
          for (const each of told) {
            if (each.generation !== generation) continue
            furthest = Math.max(furthest, each.last)
            if (each.seq <= reached + 1) reached = Math.max(reached, each.last)
          }
          if (message.seq < Math.max(until, this.#leftUpTo) || this.#replay !== replay) return
          this.#replay = null
          replay.stop()
          resolve(furthest > reached)
        }
      })
      this.#replay = replay
    })
  }

  /** The server is there again. */
  renew (): void { this.#replay?.renew() }

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
    this.#replay?.stop()
    this.#replay = null
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
