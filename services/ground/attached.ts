/** A message with the names of its files behind it, as models are told of them. Clients may have put the marker into the text already. */
export function withAttachmentNames (text: string, attachments: ReadonlyArray<{ name: string, path?: string }>): string {
  if (attachments.length === 0 || text.includes('[Attached files:')) return text
  return `${text}\n\n[Attached files: ${attachments.map(({ name, path = '' }) => path === '' ? name : path).join(', ')}]`
}

const mark = '[Attached files: '

/**
 * A message without the names of its files at its end. Clients do not show them there when the files stand beside it, so whoever reads a
 * message that others have written takes its files' names from those.
 */
export function withoutAttachmentNames (text: string): string {
  const end = text.trimEnd()
  const at = end.endsWith(']') ? end.indexOf(mark, end.lastIndexOf(']', end.length - 2) + 1) : -1
  return at === -1 ? text : end.slice(0, at).trimEnd()
}
