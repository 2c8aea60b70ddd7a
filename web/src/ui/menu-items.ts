import { type LucideIcon } from './lucide.js'

export interface MenuItem {
  text: string
  /** A line below, or what is chosen now. */
  note?: string
  icon?: LucideIcon
  /** The keys that do the same, such as `Ctrl K`. */
  keys?: string
  /** Given, it is one of several that can be on: a tick stands before it. */
  checked?: boolean
  danger?: boolean
  disabled?: boolean
  onPick: () => void
}

/** What a menu shows, from top to bottom: `line` parts it, a heading names what follows. */
export type MenuEntry = MenuItem | 'line' | { heading: string }

export const isItem = (entry: MenuEntry): entry is MenuItem => typeof entry === 'object' && 'onPick' in entry

/** The item that a key leads to, from the one that is focused; null when the key means nothing. */
export function nextItem (key: string, focused: number, items: readonly MenuItem[]): number | null {
  const steps: Record<string, [from: number, by: number]> = {
    ArrowDown: [focused + 1, 1], ArrowUp: [focused - 1, -1], Home: [0, 1], End: [items.length - 1, -1]
  }
  const step = steps[key]
  if (step === undefined) return null
  let [at, by] = step
  for (let tried = 0; tried < items.length; tried++, at += by) {
    const item = (at + items.length) % items.length
    if (items[item]?.disabled !== true) return item
  }
  return null
}

/** The item that typed letters lead to: the next one that begins with them. The same letter again goes through all that begin with it. */
export function typedItem (typed: string, focused: number, items: readonly MenuItem[]): number | null {
  const same = [...typed].every((letter) => letter === typed[0])
  const sought = (same ? typed.charAt(0) : typed).toLocaleLowerCase()
  const first = same ? focused + 1 : Math.max(focused, 0)
  for (let tried = 0; tried < items.length; tried++) {
    const at = (first + tried) % items.length
    const item = items[at]
    if (item !== undefined && item.disabled !== true && item.text.toLocaleLowerCase().startsWith(sought)) return at
  }
  return null
}
