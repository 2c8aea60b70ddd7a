import { signal } from '@preact/signals'

/** Whether the palette of commands is open. */
export const palette = signal(false)

let ahead = ''

/** Collects typed letters while the code of the palette is loading, so that none becomes a shortcut or lands in the message box below. */
export function typeAhead (event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.key === 'Tab') return
  event.preventDefault()
  event.stopPropagation()
  if (event.key === 'Escape') palette.value = false
  else if (event.key === 'Backspace') ahead = ahead.slice(0, -1)
  else if (event.key.length === 1) ahead += event.key
}

/** Returns the text that was typed ahead, and clears it. */
export function takeTypedAhead (): string {
  const taken = ahead
  ahead = ''
  return taken
}

/** Another layer that can be opened from anywhere. */
export const overlay = signal<'shortcuts' | 'phone' | null>(null)
