import { batch, signal, type ReadonlySignal } from '@preact/signals-core'
import { type Exchange } from '../turn/exchange.js'
import { turns } from '../turn/loading-turns.js'
import { type Anchor, type StoredRow } from '../turn/turn-stored.js'
import { type Turn } from '../turn/turn.js'

/** The exchanges of a session, in order: those of the loaded rows, and a running one. */
export class Transcript {
  readonly #exchanges = signal<readonly Exchange[]>([])
  readonly #hasEarlier = signal(false)
  #rows: readonly StoredRow[] = []
  #offset = 0
  #anchor: Anchor | null = null
  /** The turn after the stored rows that runs or is being sent. */
  #live: Turn | null = null

  get exchanges (): ReadonlySignal<readonly Exchange[]> { return this.#exchanges }
  /** Whether there are exchanges before the first one. */
  get hasEarlier (): ReadonlySignal<boolean> { return this.#hasEarlier }
  /** The index of the first loaded row. */
  get offset (): number { return this.#offset }

  /** The number of loaded rows. */
  get rowCount (): number { return this.#rows.length }

  /** Replaces all rows with those from `offset` on. Unchanged exchanges are not redrawn. */
  replace (rows: readonly StoredRow[], { offset, anchor, live }: { offset: number, anchor: Anchor | null, live: Turn | null }): void {
    this.#rows = rows
    this.#offset = offset
    this.#anchor = anchor
    this.#live = live
    this.#draw()
  }

  /** Adds an earlier page; an exchange that was split between pages becomes one. */
  prepend (rows: readonly StoredRow[], offset: number): void {
    this.#rows = [...rows, ...this.#rows]
    this.#offset = offset
    this.#draw()
  }

  /** Shows a running turn at the end; null removes it. */
  run (live: Turn | null): void {
    const isSame = this.#live !== null && live !== null
    this.#live = live
    if (isSame) this.#exchanges.peek().at(-1)?.show(live)
    else this.#draw()
  }

  /** The exchange at the end if it runs or is being sent; null otherwise. */
  get running (): Exchange | null {
    return this.#live === null ? null : this.#exchanges.peek().at(-1) ?? null
  }

  clear (): void {
    this.replace([], { offset: 0, anchor: null, live: null })
  }

  #draw (): void {
    const before = this.#exchanges.peek()
    const next = this.#rows.length === 0 && this.#live === null
      ? []
      : turns().matched(before, [...turns().turnsOf(this.#rows, this.#anchor), ...(this.#live === null ? [] : [this.#live])])
    batch(() => {
      if (next.length !== before.length || next.some((one, index) => one !== before[index])) this.#exchanges.value = next
      this.#hasEarlier.value = this.#offset > 0
    })
  }
}
