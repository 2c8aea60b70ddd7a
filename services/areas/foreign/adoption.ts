import { fieldsOf } from '../../ground/fields.js'
import { type ForeignConversation } from '../sessions/index.js'
import { type ForeignRow } from './tally.js'
import { type ForeignTranscript } from './transcript.js'

type Rows = ForeignConversation['rows']

/** What was said in a conversation of another front end, as rows that a session of ours can begin with. */
export function rowsOf ({ lastMessageAt }: ForeignRow, { messages, toolCalls, counted, replay }: ForeignTranscript): Rows {
  const cards = new Map(
    toolCalls.map((text) => JSON.parse(text) as { tid: string, assistant_msg_idx: number }).map((card) => [card.tid, card])
  )
  return messages.map((text, index) => {
    const body = fieldsOf(JSON.parse(text))
    const card = body.role === 'tool' ? cards.get(String(body.tool_call_id ?? '')) : undefined
    return {
      role: String(body.role),
      body,
      counted: counted[index] ?? true,
      replay: replay[index],
      createdAtS: Number(body._ts ?? lastMessageAt),
      ...(card === undefined ? {} : { card: { ...card }, assistantPosition: card.assistant_msg_idx })
    }
  })
}
