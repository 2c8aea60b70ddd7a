import { forgetOldest } from './forget-oldest.js'

/** So many chats keep what was opened in them. */
const mostChats = 50

const chats = new Map<string, Set<string>>()

/**
 * Keys of the lines that are open in a chat: a long one draws only what is near, and what comes back is as it was left. The same set each
 * time for the same chat; an empty page has one of its own until it becomes a chat.
 */
export function unfoldedIn (sessionId: string | null): Set<string> {
  if (sessionId === null) return new Set()
  const keys = chats.get(sessionId) ?? new Set()
  keepUnfolded(sessionId, keys)
  return keys
}

/** An empty page has become this chat. */
export function keepUnfolded (sessionId: string, keys: Set<string>): void {
  chats.delete(sessionId)
  chats.set(sessionId, keys)
  forgetOldest(chats, mostChats)
}
