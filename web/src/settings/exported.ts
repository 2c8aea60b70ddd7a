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
    : isObject(parsed) && isObject(parsed.session) && !('messages' in parsed) ? parsed.session : parsed
  return isObject(chat) && Array.isArray(chat.messages) ? chat as { messages: Array<Record<string, unknown>> } : null
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value)
