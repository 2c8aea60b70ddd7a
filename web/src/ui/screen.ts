import { signal, type ReadonlySignal } from '@preact/signals'

function matches (query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query)
  const matching = signal(list?.matches ?? false)
  list?.addEventListener('change', () => { matching.value = list.matches })
  return matching
}

/** Narrow enough that what lies over the page comes from below as a sheet. The style sheets say the same width. */
export const isPhone = matches('(max-width: 699px)')
/** Wide enough for the side panel to stand beside the conversation. */
export const isDesk = matches('(min-width: 1100px)')
/** Fingers rather than a mouse. */
export const isTouch = matches('(pointer: coarse)')
