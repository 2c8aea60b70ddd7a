import { signal } from '@preact/signals'

/** Whether the palette of commands is open. */
export const palette = signal(false)

/** Another layer that can be opened from anywhere. */
export const overlay = signal<'shortcuts' | 'phone' | null>(null)
