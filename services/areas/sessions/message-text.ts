import { fieldsOf } from '../../ground/fields.js'
import { isTextKind } from '../../ground/text/text-parts.js'

/** Returns the text of a message, also of one in parts: what every reader is shown. */
export function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => hasText(part) ? part.text : '').join('')
}

const hasText = (part: unknown): part is { text: string } =>
  typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string' &&
    isTextKind(fieldsOf(part).type)

export interface AnchorMessage { role: string, timestamp?: number, content: unknown, attachments?: unknown }

/** The key by which clients find a message in a transcript. */
export function messageKey ({ role, timestamp, content, attachments }: AnchorMessage) {
  const text = typeof content === 'string' ? content.replaceAll(/\s+/g, ' ').trim().slice(0, 160) : ''
  return { role, ts: timestamp ?? null, text, attachments: Array.isArray(attachments) ? attachments.length : 0 }
}
