import { signal, type ReadonlySignal } from '@preact/signals'

/** Whether a media query holds, followed. */
export function matches (query: string): ReadonlySignal<boolean> {
  const list = globalThis.matchMedia?.(query)
  const matching = signal(list?.matches ?? false)
  list?.addEventListener('change', () => { matching.value = list.matches })
  return matching
}

/** Whether layers are sheets. The style sheets use the same width. */
export const isPhone = matches('(max-width: 699px)')
/** Whether the side panel fits beside the conversation. */
export const isDesk = matches('(min-width: 1100px)')
/** Whether the main pointer is a finger. */
export const isTouch = matches('(pointer: coarse)')
