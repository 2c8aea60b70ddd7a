/** The action of a shortcut; views have the words. */
export type ShortcutId =
  | 'palette'
  | 'shortcuts'
  | 'newChat'
  | 'next'
  | 'previous'
  | 'box'
  | 'rail'
  | 'side'
  | 'outline'
  | 'quote'
  | 'waiting'

export interface Shortcut {
  readonly id: ShortcutId
  /** As in `KeyboardEvent.key`, in lower case. */
  readonly key: string
  /** With Ctrl, or ⌘ on a Mac. Such a shortcut also works while the person types. */
  readonly withControl?: true
}

/** All shortcuts. The same table is used to handle keys and to show them. */
export const shortcuts: readonly Shortcut[] = [
  { id: 'palette', key: 'k', withControl: true },
  { id: 'newChat', key: 'j', withControl: true },
  { id: 'newChat', key: 'n' },
  { id: 'palette', key: '/' },
  { id: 'next', key: 'j' },
  { id: 'previous', key: 'k' },
  { id: 'box', key: 'i' },
  { id: 'waiting', key: 'w' },
  { id: 'rail', key: '[' },
  { id: 'side', key: ']' },
  { id: 'outline', key: 'o' },
  { id: 'quote', key: 'q' },
  { id: 'shortcuts', key: '?' }
]

/** The keys for changed files, where these are listed; see `useChangeKeys`. */
export const reviewKeys = [
  ['nextFile', 'J'],
  ['nextFile', 'N'],
  ['previousFile', 'K'],
  ['previousFile', 'P'],
  ['comment', 'C'],
  ['accept', 'A'],
  ['giveBack', 'X']
] as const

/** The name of the modifier key of shortcuts on this device. */
export const controlKey = /Mac|iP/.test(globalThis.navigator?.platform ?? '') ? '⌘' : 'Ctrl'

/** The properties of a key event that identify a shortcut. */
export type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'isComposing' | 'defaultPrevented'>

/** Returns the shortcut of a key; null for a key that is typed or already handled. */
export function shortcutOf (pressed: Pressed, isTyping: boolean): ShortcutId | null {
  if (pressed.defaultPrevented || pressed.isComposing || pressed.altKey) return null
  const hasControl = pressed.ctrlKey || pressed.metaKey
  if (isTyping && !hasControl) return null
  return shortcuts.find(({ key, withControl = false }) => key === pressed.key.toLowerCase() && withControl === hasControl)?.id ?? null
}

/** Returns the neighbour of a session in the list; for a session outside of it, the first or last. */
export function neighbour (ids: readonly string[], current: string | null, step: 1 | -1): string | null {
  const at = current === null ? -1 : ids.indexOf(current)
  if (at === -1) return (step === 1 ? ids[0] : ids.at(-1)) ?? null
  return ids[at + step] ?? null
}
