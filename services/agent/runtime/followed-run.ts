import { flow } from '../limits.js'
import { weightOf, type RunEvent, type RunEventBody, type RunSpec } from '../protocol.js'
import { type ReadBatch } from './incoming.js'
import { type Loss } from './losses.js'

/** `seq`: its number among the events of its run. */
export type NumberedEvent = RunEvent & { seq: number }

export interface RunObserver {
  /** Takes events in order. Returns a promise if it takes them in portions; they are taken when it resolves. */
  events (events: NumberedEvent[]): void | Promise<void>
  /** Called at most once, and never after the event `end`: the run has not ended, and no more events will come. */
  lost (loss: Loss): void
}

/** A run as the web tier follows it: takes each event once and in order, and knows what its host has to hear about it. */
export class FollowedRun {
  /** Number of the last event that the observer was given. */
  received: number
  isOver = false
  /** Whether missing events were asked for and have not arrived yet. */
  isAsked = false
  /** Resolves when the observer has taken the last events; null if it took them at once. */
  taken: Promise<void> | null = null
  #untoldWeight = 0

  /**
   * @param beat number of the last heartbeat before the run was started
   * @param after number of the last event that an earlier service has stored
   */
  constructor (readonly spec: RunSpec, readonly beat: number, private readonly observer: RunObserver, after = 0) {
    this.received = after
  }

  get runId (): string { return this.spec.runId }
  get generation (): number { return this.spec.generation }

  /**
   * Gives the observer what is new in a batch, in one call, so that it is committed together. Returns `missed` if earlier events have not
   * arrived; then the observer was given nothing. Returns `portion` if the host has to hear when this is stored. Throws what the observer
   * throws.
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
