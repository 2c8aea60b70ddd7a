interface Sending { sendKey: unknown, isTouch: boolean }
type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/**
 * Whether a key sends the message. `sendKey`: the setting of that name; Enter by itself if there is none. Ctrl and ⌘ with Enter
 * always send. On a touch screen Enter begins a new line, as its keyboards have no other.
 */
export function sends ({ key, ctrlKey, metaKey, shiftKey }: Pressed, { sendKey, isTouch }: Sending): boolean {
  if (key !== 'Enter') return false
  if (ctrlKey || metaKey) return !shiftKey
  if (sendKey === 'shift+enter') return shiftKey
  return sendKey !== 'ctrl+enter' && !shiftKey && !isTouch
}
