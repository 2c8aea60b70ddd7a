import { type ForeignConversation, type WireCard, type WireMessage } from '../sessions/index.js'
import { type ForeignTranscript } from './transcript.js'

/** Converts a conversation of another front end to rows of a session of this service, from position `from` on. */
export function rowsOf ({ messages, toolCalls, counted, replay }: ForeignTranscript, from = 0): ForeignConversation['rows'] {
  const cards = new Map(toolCalls.map((text) => JSON.parse(text) as WireCard).map((card) => [
    card.tid, card.assistant_msg_idx < 0 ? card : { ...card, assistant_msg_idx: card.assistant_msg_idx + from }
  ]))
  return messages.map((text, index) => {
    const body = JSON.parse(text) as WireMessage
    const card = body.role === 'tool' ? cards.get(body.tool_call_id ?? '') : undefined
    return {
      role: body.role,
      body,
      counted: counted[index] ?? true,
      replay: replay[index],
      createdAtS: body._ts,
      ...(card === undefined ? {} : { card, assistantPosition: card.assistant_msg_idx })
    }
  })
}
