import { effect, signal } from '@preact/signals'

export type Theme = 'light' | 'dark' | 'system'

const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'system'
const kept = localStorage.getItem('theme')

/** How it looks on this device; it is kept as soon as it is changed. */
export const theme = signal<Theme>(isTheme(kept) ? kept : 'system')

effect(() => {
  localStorage.setItem('theme', theme.value)
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.dataset.theme = theme.value
})

// Another window of this browser has changed it.
addEventListener('storage', ({ key, newValue }) => { if (key === 'theme' && isTheme(newValue)) theme.value = newValue })
