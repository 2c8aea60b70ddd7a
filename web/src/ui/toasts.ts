import { signal, type ReadonlySignal } from '@preact/signals-core'

export interface Toast {
  readonly id: number
  readonly text: string
  readonly kind: 'plain' | 'good' | 'bad'
  readonly action?: { readonly text: string, readonly onPick: () => void }
}

export interface ToastOptions {
  kind?: Toast['kind']
  /** An action such as Undo, which closes the toast. */
  action?: Toast['action']
  /** Called once when the toast is gone, for whatever reason, and after its action. */
  onGone?: () => void
  /** A toast about the same thing replaces the earlier one. */
  about?: string
}

const most = 1
const shownMs = 5_000
/** For toasts with an action, and for errors. */
const shownLongMs = 10_000

interface Timed {
  toast: Toast
  about: string | undefined
  onGone: (() => void) | undefined
  timer: ReturnType<typeof setTimeout> | null
}

const shown: Timed[] = []
const list = signal<readonly Toast[]>([])
let last = 0

/** The shown toasts, the newest last. */
export const toasts: ReadonlySignal<readonly Toast[]> = list

/** The height, in pixels, of the composer at the bottom of the window: toasts go above it. */
export const heightBelowToasts = signal(0)

/** Shows a short message at the edge of the window. Returns a function that removes it. */
export function toast (text: string, { kind = 'plain', action, onGone, about }: ToastOptions = {}): () => void {
  const id = ++last
  const same = about === undefined ? undefined : shown.find((timed) => timed.about === about)
  if (same !== undefined) remove(same.toast.id)
  shown.push({ toast: { id, text, kind, ...(action !== undefined && { action }) }, about, onGone, timer: null })
  for (const { toast } of shown.slice(0, -most)) remove(toast.id)
  keepToasts(false)
  return () => remove(id)
}

/** Removes a toast. */
export function remove (id: number): void {
  const timed = shown.find(({ toast }) => toast.id === id)
  if (timed === undefined) return
  shown.splice(shown.indexOf(timed), 1)
  if (timed.timer !== null) clearTimeout(timed.timer)
  list.value = shown.map(({ toast }) => toast)
  timed.onGone?.()
}

/** Stops the timers of toasts while they are hovered or focused. */
export function keepToasts (kept: boolean): void {
  for (const timed of shown) {
    const { id, action, kind } = timed.toast
    if (kept && timed.timer !== null) {
      clearTimeout(timed.timer)
      timed.timer = null
    } else if (!kept && timed.timer === null) {
      timed.timer = setTimeout(() => remove(id), action !== undefined || kind === 'bad' ? shownLongMs : shownMs)
    }
  }
  list.value = shown.map(({ toast }) => toast)
}
