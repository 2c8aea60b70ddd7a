import { isEqual } from '../service/records.js'
import { batch, signal, type ReadonlySignal, type Signal } from '@preact/signals-core'
import { workOf, type Part, type Turn, type UserMessage, type WorkSummary } from './turn.js'

/** The properties of a turn other than its message and its parts. */
export type ExchangeHead = Omit<Turn, 'user' | 'parts' | 'messageIds'>

/** A part with its own signal, the only one that fires when the part changes. Finished parts never change. */
export interface ShownPart { readonly key: string, readonly kind: Part['kind'], readonly part: ReadonlySignal<Part> }

interface KeptPart extends ShownPart { readonly part: Signal<Part> }

/**
 * One exchange as views draw it. The same object is used while the turn runs, after its stored messages replace the streamed ones, and
 * after a reload.
 */
export class Exchange {
  readonly #head: Signal<ExchangeHead>
  readonly #user: Signal<UserMessage | null>
  readonly #parts: Signal<readonly KeptPart[]>
  readonly #work: Signal<WorkSummary>
  readonly #isWaiting: Signal<boolean>
  #turn: Turn

  constructor (readonly key: string, turn: Turn) {
    const { user, parts, messageIds, ...head } = turn
    this.#turn = turn
    this.#head = signal(head)
    this.#user = signal(user)
    this.#parts = signal(parts.map(keep))
    this.#work = signal(workOf(turn))
    this.#isWaiting = signal(waitsForPerson(parts))
  }

  get head (): ReadonlySignal<ExchangeHead> { return this.#head }
  get user (): ReadonlySignal<UserMessage | null> { return this.#user }
  get parts (): ReadonlySignal<readonly ShownPart[]> { return this.#parts }
  get work (): ReadonlySignal<WorkSummary> { return this.#work }
  /** Whether one of its calls waits for the person. */
  get isWaiting (): ReadonlySignal<boolean> { return this.#isWaiting }

  /** The shown turn. */
  get turn (): Turn { return this.#turn }

  /** Shows the current state of the turn; unchanged parts stay the same objects. */
  show (turn: Turn): void {
    if (turn === this.#turn) return
    this.#turn = turn
    const { user, parts, messageIds, ...head } = turn
    batch(() => {
      change(this.#head, head)
      change(this.#user, user)
      this.#showParts(parts)
      change(this.#work, workOf(turn))
      change(this.#isWaiting, waitsForPerson(parts))
    })
  }

  #showParts (parts: readonly Part[]): void {
    const known = new Map(this.#parts.peek().map((shown) => [shown.key, shown]))
    const next = parts.map((part) => {
      const shown = known.get(part.key)
      if (shown === undefined) return keep(part)
      change<Part>(shown.part, part)
      return shown
    })
    const before = this.#parts.peek()
    if (next.length !== before.length || next.some((shown, index) => shown !== before[index])) this.#parts.value = next
  }
}

const waitsForPerson = (parts: readonly Part[]): boolean => parts.some((part) => part.kind === 'call' && part.state === 'waiting')

const keep = (part: Part): KeptPart => ({ key: part.key, kind: part.kind, part: signal(part) })

function change<Value> (kept: Signal<Value>, value: Value): void {
  if (!isEqual(kept.peek(), value)) kept.value = value
}

/** Returns a stored turn, completed with the facts that only frames contain. */
export function withKnown (stored: Turn, known: Turn): Turn {
  const calls = new Map(known.parts.map((part) => [part.key, part]))
  return {
    ...stored,
    checkpoint: stored.checkpoint ?? known.checkpoint,
    parts: stored.parts.map((part) => {
      const before = calls.get(part.key)
      if (part.kind !== 'call' || before?.kind !== 'call') return part
      const isFuller = part.resultTruncated && part.result !== null && !before.resultTruncated &&
        before.result?.startsWith(part.result) === true
      return {
        ...part,
        preview: part.preview ?? before.preview,
        // The transcript contains no output of an aborted call.
        output: before.result === null && part.state !== 'done' ? before.output : null,
        foresight: part.foresight ?? before.foresight,
        startedAtS: part.startedAtS ?? before.startedAtS,
        ...(isFuller ? { result: before.result, resultTruncated: false } : {})
      }
    })
  }
}
