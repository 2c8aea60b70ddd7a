import { flow } from '../limits.js'
import { weightOf, type RunBatch, type RunEvent } from '../protocol.js'

export interface RunObserver {
  events (events: RunEvent[]): void
  /** The host died or could not be reached; no more events will come. */
  lost (reason: string): void
}

/** A run as the web tier follows it: takes each event once and in order, and knows what its host has to be told. */
export class FollowedRun {
  /** Number of the last event that was handed on. */
  received = 0
  isOver = false
  #untoldWeight = 0

  constructor (readonly runId: string, readonly generation: number, private readonly observer: RunObserver) {}

  /**
   * Hands on what is new in a batch. `missed`: something before it has not arrived, so nothing of it was handed on.
   * `portion`: so much has come that the host wants to know when it is stored.
   */
  take ({ generation, seq, events }: RunBatch): 'taken' | 'portion' | 'missed' {
    const known = this.received - seq + 1
    if (this.isOver || generation !== this.generation || known >= events.length) return 'taken'
    if (known < 0) return 'missed'
    const fresh = (known === 0 ? events : events.slice(known)) as RunEvent[]
    for (const event of fresh) {
      event.runId = this.runId
      this.#untoldWeight += weightOf(event)
      if (event.t === 'end') this.isOver = true
    }
    this.received = seq + events.length - 1
    this.observer.events(fresh)
    if (this.#untoldWeight < flow.portionChars && !this.isOver) return 'taken'
    this.#untoldWeight = 0
    return 'portion'
  }

  lost (reason: string): void {
    if (this.isOver) return
    this.isOver = true
    this.observer.lost(reason)
  }
}
