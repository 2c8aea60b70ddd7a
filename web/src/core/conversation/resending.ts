import { ApiError } from '../service/api.js'
import { type Conversation } from './conversation.js'
import { type ModelPick } from './conversation-state.js'
import { keepVersion, takeLastBack, truncateSession } from '../sessions/session-actions.js'
import { type Attachment } from '../turn/turn.js'

/** The outcome of sending a message again. If it was not sent, `text` and `attachments` go back into the box. */
export interface Resent {
  isSent: boolean
  text: string
  attachments: readonly Attachment[]
  /** The branch with the earlier version; null if none was kept. */
  keptSessionId: string | null
}

export interface ResendOptions {
  /** The model for this turn, or from now on. */
  pick?: ModelPick
  /** Keeps the removed messages in a branch, as a version of them. A temporary chat keeps none: its branch would be a normal chat. */
  keepOld?: boolean
}

/** Sends the last message again, perhaps to another model. Returns null if there is none, or if it failed and `notice` says why. */
export async function retryLast (conversation: Conversation, options: ResendOptions = {}): Promise<Resent | null> {
  const asked = conversation.transcript.exchanges.peek().findLast(({ user }) => user.peek() !== null)?.user.peek()
  return await resend(conversation, options, asked?.index ?? null, async (id) => {
    const taken = await takeLastBack(conversation.api, id)
    return taken === null ? null : { text: taken.text, attachments: asked?.attachments ?? [] }
  })
}

/** Replaces an earlier message, removing it and everything after it. `index` is its index in the transcript. */
export async function editAndResend (
  conversation: Conversation, index: number, message: { text: string, attachments: readonly Attachment[] }, options: ResendOptions = {}
): Promise<Resent | null> {
  return await resend(conversation, options, index, async (id) => {
    await truncateSession(conversation.api, id, index)
    return message
  })
}

async function resend (
  conversation: Conversation, { pick, keepOld = false }: ResendOptions, index: number | null,
  take: (id: string) => Promise<Pick<Resent, 'text' | 'attachments'> | null>
): Promise<Resent | null> {
  const id = conversation.sessionId.peek()
  if (id === null) return null
  try {
    // The branch is a version of this chat, not another chat, so it has the same name.
    const session = conversation.session.peek()
    const kept = keepOld && session?.temporary !== true ? await keepVersion(conversation.api, id, index, session?.title) : null
    const message = await take(id)
    if (message === null) return null
    await conversation.reload()
    const isSent = await conversation.send({ ...message, ...(pick === undefined ? {} : { pick }) })
    return { ...message, isSent, keptSessionId: kept?.session_id ?? null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    conversation.tell({ code: 'failed', message: error.message })
    return null
  }
}
