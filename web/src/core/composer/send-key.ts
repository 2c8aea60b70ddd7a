interface Sending { sendKey: unknown, isTouch: boolean }
type Pressed = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey'>

/**
 * Whether a key sends the message. `sendKey`: the setting of that name; Enter alone if it is not set. Ctrl or ⌘ with Enter always sends. On
 * a touch screen Enter begins a new line, because its keyboard has no other key for that.
 */
export function sends ({ key, ctrlKey, metaKey, shiftKey }: Pressed, { sendKey, isTouch }: Sending): boolean {
  if (key !== 'Enter') return false
  if (ctrlKey || metaKey) return !shiftKey
  if (sendKey === 'shift+enter') return shiftKey
  return sendKey !== 'ctrl+enter' && !shiftKey && !isTouch
}
