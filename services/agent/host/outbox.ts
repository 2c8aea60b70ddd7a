import { flow, pieceChars } from '../limits.js'
import { weightOf, type FromHost, type RunBatch, type RunEventBody, type RunStanding } from '../protocol.js'
import { sendSpooled, type EventSpool } from './event-spool.js'
import { Trail } from './trail.js'
import { keepNewest } from '../../ground/keep-newest.js'
import { wholeAt } from '../../ground/text/whole-characters.js'

/** How long an ended run is kept for a service that missed its end, and how many of them are kept. */
const endedKeptMs = 60_000
const mostEnded = 64
/** How many more are remembered by their id alone, so that none of them is started again. */
const mostForgotten = 1_024

/** How long events wait to be sent together. Each message is one commit on the other side; the more runs, the more it carries. */
const window = { leastMs: 4, mostMs: 12, perRunMs: 0.12 } as const

interface RepeatRequest { runId: string, generation: number, after: number }

/**
 * Gathers the events of all runs before they are sent to the web tier, because a message costs more than a token. The first event after a
 * pause is sent at once; while more keep coming, they are sent together every few milliseconds. Adjacent deltas of a run are merged up to
 * a size, and large amounts are split into several messages, so that none takes long on either side.
 */
export class Outbox {
  readonly #trails = new Map<string, Trail>()
  /** Trails with events that have not been sent yet. */
  readonly #news = new Set<Trail>()
  readonly #ended = new Map<Trail, NodeJS.Timeout>()
  /** Generations of runs that are over and stored, by run id. */
  readonly #forgotten = new Map<string, number>()
  #lastFlushMs = -Infinity
  #isPending = false
  /** No service is connected. */
  #isAlone = false
  /** Trails that the connected service has not asked for yet: nothing of them is sent before it does. */
  readonly #unasked = new Set<Trail>()
  /** Trails that are being read from the file. */
  readonly #reading = new Set<Trail>()
  /** Counts connections, so that work for an earlier one stops. */
  #round = 0

  /** @param spool file for events that no service has stored; null: events for which memory has no room are dropped */
  constructor (private readonly send: (message: FromHost) => void, private readonly spool: EventSpool | null = null) {}

