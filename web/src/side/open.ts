import { effect, signal } from '@preact/signals'
import { isDesk } from '../ui/screen.js'

const names = ['files', 'changes', 'checks', 'preview', 'checkpoints', 'plan'] as const
export type SideTab = typeof names[number]

const storageKey = 'side-tab'

/** The shown tab of the panel; null while it is closed. It is remembered if the panel is beside the page. */
export const sideTab = signal<SideTab | null>(isDesk.peek() ? kept() : null)

/** The last shown tab, for the next time the panel opens. */
let latest: SideTab = sideTab.peek() ?? 'files'

effect(() => {
  const { value } = sideTab
  if (value !== null) latest = value
  if (!isDesk.peek()) return
  try { localStorage.setItem(storageKey, value ?? '') } catch {}
})

/** Opens the panel, by default with the last tab. */
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
