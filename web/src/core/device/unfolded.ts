import { forgetOldest } from './forget-oldest.js'

/** For how many chats at most expanded lines are remembered. */
const mostChats = 50

const chats = new Map<string, Set<string>>()

/**
 * Returns the keys of the expanded lines of a chat, which draws only what is near the view. The same chat always gets the same set; an
 * empty page has its own until it becomes a chat.
 */
export function unfoldedIn (sessionId: string | null): Set<string> {
  if (sessionId === null) return new Set()
  const keys = chats.get(sessionId) ?? new Set()
  keepUnfolded(sessionId, keys)
  return keys
}

/** Keeps the set of an empty page that has become this chat. */
export function keepUnfolded (sessionId: string, keys: Set<string>): void {
  chats.delete(sessionId)
  chats.set(sessionId, keys)
  forgetOldest(chats, mostChats)
}
