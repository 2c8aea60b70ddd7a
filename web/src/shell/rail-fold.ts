import { effect, signal } from '@preact/signals'
import { isPhone } from '../ui/screen.js'
import { drawer } from './drawer.js'

const storageKey = 'rail-folded'

/** Whether the list of chats is collapsed to icons; stored on this device. */
export const railFolded = signal(localStorage.getItem(storageKey) === 'yes')

effect(() => {
  const { value } = railFolded
  try { localStorage.setItem(storageKey, value ? 'yes' : 'no') } catch {}
})

export function toggleRail (): void {
  railFolded.value = !railFolded.peek()
}

/** Brings the list of chats into view: over the page on a phone, else beside it. */
export function showRail (): void {
  if (isPhone.peek()) drawer.value = true
  else railFolded.value = false
}
