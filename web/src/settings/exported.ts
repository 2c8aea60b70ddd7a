import { isRecord } from '../core/service/records.js'

/** Parses an export of a chat into the form that an import takes; null for any other file. A bare list of messages is accepted too. */
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
