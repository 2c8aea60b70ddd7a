import { type LanguageModelV3FilePart, type LanguageModelV3TextPart } from '@ai-sdk/provider'
import { open } from 'node:fs/promises'
import { type Attachment, type ModelMessage } from '../protocol.js'

const imageLimitBytes = 10 * 1024 * 1024

/** The user's message as the model is shown it: text, the names of attached files, and small images themselves. */
export async function userMessage ({ text, attachments }: { text: string, attachments: Attachment[] }): Promise<ModelMessage> {
  const content: Array<LanguageModelV3TextPart | LanguageModelV3FilePart> = [{ type: 'text', text: withAttachmentNames(text, attachments) }]
  for (const attachment of attachments) {
    const image = attachment.isImage ? await readImage(attachment.path) : null
    if (image !== null) content.push({ type: 'file', mediaType: attachment.mime, data: image })
  }
  return { role: 'user', content }
}

/** Clients may have put the marker into the text already. */
export function withAttachmentNames (text: string, attachments: Attachment[]): string {
  if (attachments.length === 0 || text.includes('[Attached files:')) return text
  return `${text}\n\n[Attached files: ${attachments.map((attachment) => attachment.path || attachment.name).join(', ')}]`
}

async function readImage (path: string): Promise<Uint8Array | null> {
  try {
    const file = await open(path, 'r')
    try {
      const stats = await file.stat()
      return stats.isFile() && stats.size <= imageLimitBytes ? await file.readFile() : null
    } finally {
      await file.close()
    }
  } catch {
    return null
  }
}

/**
 * Providers refuse a conversation in which a tool call has no result. A turn that was cut off can leave such calls
 * behind; they get a result that says so.
 */
export function withoutGaps (history: ModelMessage[]): ModelMessage[] {
  const answered = new Set<string>()
  for (const message of history) {
    if (message.role !== 'tool') continue
    for (const part of message.content) if (part.type === 'tool-result') answered.add(part.toolCallId)
  }
  return history.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant') return [message]
    const open = message.content.filter((part) => part.type === 'tool-call').filter((part) => !answered.has(part.toolCallId))
    if (open.length === 0) return [message]
    return [message, {
      role: 'tool',
      content: open.map(({ toolCallId, toolName }) => ({
        type: 'tool-result', toolCallId, toolName, output: { type: 'error-text', value: 'This call was interrupted before it had a result.' }
      }))
    }]
  })
}
