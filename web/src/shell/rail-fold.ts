import { effect, signal } from '@preact/signals'

const storageKey = 'rail-folded'

/** Whether the list of chats is collapsed to icons; stored on this device. */
export const railFolded = signal(localStorage.getItem(storageKey) === 'yes')

effect(() => {
  const { value } = railFolded
  try { localStorage.setItem(storageKey, value ? 'yes' : 'no') } catch {}
})

export function toggleRail (fold = !railFolded.peek()): void {
  railFolded.value = fold
}
