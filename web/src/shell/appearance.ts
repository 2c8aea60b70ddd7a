import { computed, effect, signal } from '@preact/signals'
import { settings } from '../app.js'
import { tellSignInPage } from '../core/device/sign-in-page.js'
import { matches } from '../ui/screen.js'

type Theme = 'light' | 'dark' | 'system'

export const isTheme = (value: unknown): value is Theme => value === 'light' || value === 'dark' || value === 'system'
const kept = localStorage.getItem('theme')

/** The theme of this device; a change is stored at once. */
export const theme = signal<Theme>(isTheme(kept) ? kept : 'system')

effect(() => {
  localStorage.setItem('theme', theme.value)
  tellSignInPage('app_theme', theme.value)
  if (theme.value === 'system') document.documentElement.removeAttribute('data-theme')
  else document.documentElement.dataset.theme = theme.value
})

const prefersDark = matches('(prefers-color-scheme: dark)')
/** Whether the app is shown in dark colours now. */
export const isDark = computed(() => theme.value === 'dark' || (theme.value === 'system' && prefersDark.value))

// Another window of this browser has changed it.
addEventListener('storage', ({ key, newValue }) => {
  if (key === 'theme' && isTheme(newValue)) theme.value = newValue
  if (key === 'density' && isDensity(newValue)) density.value = newValue
})

type Density = 'comfortable' | 'compact'

export const isDensity = (value: unknown): value is Density => value === 'comfortable' || value === 'compact'
const keptDensity = localStorage.getItem('density')

/** The spacing of rows on this device; touch screens always have enough space (`tokens.css`). */
export const density = signal<Density>(isDensity(keptDensity) ? keptDensity : 'comfortable')

effect(() => {
  localStorage.setItem('density', density.value)
  document.documentElement.dataset.density = density.value
})

/** Relative to the default size; the app's font sizes are in rem. */
const sizes: Readonly<Record<string, string>> = { small: '93.75%', large: '112.5%', xlarge: '125%' }

// Font size and direction are settings for all devices.
effect(() => {
  const { font_size: size, rtl: isRightToLeft } = settings.values.value
  document.documentElement.style.fontSize = sizes[String(size)] ?? ''
  document.documentElement.dir = isRightToLeft === true ? 'rtl' : 'ltr'
})
