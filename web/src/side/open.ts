import { effect, signal } from '@preact/signals'
import { isDesk } from '../ui/screen.js'

const names = ['files', 'changes', 'preview', 'checkpoints'] as const
export type SideTab = typeof names[number]

const storageKey = 'side-tab'

/** What the panel beside the conversation shows; null: it is folded. Where it stands beside the page, it is as it was left. */
export const sideTab = signal<SideTab | null>(isDesk.peek() ? kept() : null)

/** The view that was shown last, for when it is opened again. */
let latest: SideTab = sideTab.peek() ?? 'files'

effect(() => {
  const { value } = sideTab
  if (value !== null) latest = value
  if (!isDesk.peek()) return
  try { localStorage.setItem(storageKey, value ?? '') } catch {}
})

/** Opens the panel beside the conversation, where nothing else is said with what it showed last. */
export function openSide (tab: SideTab = latest): void {
  sideTab.value = tab
}

export function closeSide (): void {
  sideTab.value = null
}

function kept (): SideTab | null {
  try {
    const tab = localStorage.getItem(storageKey)
    return names.find((name) => name === tab) ?? null
  } catch {
    return null
  }
}
