import { signal, type ReadonlySignal } from '@preact/signals-core'

/** What of a scrolled element counts here. */
export interface Scroller {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** So close to the end a reader means the end. */
const nearPx = 24

/**
 * Whether a view stays at the end of what grows. It goes by what the reader does, never by where a scroll event happens to find the view:
 * whoever scrolls up by hand stops it, whoever comes to the end again, or asks for it, goes on.
 */
export class Following {
  readonly #is = signal(true)
  #byHand = false

  constructor (private readonly scroller: () => Scroller | null) {}

  get is (): ReadonlySignal<boolean> { return this.#is }

  /** The reader moves the view: by wheel, touch, key or bar. `towardsEnd` where that is known. */
  moved (direction: 'back' | 'on' | 'unknown'): void {
    this.#byHand = true
    if (direction === 'back' && this.#canScroll()) this.#is.value = false
  }

  /** The view has been scrolled, by whomever. */
  scrolled (): void {
    if (!this.#byHand) return
    const left = this.#left()
    if (left === null) return
    if (left <= nearPx) this.#is.value = true
    else if (left > nearPx * 2) this.#is.value = false
  }

  /** The reader has let go. */
  rested (): void {
    this.#byHand = false
  }

  /** What is shown has grown, or the view has another size. */
  grown (): void {
    if (this.#is.peek()) this.#toEnd()
  }

  /** The reader wants the end: by a button, or by having sent something. */
  toEnd (): void {
    this.#is.value = true
    this.#byHand = false
    this.#toEnd()
  }

  /** Somewhere else is shown: an earlier place, a heading. */
  leave (): void {
    this.#is.value = false
  }

  #toEnd (): void {
    const view = this.scroller()
    if (view !== null) view.scrollTop = view.scrollHeight
  }

  #left (): number | null {
    const view = this.scroller()
    return view === null ? null : view.scrollHeight - view.clientHeight - view.scrollTop
  }

  #canScroll (): boolean {
    const view = this.scroller()
    return view !== null && view.scrollTop > 0 && view.scrollHeight > view.clientHeight
  }
}
