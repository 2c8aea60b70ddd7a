import { signal, type ReadonlySignal } from '@preact/signals'

/** Returns a signal of whether a media query matches. */
export function matches (query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query)
  const matching = signal(list?.matches ?? false)
  list?.addEventListener('change', () => { matching.value = list.matches })
  return matching
}

/** Returns a CSS length of `px` pixels at the default type size. It grows with larger type, as the lengths in the style sheets do. */
export const inType = (px: number): string => `${px / 16}rem`
/** Returns the same length in pixels of the window. */
export const inTypePx = (px: number): number => px * Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16

/** Whether layers are sheets: in windows below 700 pixels at the default type size. The style sheets use the same width. */
export const isPhone = matches('(max-width: 43.6875rem)')
/** Whether the side panel fits beside the conversation. */
export const isDesk = matches('(min-width: 68.75rem)')
/** Whether the main pointer is a finger. */
export const isTouch = matches('(pointer: coarse)')
