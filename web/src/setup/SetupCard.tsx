import { type Conversation } from '../core/conversation.js'
/** For now nothing. */
export function SetupCard (_: { conversation: Conversation }) { return null }
