/** What a key does in the app; the words for each are the view's. */
export type ShortcutId =
  | 'palette'
  | 'shortcuts'
  | 'newChat'
  | 'search'
  | 'next'
  | 'previous'
  | 'box'
  | 'rail'
  | 'side'
  | 'outline'
  | 'waiting'

export interface Shortcut {
  readonly id: ShortcutId
  /** As `KeyboardEvent.key` has it, in lower case. */
  readonly key: string
  /** With Ctrl, or ⌘ on a Mac: such a key means nothing while somebody types, and works then as well. */
  readonly withControl?: true
}

/** Every key there is: what listens and what is shown to people read the same table. */
export const shortcuts: readonly Shortcut[] = [
  { id: 'palette', key: 'k', withControl: true },
  { id: 'newChat', key: 'n' },
  { id: 'search', key: '/' },
  { id: 'next', key: 'j' },
  { id: 'previous', key: 'k' },
  { id: 'box', key: 'i' },
  { id: 'waiting', key: 'w' },
  { id: 'rail', key: '[' },
  { id: 'side', key: ']' },
  { id: 'outline', key: 'o' },
  { id: 'shortcuts', key: '?' }
]

/** What of a key that was pressed says which shortcut it is. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'defaultPrevented'>

/** The shortcut of a key; null for every key that is typed into something, or that somebody else has taken. */
export function shortcutOf (pressed: Pressed, isTyping: boolean): ShortcutId | null {
  if (pressed.defaultPrevented || pressed.isComposing || pressed.altKey) return null
  const hasControl = pressed.ctrlKey || pressed.metaKey
  if (isTyping && !hasControl) return null
  return shortcuts.find(({ key, withControl = false }) => key === pressed.key.toLowerCase() && withControl === hasControl)?.id ?? null
}

/** The neighbour of a session in the list; from outside of it, its first or last. */
export function neighbour (ids: readonly string[], current: string | null, step: 1 | -1): string | null {
  const at = current === null ? -1 : ids.indexOf(current)
  if (at === -1) return (step === 1 ? ids[0] : ids.at(-1)) ?? null
  return ids[at + step] ?? null
}