  /** Begins a run. Returns false if it was started before. Each run of a turn that was interrupted has its own generation. */
  open (runId: string, generation: number): boolean {
    const known = this.#trails.get(runId)
    if ((known?.generation ?? this.#forgotten.get(runId) ?? -1) >= generation) return false
    if (known !== undefined) {
      if (!this.#ended.has(known)) return false
      this.#forget(known)
    }
    this.#trails.set(runId, new Trail(runId, generation, this.spool === null ? undefined : (batch) => this.spool?.add(batch) === true))
    return true
  }

  push (runId: string, event: RunEventBody): void {
    const trail = this.#trails.get(runId)
    if (trail === undefined) return
    if ((event.t === 'token' || event.t === 'reasoning') && event.text.length > pieceChars) {
      for (const text of piecesOf(event.text)) trail.push({ ...event, text })
    } else trail.push(event)
    this.#news.add(trail)
    if (this.#isAlone && trail.isFull) trail.handOver()
    this.#schedule()
  }

  /** Called when the service has gone: events stay here until the next one asks for them. */
  leave (): void {
    this.#isAlone = true
    this.#round++
    for (const trail of this.#trails.values()) if (trail.isFull) trail.handOver()
  }

  /** Called when another service has connected. It asks for each run that it continues. */
  meet (): void {
    this.#isAlone = false
    this.#round++
    this.#reading.clear()
    for (const trail of this.#trails.values()) this.#unasked.add(trail)
  }

  /** Writes all events that no service has stored to the file. Returns false if it has no room for them. */
  handOver (): boolean {
    return [...this.#trails.values()].map((trail) => trail.handOver()).every((isWhole) => isWhole)
  }

  readonly flush = (): void => {
    this.#isPending = false
    const news = this.#isAlone ? [] : [...this.#news].filter((trail) => !this.#unasked.has(trail))
    if (news.length === 0) return
    this.#lastFlushMs = performance.now()
    let batches: RunBatch[] = []
    let weight = 0
    for (const trail of news) {
      this.#news.delete(trail)
      for (const batch of trail.take()) {
        if (weight >= flow.portionChars) {
          this.send({ type: 'events', batches })
          batches = []
          weight = 0
        }
        batches.push(batch)
        for (const event of batch.events) weight += weightOf(event)
      }
    }
    this.send({ type: 'events', batches })
  }

  /** Called when the service has stored a run's events up to `seq`. */
  stored (runId: string, seq: number): void {
    const trail = this.#trails.get(runId)
    if (trail === undefined) return
    const isEnded = this.#ended.has(trail)
    // A service that is killed before it has acted on the end of a run asks for that event again.
    trail.stored(isEnded && this.spool !== null ? Math.min(seq, trail.last - 1) : seq)
    if (trail.isStored && isEnded) this.#forget(trail)
    if (this.spool?.isEmpty === false && ![...this.#trails.values()].some(({ isKept }) => isKept)) this.spool.clear()
  }

  /** Whether the service has stored all events of a run. */
  isStored (runId: string): boolean { return this.#trails.get(runId)?.isStored === true }

  /** Sends a run's events after `after` again, or `missing` if they are gone. Resolves when all are sent. */
  async repeat ({ runId, generation, after }: RepeatRequest): Promise<void> {
    const trail = this.#trails.get(runId)
    if (trail?.generation !== generation) return this.send({ type: 'missing', runId, generation })
    if (this.#reading.has(trail)) return
    this.#unasked.delete(trail)
    this.#news.delete(trail)
    trail.markSent()
    if (trail.since(after) !== null) return this.#repeatKept(trail, after)
    // New events must not overtake those that are read from the file.
    this.#unasked.add(trail)
    this.#reading.add(trail)
    const round = this.#round
    const reached = await sendSpooled(this.spool?.path ?? '', trail, {
      after, send: (batch) => this.send({ type: 'events', batches: [batch] }), lastStored: () => trail.lastStored, isWanted: () => round === this.#round
    })
    if (round !== this.#round) return
    this.#reading.delete(trail)
    this.#unasked.delete(trail)
    this.#news.delete(trail)
    trail.markSent()
    this.#repeatKept(trail, reached)
  }

  /** How far each run has come, including ended runs that are not stored yet. */
  standings (): Array<Omit<RunStanding, 'requests'>> {
    return [...this.#trails.values()].map((trail) => ({
      runId: trail.runId, generation: trail.generation, seq: trail.sent, isOver: this.#ended.has(trail)
    }))
  }

  /** Resolves when enough of a run's events are stored for it to continue; undefined if it may continue at once. */
  drained (runId: string): Promise<void> | undefined {
    return this.#trails.get(runId)?.drained()
  }

  /** Called when a run is over: its events are kept for a while, for a service that missed them. */
  close (runId: string): void {
    const trail = this.#trails.get(runId)
    if (trail === undefined || this.#ended.has(trail)) return
    trail.wake()
    this.#forgetLater(trail)
    const [oldest] = this.#ended.keys()
    if (oldest !== undefined && this.#ended.size > mostEnded && !this.#isAlone) this.#forget(oldest)
  }

  #repeatKept (trail: Trail, after: number): void {
    const { runId, generation } = trail
    const batches = trail.since(after)
    if (batches === null) return this.send({ type: 'missing', runId, generation })
    for (const batch of batches) this.send({ type: 'events', batches: [batch] })
  }

  /** Forgets nothing while no service is connected. */
  #forgetLater (trail: Trail): void {
    const timer = setTimeout(() => { this.#isAlone ? this.#forgetLater(trail) : this.#forget(trail) }, endedKeptMs)
    timer.unref()
    this.#ended.set(trail, timer)
  }

  #forget (trail: Trail): void {
    clearTimeout(this.#ended.get(trail))
    this.#ended.delete(trail)
    this.#news.delete(trail)
    this.#unasked.delete(trail)
    this.#trails.delete(trail.runId)
    this.#forgotten.set(trail.runId, trail.generation)
    keepNewest(this.#forgotten, mostForgotten)
  }

  #schedule (): void {
    if (this.#isPending || this.#isAlone) return
    this.#isPending = true
    const windowMs = Math.min(window.mostMs, Math.max(window.leastMs, window.perRunMs * (this.#trails.size - this.#ended.size)))
    const waitMs = this.#lastFlushMs + windowMs - performance.now()
    if (waitMs <= 0) setImmediate(this.flush)
    else setTimeout(this.flush, waitMs)
  }
}

/** Splits a long text into pieces, none of which ends in the middle of a character. */
function * piecesOf (text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = wholeAt(text, from + pieceChars)
    yield text.slice(from, end)
    from = end
  }
}
