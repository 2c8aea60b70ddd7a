import { type LucideIcon } from './lucide.js'
import { type Anchor } from './Popover.js'

export interface MenuItem {
  text: string
  /** A line below, such as the current choice. */
  note?: string
  icon?: LucideIcon
  /** The colour that the item stands for. */
  swatch?: string
  /** The shortcut, such as `Ctrl K`. A single key picks the item while the menu is open; `›` stands for a submenu. */
  keys?: string
  /** Makes it a checkable item, with a tick if true. */
  checked?: boolean
  danger?: boolean
  disabled?: boolean
  /** `anchor`: the anchor of the menu, for another menu in its place. */
  onPick: (anchor: Anchor) => void
}

/** An entry of a menu: an item, a separating `line`, or a heading for the items that follow. */
export type MenuEntry = MenuItem | 'line' | { heading: string }

export const isItem = (entry: MenuEntry): entry is MenuItem => typeof entry === 'object' && 'onPick' in entry

const signs: Readonly<Record<string, readonly string[]>> = { '⌫': ['Backspace', 'Delete'], '›': ['ArrowRight'] }

/** Whether a key, as in `KeyboardEvent.key`, picks an item of the open menu. */
export const isKeyOf = ({ keys, disabled }: Pick<MenuItem, 'keys' | 'disabled'>, key: string): boolean =>
  keys !== undefined && disabled !== true && (signs[keys] ?? [keys]).some((one) => one.toLowerCase() === key.toLowerCase())

/** Returns the index of the item that a key leads to from the focused one; null for any other key. */
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

/** Returns the index of the next item that begins with the typed letters. Repeating one letter cycles through its items. */
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
