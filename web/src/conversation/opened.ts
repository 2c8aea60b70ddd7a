import { api, link, sessions } from '../app.js'
import { Conversation } from '../core/conversation.js'
import { type NewSession } from '../core/conversation-state.js'
import { signal } from '@preact/signals'

/** What the next new chat is made with, where it is not the usual: its folder, model, project. */
export const nextSession = signal<NewSession>({})

let open: Conversation | null = null

/**
 * The chat that this window looks at. It is the same one as long as its session is, also while an empty page becomes a session; another one
 * closes it. What it has begun goes on in the service.
 */
export function openConversation (sessionId: string | null): Conversation {
  if (open !== null && open.sessionId.peek() === sessionId) return open
  open?.close()
  open = new Conversation({ api, link, sessionId, newSession: () => nextSession.peek() })
  const row = sessionId === null ? undefined : sessions.row(sessionId)
  if (row !== undefined) open.syncRow(row)
  return open
}

/** The chat that is open, for what is not part of it: the palette, the title of the window. */
export const openedConversation = (): Conversation | null => open
