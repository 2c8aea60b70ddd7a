/** The text of a message, also of one in parts. */
export function textOf (content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.map((part: unknown) => hasText(part) ? part.text : '').join('')
}

const hasText = (part: unknown): part is { text: string } => typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string'
