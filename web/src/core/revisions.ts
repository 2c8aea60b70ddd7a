import { type Conversation } from './conversation.js'
import { type ModelPick } from './conversation-state.js'
import { branchSession, truncateSession } from './session-actions.js'
import { type UserMessage } from './turn.js'

// Saying something once more, otherwise. What it takes away stays reachable: the whole conversation is kept as a branch first.

/** A message is sent anew with another text, in the place of the old one and of all that followed. False: it was not sent, and `notice` says why. Throws ApiError. */
export async function reviseMessage (conversation: Conversation, { index, attachments }: UserMessage, text: string, pick?: ModelPick): Promise<boolean> {
  const sessionId = conversation.sessionId.peek()
  if (sessionId === null || index === null) return false
  await branchSession(conversation.api, sessionId)
  await truncateSession(conversation.api, sessionId, index)
  await conversation.reload()
  return await conversation.send({ text, attachments, ...(pick === undefined ? {} : { pick }) })
}

/** The last message is answered anew, by another model if one is named. Throws ApiError. */
export async function answerAgain (conversation: Conversation, user: UserMessage, pick?: ModelPick): Promise<boolean> {
  return await reviseMessage(conversation, user, user.text, pick)
}
