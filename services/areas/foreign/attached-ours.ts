import { fieldsOf } from '../../ground/fields.js'
import { type ForeignConversation, type Sessions } from '../sessions/index.js'
import { type AttachedRow } from './attached-rows.js'

/**
 * This service's turns since a conversation was last known: what they have sent, what was received, and whether the last of them has ended.
 */
export interface Ours { prompts: string[], heard: string[], isComplete: boolean }

const rowsAtOnce = 64

export function oursOf ({ transcript }: Pick<Sessions, 'transcript'>, { sessionId, knownRows }: AttachedRow): Ours {
  const ours: Ours = { prompts: [], heard: [], isComplete: true }
  for (let from = knownRows; ;) {
    const found = transcript.portion(sessionId, from, from + rowsAtOnce, 'plain')
    if (found.length === 0) return ours
    const replays = transcript.replaysOf(sessionId, from, found.length)
    for (const [index, { role, body }] of found.entries()) {
      const replay = fieldsOf(JSON.parse(replays[index] ?? 'null'))
      if (role === 'user') {
        // Names of files follow the message, and differ from those that the agent sees.
        ours.prompts.push((textOf(replay['content']) || textOf(fieldsOf(JSON.parse(body))['content'])).split('\n\n[Attached files: ')[0] ?? '')
        ours.isComplete = false
      } else if (role === 'assistant') {
        ours.heard.push(textOf(fieldsOf(JSON.parse(body))['content']))
        if (fieldsOf(replay['providerOptions'])['acp'] !== undefined) ours.isComplete = true
      }
    }
    from += found.length
  }
}

function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  return Array.isArray(content) ? content.map((part) => String(fieldsOf(part)['text'] ?? '')).join('\n') : ''
}

/** Builds a row from a part of an answer that an agent wrote down after this service had stopped listening. */
export function lateRow (text: string, atS: number): ForeignConversation['rows'][number] {
  return {
    role: 'assistant', counted: true, createdAtS: atS,
    body: { role: 'assistant', content: text, timestamp: atS, _ts: atS },
    replay: { role: 'assistant', content: [{ type: 'text', text }] }
  }
}
