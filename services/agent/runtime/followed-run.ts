import { flow } from '../limits.js'
import { weightOf, type RunEvent, type RunEventBody, type RunSpec } from '../protocol.js'
import { type ReadBatch } from './incoming.js'
import { type Loss } from './losses.js'

/** `seq`: its number among the events of its run. */
export type NumberedEvent = RunEvent & { seq: number }

export interface RunObserver {
  /**
   * A run that outlives the web tier is followed again behind the number of an event. A promise: they are taken in portions, until it
   * resolves.
   */
  events (events: NumberedEvent[]): void | Promise<void>
  /** No more events will come, and the run has not ended. Called once at most, and not after the last event. */
  lost (loss: Loss): void
}

/** A run as the web tier follows it: takes each event once and in order, and knows what its host has to be told. */
export class FollowedRun {
  /** Number of the last event that was handed on. */
  received: number
  isOver = false
  /** What is missing was asked for, and nothing has come since. */
  isAsked = false
  /** Resolves when what was handed on is taken; null when it was at once. */
  taken: Promise<void> | null = null
  #untoldWeight = 0

  /**
   * @param beat number of the last heartbeat before it was started
   * @param after number of the last event that was handed on before
   */
  constructor (readonly spec: RunSpec, readonly beat: number, private readonly observer: RunObserver, after = 0) {
    this.received = after
  }

  get runId (): string { return this.spec.runId }
  get generation (): number { return this.spec.generation }

  /**
   * Hands on what is new in a batch, in one call, so that it is committed together. `missed`: something before it has not
   * arrived, and nothing of it was handed on. `portion`: so much has come that the host wants to hear when it is stored.
   * Throws what the observer throws.
   */
  take ({ generation, seq, events }: ReadBatch): 'taken' | 'portion' | 'missed' {
    const known = this.received - seq + 1
    if (this.isOver || generation !== this.generation || known >= events.length) return 'taken'
    if (known < 0) return 'missed'
    this.received = seq + events.length - 1
    this.isAsked = false
    const fresh = (known === 0 ? events : events.slice(known)).flatMap((event, index) =>
      event === null ? [] : [this.#own(event, seq + known + index)])
    const end = fresh.findIndex(({ t }) => t === 'end')
    const taken = fresh.length === 0 ? undefined : this.observer.events(end === -1 ? fresh : fresh.slice(0, end + 1))
    this.taken = taken instanceof Promise ? taken : null
    if (end !== -1) this.isOver = true
    if (this.#untoldWeight < flow.portionChars && !this.isOver) return 'taken'
    this.#untoldWeight = 0
    return 'portion'
  }

  lost (loss: Loss): void {
    if (this.isOver) return
    this.isOver = true
    this.observer.lost(loss)
  }

  #own (event: RunEventBody, seq: number): NumberedEvent {
    this.#untoldWeight += weightOf(event)
    return Object.assign(event, { runId: this.runId, seq })
  }
}
