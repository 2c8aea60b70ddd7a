import { signal, type ReadonlySignal } from '@preact/signals'

/** Whether a media query holds, followed. */
export function matches (query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query)
  const matching = signal(list?.matches ?? false)
  list?.addEventListener('change', () => { matching.value = list.matches })
  return matching
}

/** A length that is so many pixels where the reader has not asked for larger type, and grows with it, as those of the style sheets do. */
export const inType = (px: number): string => `${px / 16}rem`
/** The same in pixels of the window. */
export const inTypePx = (px: number): number => px * Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16

/** Whether layers are sheets: below 700 pixels of usual type. The style sheets use the same width. */
export const isPhone = matches('(max-width: 43.6875rem)')
/** Whether the side panel fits beside the conversation. */
export const isDesk = matches('(min-width: 68.75rem)')
/** Whether the main pointer is a finger. */
export const isTouch = matches('(pointer: coarse)')
