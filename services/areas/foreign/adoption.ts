import { createPace } from '../../ground/concurrency/pace.js'
import { type ForeignConversation, type WireCard, type WireMessage } from '../sessions/index.js'
import { type ForeignTranscript } from './transcript.js'

type Row = ForeignConversation['rows'][number]

/** Converts a conversation of another front end to rows of a session of this service, from position `from` on. */
export function rowsOf (transcript: ForeignTranscript, from = 0): Row[] {
  return transcript.messages.map(converting(transcript, from))
}

/** Does the same from position 0, with pauses. */
export async function rowsWithPauses (transcript: ForeignTranscript): Promise<Row[]> {
  const pace = createPace()
  const convert = converting(transcript, 0)
  const rows: Row[] = []
  for (const [index, text] of transcript.messages.entries()) {
    rows.push(convert(text, index))
    await pace()
  }
  return rows
}

function converting ({ toolCalls, counted, replay }: ForeignTranscript, from: number): (text: string, index: number) => Row {
  const cards = new Map(toolCalls.map((text) => JSON.parse(text) as WireCard).map((card) => [
    card.tid, card.assistant_msg_idx < 0 ? card : { ...card, assistant_msg_idx: card.assistant_msg_idx + from }
  ]))
  return (text, index) => {
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
  }
}
