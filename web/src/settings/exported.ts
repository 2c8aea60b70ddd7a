import { isRecord } from '../core/service/records.js'

/**
 * What a file of an export says of a chat, as an import takes it; null for a file that is none. Bare lists of messages are taken as well.
 */
export function parseExport (text: string): { messages: Array<Record<string, unknown>> } | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return null
  }
  const chat: unknown = Array.isArray(parsed)
    ? { messages: parsed }
    : isRecord(parsed) && isRecord(parsed.session) && !('messages' in parsed) ? parsed.session : parsed
  return isRecord(chat) && Array.isArray(chat.messages) ? { ...chat, messages: chat.messages } : null
}
