import { signal } from '@preact/signals'

export type SideTab = 'files' | 'changes' | 'preview' | 'checkpoints'

/** What the panel beside the conversation shows; null: it is folded. */
export const sideTab = signal<SideTab | null>(null)

/** Opens the panel beside the conversation. */
export function openSide (tab: SideTab): void {
  sideTab.value = tab
}
