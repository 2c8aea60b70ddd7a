import { signal } from '@preact/signals'

/** Whether the palette of commands is open. */
export const palette = signal(false)

/** What else lies over the page, asked for from anywhere. */
export const overlay = signal<'shortcuts' | 'phone' | null>(null)
