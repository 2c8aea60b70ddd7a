import { signal, type ReadonlySignal } from '@preact/signals-core'

/** The properties of a scrolled element that this module uses. */
export interface Scroller {
  scrollTop: number
  readonly scrollHeight: number
  readonly clientHeight: number
}

/** Positions closer to the end than this count as the end. */
const nearPx = 24

/**
 * Keeps a view at the end of growing content. Only the reader's actions count, not the position that a scroll event reports: scrolling up
 * stops following, and reaching the end, or asking for it, starts it again.
 */
export class Following {
  readonly #is = signal(true)
  #byHand = false

  constructor (private readonly scroller: () => Scroller | null) {}

  get is (): ReadonlySignal<boolean> { return this.#is }

  /** Called when the reader moves the view by wheel, touch, key or scroll bar. */
  moved (direction: 'back' | 'on' | 'unknown'): void {
    this.#byHand = true
    if (direction === 'back' && this.#canScroll()) this.#is.value = false
  }

  /** Called when the view was scrolled, by the reader or by code. */
  scrolled (): void {
    if (!this.#byHand) return
    const left = this.#left()
    if (left === null) return
    if (left <= nearPx) this.#is.value = true
    else if (left > nearPx * 2) this.#is.value = false
  }

  /** Called when the reader has let go of the view. */
  rested (): void {
    this.#byHand = false
  }

  /** Called when the content has grown or the view has another size. */
  grown (): void {
    if (this.#is.peek()) this.#toEnd()
  }

  /** Goes to the end, for a button or a sent message. */
  toEnd (): void {
    this.#is.value = true
    this.#byHand = false
    this.#toEnd()
  }

  /** Stops following, to show an earlier place. */
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
