import { flow, pieceChars } from '../limits.js'
import { weightOf, type FromHost, type RunBatch, type RunEventBody, type RunStanding } from '../protocol.js'
import { tellSaid, type SaidFile } from './said-file.js'
import { Trail } from './trail.js'

/** How long an ended run is kept for who has missed its end, and how many of them. */
const endedKeptMs = 60_000
const mostEnded = 64
/** Of so many more it is known that they have been. */
const mostForgotten = 1_024

/** How long events wait for each other: each crossing is a commit on the other side, and the more runs, the more it carries. */
const window = { leastMs: 4, mostMs: 12, perRunMs: 0.12 } as const

interface Asked { runId: string, generation: number, after: number }

/**
 * Gathers events of all runs before they cross to the web tier: a crossing costs more than a token. The first event
 * after a pause leaves at once; while more keep coming they leave together every few milliseconds. Neighbouring deltas
 * of one run become one, up to a size; what is larger leaves in several messages, so that none takes long on either side.
 */
export class Outbox {
  readonly #trails = new Map<string, Trail>()
  /** Trails with something that has not left yet. */
  readonly #news = new Set<Trail>()
  readonly #ended = new Map<Trail, NodeJS.Timeout>()
  /** Runs that are over and stored, with their generations. */
  readonly #forgotten = new Map<string, number>()
  #lastFlushMs = -Infinity
  #isPending = false
  /** Nobody is there to be told. */
  #isAlone = false
  /** Trails that whoever is there now has not asked for: nothing of them leaves before that. */
  readonly #unasked = new Set<Trail>()
  /** Those of them that are being read from the file. */
  readonly #reading = new Set<Trail>()
  /** Counts whoever was there. */
  #round = 0

  /** @param said where there is room for what nobody has stored; null: what there is no room for is given up */
  constructor (private readonly send: (message: FromHost) => void, private readonly said: SaidFile | null = null) {}

  /** A run begins. False for one that is known: it was started before. Of a turn that had to wait, each run has a generation of its own. */
  open (runId: string, generation: number): boolean {
    const known = this.#trails.get(runId)
    if ((known?.generation ?? this.#forgotten.get(runId) ?? -1) >= generation) return false
    if (known !== undefined) {
      if (!this.#ended.has(known)) return false
      this.#forget(known)
    }
    this.#trails.set(runId, new Trail(runId, generation, this.said === null ? undefined : (batch) => this.said?.add(batch) === true))
    return true
  }

  push (runId: string, event: RunEventBody): void {
    const trail = this.#trails.get(runId)
    if (trail === undefined) return
    if ((event.t === 'token' || event.t === 'reasoning') && event.text.length > pieceChars) {
      for (const text of piecesOf(
        event.text
      )) trail.push({ ...event, text }, pieceChars)
    } else trail.push(event, pieceChars)
    this.#news.add(trail)
    if (this.#isAlone && trail.isFull) trail.handOver()
    this.#schedule()
  }

  /** Nobody is there any more: what is said stays here until somebody asks for it. */
  leave (): void {
    this.#isAlone = true
    this.#round++
    for (const trail of this.#trails.values()) if (trail.isFull) trail.handOver()
  }

  /** Somebody else is there, and asks for each run that is to be gone on with. */
  meet (): void {
    this.#isAlone = false
    this.#round++
    this.#reading.clear()
    for (const trail of this.#trails.values()) this.#unasked.add(trail)
  }

  /** Everything that nobody has stored goes to the file. False where there is no room for it. */
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

  /** So much of a run is on the disk. */
  stored (runId: string, seq: number): void {
    const trail = this.#trails.get(runId)
    if (trail === undefined) return
    const isEnded = this.#ended.has(trail)
    // Whoever is killed before they have stored what follows from its end asks for that once more.
    trail.stored(isEnded && this.said !== null ? Math.min(seq, trail.last - 1) : seq)
    if (trail.isStored && isEnded) this.#forget(trail)
    if (this.said?.isEmpty === false && ![...this.#trails.values()].some(({ isKept }) => isKept)) this.said.clear()
  }

  /** All that a run has said is on the disk. */
  isStored (runId: string): boolean { return this.#trails.get(runId)?.isStored === true }

  /** Sends what a run has said after a number once more, or that it is not there any more. Resolves when all of it is sent. */
  async repeat ({ runId, generation, after }: Asked): Promise<void> {
    const trail = this.#trails.get(runId)
    if (trail?.generation !== generation) return this.send({ type: 'missing', runId, generation })
    if (this.#reading.has(trail)) return
    this.#unasked.delete(trail)
    this.#news.delete(trail)
    trail.markSent()
    if (trail.since(after) !== null) return this.#repeatKept(trail, after)
    // What is said meanwhile must not overtake what is read.
    this.#unasked.add(trail)
    this.#reading.add(trail)
    const round = this.#round
    const reached = await tellSaid(this.said?.path ?? '', trail, {
      after, tell: (batch) => this.send({ type: 'events', batches: [batch] }), stands: () => trail.stands, isWanted: () => round === this.#round
    })
    if (round !== this.#round) return
    this.#reading.delete(trail)
    this.#unasked.delete(trail)
    this.#news.delete(trail)
    trail.markSent()
    this.#repeatKept(trail, reached)
  }

  /** How far each run has come, ended ones that are not stored yet among them. */
  standings (): Array<Omit<RunStanding, 'requests'>> {
    return [...this.#trails.values()].map((trail) => ({
      runId: trail.runId, generation: trail.generation, seq: trail.sent, isOver: this.#ended.has(trail)
    }))
  }

  /** Resolves when enough of what a run has said is stored for it to go on; undefined when it may go on at once. */
  drained (runId: string): Promise<void> | undefined {
    return this.#trails.get(runId)?.drained()
  }

  /** The run is over: what it has said is kept for a while, for who has missed it. */
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

  /** Alone, nothing is forgotten. */
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
    const [oldest] = this.#forgotten.keys()
    if (oldest !== undefined && this.#forgotten.size > mostForgotten) this.#forgotten.delete(oldest)
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

/** Pieces of a long text, none of which ends with half a character. */
function * piecesOf (text: string): Generator<string> {
  for (let from = 0; from < text.length;) {
    const end = from + pieceChars
    const isSplit = end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))
    yield text.slice(from, isSplit ? end - 1 : end)
    from = isSplit ? end - 1 : end
  }
}
