import { batch, signal, type ReadonlySignal } from '@preact/signals-core'
import { Exchange, withKnown } from '../turn/exchange.js'
import { turnsOf, type Anchor, type StoredRow } from '../turn/turn-stored.js'
import { type Turn } from '../turn/turn.js'
import { type Wire } from '../service/api.js'

/**
 * Assigns transcript indexes to the rows of an answer. They are counted from the end, because at its beginning an answer may omit a result
 * whose call comes earlier.
 */
export function placed (messages: ReadonlyArray<Wire<'Message'>>, end: number): StoredRow[] {
  return messages.map((message, index) => ({ index: end - messages.length + index, message }))
}

let locals = 0

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
    const turns = [...turnsOf(this.#rows, this.#anchor), ...(this.#live === null ? [] : [this.#live])]
    batch(() => {
      const next = matched(before, turns)
      if (next.length !== before.length || next.some((one, index) => one !== before[index])) this.#exchanges.value = next
      this.#hasEarlier.value = this.#offset > 0
    })
  }
}

/** Returns the exchanges of turns. A known exchange is recognised by a common message; others are created. */
function matched (before: readonly Exchange[], turns: readonly Turn[]): Exchange[] {
  const byMessage = new Map(before.flatMap((exchange) => exchange.turn.messageIds.map((id) => [id, exchange] as const)))
  const places = new Map(before.map((exchange, index) => [exchange, index]))
  const used = new Set<Exchange>()
  const next: Exchange[] = []
  for (const turn of turns) {
    const common = turn.messageIds.map((id) => byMessage.get(id)).find((exchange) => exchange !== undefined && !used.has(exchange))
    // A message sent from here has no id until the service reports it, so its place identifies it.
    const previous = next.at(-1)
    const following = before[(previous === undefined ? -1 : places.get(previous) ?? before.length) + 1]
    const found = common ?? (following?.turn.messageIds.length === 0 && !used.has(following) ? following : undefined)
    found?.show(withKnown(turn, found.turn))
    const exchange = found ?? new Exchange(turn.messageIds[0] ?? `local:${++locals}`, turn)
    next.push(exchange)
    used.add(exchange)
  }
  return next
}
