import { ApiError } from '../service/api.js'
import { type Conversation } from './conversation.js'
import { type ModelPick } from './conversation-state.js'
import { branchSession, takeLastBack, truncateSession } from '../sessions/session-actions.js'
import { type Attachment } from '../turn/turn.js'

/** What became of a message that was sent anew. Where it was not sent, `text` and `attachments` belong back into the box. */
export interface Resent {
  isSent: boolean
  /** Where it stands in the whole transcript. */
  index: number | null
  text: string
  attachments: readonly Attachment[]
  /** Where the conversation goes on as it was before. */
  keptSessionId: string | null
}

export interface ResendOptions {
  /** For this one turn, or from now on. */
  pick?: ModelPick
  /** A branch keeps what is taken away. */
  keepOld?: boolean
}

/** Sends the last message again, perhaps to another model. Null: there is none, or `notice` says why it did not succeed. */
export async function retryLast (conversation: Conversation, options: ResendOptions = {}): Promise<Resent | null> {
  const asked = conversation.transcript.exchanges.peek().findLast(({ user }) => user.peek() !== null)?.user.peek()
  return await resend(conversation, options, asked?.index ?? null, async (id) => {
    const taken = await takeLastBack(conversation.api, id)
    return taken === null ? null : { text: taken.text, attachments: asked?.attachments ?? [] }
  })
}

/**
 * Puts another message in the place of an earlier one: that, and everything after it, goes. `index` is its place in the whole transcript.
 */
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
    const kept = keepOld ? await branchSession(conversation.api, id) : null
    const message = await take(id)
    if (message === null) return null
    await conversation.reload()
    const isSent = await conversation.send({ ...message, ...(pick === undefined ? {} : { pick }) })
    return { ...message, index, isSent, keptSessionId: kept?.session_id ?? null }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    conversation.tell({ code: 'failed', message: error.message })
    return null
  }
}
